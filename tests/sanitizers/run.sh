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
# These copy or compute much and order nothing that shorter ones do not: each byte is a look of ThreadSanitizer.
filter='-LongCollectives.only_some_members*:LongCollectives.what_no_window_holds*:PutGet.blocks_of_every_size*'
filter+=':Message.large_ones_may_cross:BoostGraph.finds_the_same_page_ranks'
[ "$preset" != tsan ] || export GTEST_FILTER=$filter
# Fewer at a time than ./dev test has: these compute.
ctest --test-dir "build-$preset" -j"$(($(nproc) * 2))" -L '^(fast|sanitized)$' -R "$tests" -E "$but" \
  --output-on-failure --timeout 900 --no-tests=error ||
  { status=$?; tests/say_failed.sh "build-$preset"; exit "$status"; }
