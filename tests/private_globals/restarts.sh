#!/bin/bash
# restarts.sh ARMATURE PROGRAM NODES ARGUMENT...: the program stops behind a checkpoint and goes on from it in three
# processes. All its variables must be there.
armature=$1 program=$2 nodes=$3
ended=6
[[ $2 == *f90* ]] && ended=0
shift 3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$armature" run -n 6 --virtual --processes 2 --nodes "$nodes" --private-globals=on --checkpoint "$folder/saved" \
  --timeout 60 "$program" "$@" >"$folder/before" 2>&1
if ! grep -q '^stopped' "$folder/before"; then
  cat "$folder/before"
  echo "it has not stopped behind its checkpoint"
  exit 1
fi
if "$armature" restart "$folder/saved" --private-globals=off --timeout 60 >"$folder/off" 2>&1 ||
  ! grep -q 'have had globals of their own (--private-globals) and have none here' "$folder/off"; then
  cat "$folder/off"
  echo "ranks with globals of their own have gone on without them, or not been refused for that"
  exit 1
fi
output=$("$armature" restart "$folder/saved" --processes 3 --timeout 60 2>&1)
status=$?
printf '%s\n' "$output"
[ "$status" -eq 0 ] && grep -q 'all well' <<<"$output" || exit 1
# Programs that can, say so behind all else.
[ "$(grep -c ' ended$' <<<"$output")" -eq "$ended" ] || {
  echo "not every rank has ended as it should"
  exit 1
}
