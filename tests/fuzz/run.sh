#!/bin/bash
# run.sh BUILD INPUTS [SEED]: libFuzzer plays so many inputs, in pieces of which each is a job of its own. The corpus in
# BUILD/fuzz/corpus grows from one run to the next, and is what `run.sh BUILD merge` makes small again. It ends with an
# error at the first crash, or at an input that takes 20 s: the input is in BUILD/fuzz, and the piece's log names it.
set -euo pipefail
build=$1 inputs=$2 seed=${3:-1}
folder=$build/fuzz piece=250000
mkdir -p "$folder/real" "$folder/corpus"
# A process that has not ended has no leaks.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1
fuzzer=("$build/bin/fuzz_packets_libfuzzer" -timeout=20 -max_len=20480 -rss_limit_mb=4096 -runs="$piece"
        -artifact_prefix="$folder/" -print_funcs=0)
[ -n "$(ls "$folder/real")" ] || "$build/bin/fuzz_packets" --corpus "$folder/real"

if [ "$inputs" = merge ]; then
  rm -rf "$folder/small" "$folder/merge.control"
  mkdir "$folder/small"
  "${fuzzer[@]}" -merge=1 -merge_control_file="$folder/merge.control" "$folder/small" "$folder/corpus" \
    >"$folder/merge.log" 2>&1 || { tail -20 "$folder/merge.log" >&2; exit 1; }
  printf 'corpus: %d inputs of %d\n' "$(ls "$folder/small" | wc -l)" "$(ls "$folder/corpus" | wc -l)"
  rm -rf "$folder/corpus"
  mv "$folder/small" "$folder/corpus"
  exit
fi

played=0
while [ "$played" -lt "$inputs" ]; do
  log=$folder/seed-$seed.log
  "${fuzzer[@]}" -seed="$seed" -print_final_stats=1 "$folder/corpus" "$folder/real" >"$log" 2>&1 ||
    { tail -60 "$log" >&2; printf 'run.sh: after %d inputs, with seed %d: %s\n' "$played" "$seed" "$log" >&2; exit 1; }
  number() { sed -n "s/^stat::$1: *//p" "$log"; }
  played=$((played + $(number number_of_executed_units)))
  printf '%d inputs, seed %d: %d a second, the slowest took %d s, %d MiB; %s\n' "$played" "$seed" \
    "$(number average_exec_per_sec)" "$(number slowest_unit_time_sec)" "$(number peak_rss_mb)" \
    "$(grep -o 'cov: .* corp: [0-9]*' "$log" | tail -1)"
  seed=$((seed + 1))
done
