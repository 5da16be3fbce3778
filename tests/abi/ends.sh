#!/bin/bash
# ends.sh ARMATURE PROGRAM: what the end of a C rank's main means, by return or exit(), is the same whatever runs the ranks.
armature=$1 program=$2 bad=0

# ends STATUS SAID OPTIONS HOW
ends() {
  local output status how=(-e "$4")
  [[ $3 == *--threads* ]] && how=("$4")
  # shellcheck disable=SC2086
  output=$("$armature" run $3 --timeout 20 "$program" "${how[@]}" </dev/null 2>&1)
  status=$?
  if [ "$status" -ne "$1" ] || ! grep -q "$2" <<<"$output"; then
    printf '%s, %s: exit status %d, not %d with "%s":\n%s\n' "$3" "$4" "$status" "$1" "$2" "$output"
    bad=$((bad + 1))
  fi
}

for ranks in "-n 3" "-n 3 --threads 3" "-n 3 --virtual --processes 1" "-n 4 --virtual --processes 2"; do
  for good in none all_exit message_layer; do ends 0 "is through" "$ranks" "$good"; done
  ends 5 "exited with status 5" "$ranks" status
  ends 6 "exited with status 6" "$ranks" exit
  ends 5 "rank 1 .*main ended with status 5 before ARMCI_Finalize" "$ranks" early
  ends 1 "rank 1 .*main ended with status 0 before ARMCI_Finalize" "$ranks" early_exit
  ends 7 "main ended with status 7 before ARMCI_Init" "$ranks" usage
done
echo "$bad wrong"
[ "$bad" -eq 0 ]
