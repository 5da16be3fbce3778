#!/bin/bash
# run.sh PRESET TESTS TARGET...: builds the targets in a sanitizer preset and runs the fast tests whose
# names match.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1 tests=$2
shift 2
cmake --preset "$preset" >/dev/null
cmake --build "build-$preset" --target "$@"
ctest --test-dir "build-$preset" -j"$(nproc)" -L '^fast$' -R "$tests" \
  --output-on-failure --timeout 300 --no-tests=error
