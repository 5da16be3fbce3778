#!/bin/bash
# each_of.sh ARMATURE LANGUAGE PROGRAM...: each program runs by itself, its ranks moving between two processes.
armature=$1 language=$2
shift 2
arguments=()
[ "$language" = c ] && arguments=(-a -b 3 rest)
for program in "$@"; do
  output=$("$armature" run -n 5 --virtual --processes 2 --private-globals=on --timeout 60 "$program" "${arguments[@]}" 2>&1)
  status=$?
  if [ "$status" -ne 0 ] || ! grep -q 'all well' <<<"$output" || [ "$(grep -c '^rank [0-9]* ended$' <<<"$output")" -ne 5 ]; then
    printf '%s: status %s\n%s\n' "$program" "$status" "$output"
    exit 1
  fi
  echo "${program##*/}: all well"
done
