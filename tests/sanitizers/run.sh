#!/bin/bash
# run.sh COMMAND PRESET TESTS BUT TARGET...: builds the targets in a sanitizer preset and runs the tests labelled
# fast or sanitized whose names match TESTS and not BUT, where that is not empty. The ranks are started by COMMAND,
# the `armature` that is there already: its parts are in the unit tests, and building it once more takes minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command=$1 preset=$2 tests=$3 but=${4:-^$}
shift 4
cmake --preset "$preset" >/dev/null
mkdir -p "build-$preset/bin"
cp --remove-destination "$command" "build-$preset/bin/armature"
cmake --build "build-$preset" --target "$@" -- --quiet
# Unit tests, which are found by asking their program, can be given one variable alone: they inherit this, which
# is why cmake/ArmatureTest.cmake gives it to all others.
export ASAN_OPTIONS=abort_on_error=0:detect_stack_use_after_return=0:intercept_tls_get_addr=0
# As ./dev test does.
ctest --test-dir "build-$preset" -j"$(($(nproc) * 2))" -L '^(fast|sanitized)$' -R "$tests" -E "$but" \
  --output-on-failure --timeout 300 --no-tests=error ||
  { status=$?; tests/say_failed.sh "build-$preset"; exit "$status"; }
