#!/bin/bash
# library.sh counts|builds BUILD: the preset `library`, by which users get a library in the shortest time.
# counts: compiles that libarmature.so takes with it. builds: it is built by it, and its hot paths are as in BUILD.
set -euo pipefail
mode=$1 build=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --preset library -B "$work" >"$work/configured" 2>&1 || { cat "$work/configured"; exit 1; }
# A room is a compile, and so is a file with options of its own. One source a compile, it would be ten times as many.
compiles=$(cd "$work" && ninja -t commands armature | grep -c -- ' -c ')
echo "libarmature.so takes $compiles compiles"
[ "$compiles" -le 40 ]
[ "$mode" = builds ] || exit 0

cmake --build "$work" --target armature -- --quiet
echo "CPU time of this shell and of what it has waited for:"
times
for test in steady:"no allocation, no system call" complete:"what is complete allocates nothing" \
  local_memory:"local memory is a short way"; do
  output=$(LD_LIBRARY_PATH=$work/lib "$(find "$build" -name "hotpath_${test%%:*}" -type f -print -quit)")
  grep -q "${test#*:}" <<<"$output" || { echo "$output"; exit 1; }
done
echo "its hot paths are as they were"
