#!/bin/bash
# run.sh PRESET TESTS BUT TARGET...: builds the targets in a sanitizer preset and runs the fast tests whose
# names match TESTS and not BUT, where that is not empty.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1 tests=$2 but=${3:-^$}
shift 3
cmake --preset "$preset" >/dev/null
cmake --build "build-$preset" --target "$@"
ctest --test-dir "build-$preset" -j"$(nproc)" -L '^fast$' -R "$tests" -E "$but" \
  --output-on-failure --timeout 300 --no-tests=error
