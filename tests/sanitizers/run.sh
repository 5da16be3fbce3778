#!/bin/bash
# run.sh PRESET: builds what the fast unit and conformance tests need in a sanitizer preset, runs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1
cmake --preset "$preset" >/dev/null

targets=()
for target in armature_tool unit_tests conformance conformance_c; do
  if ninja -C "build-$preset" -t query "$target" >/dev/null 2>&1; then targets+=("$target"); fi
done
cmake --build "build-$preset" --target "${targets[@]}"
ctest --test-dir "build-$preset" -j"$(nproc)" -L '^fast$' -R '^(unit\.|conformance)' \
  --output-on-failure --timeout 120 --no-tests=error
