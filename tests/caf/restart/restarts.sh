#!/bin/bash
# restarts.sh ARMATURE CAFRUN PROGRAM IMAGES OPTIONS RESTART_OPTIONS: the images stop behind a checkpoint and go on from
# it, where the options of the restart say.
armature=$1 cafrun=$2 program=$3 images=$4 options=$5 others=$6
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2086  # options are words
"$cafrun" -n "$images" --virtual $options --checkpoint "$folder/saved" --timeout 60 "$program" >"$folder/before" 2>&1
if ! grep -q 'stopped behind its checkpoint' "$folder/before"; then
  cat "$folder/before"
  echo "it has not stopped behind its checkpoint"
  exit 1
fi
# shellcheck disable=SC2086
output=$("$armature" restart "$folder/saved" $others --timeout 60 2>&1)
status=$?
printf '%s\n' "$output"
[ "$status" -eq 0 ] || exit 1
for image in $(seq "$images"); do
  grep -qx "ok $image" <<<"$output" || { echo "image $image has not ended well"; exit 1; }
done
