#!/bin/bash
# recovers.sh ARMATURE PROGRAM...: behind two checkpoints in memory, ranks give all variables other values and a process
# is killed. The ranks go back, and must find the values that they had then: on a node, on two, and where one process
# of three is left.
armature=$1
shift
for program in "$@"; do
  for shape in 4:1 3:1 4:2; do
    processes=${shape%:*} nodes=${shape#*:}
    arguments=()
    [[ $program == *globals_c[0-9_]* ]] && arguments=(-a -b 3 rest)
    output=$(GLOBALS_DEATHS=2 "$armature" run -n 6 --virtual --processes "$processes" --nodes "$nodes" \
      --private-globals=on --on-death recover --timeout 60 "$program" "${arguments[@]}" 2>&1)
    status=$?
    ended=6
    [[ $program == *f90* ]] && ended=0
    if [ "$status" -ne 0 ] || ! grep -q 'all well' <<<"$output" ||
      [ "$(grep -c 'all ranks go back to the checkpoint in memory' <<<"$output")" -ne 2 ] ||
      [ "$(grep -c '^rank [0-9]* ended$' <<<"$output")" -ne "$ended" ]; then
      printf '%s, %s processes, %s nodes: status %s\n%s\n' "$program" "$processes" "$nodes" "$status" "$output"
      exit 1
    fi
    echo "${program##*/}, $processes processes, $nodes nodes: all well"
  done
done
