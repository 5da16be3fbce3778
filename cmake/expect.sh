#!/bin/bash
# expect.sh MODE REGEX COMMAND...: runs COMMAND and wants REGEX (if not empty) in its output; of several lines, each.
# MODE succeeds: COMMAND must exit with 0. MODE fails: with something else, and not with 124, which says that it did not
# end in time.
mode=$1 regex=$2
shift 2
output=$("$@" 2>&1)
status=$?
printf '%s\n[exit status %d]\n' "$output" "$status"
if [ "$mode" = succeeds ] && [ "$status" -ne 0 ]; then exit "$status"; fi
if [ "$mode" = fails ] && { [ "$status" -eq 0 ] || [ "$status" -eq 124 ]; }; then
  echo "expected to fail by itself"
  exit 1
fi
while IFS= read -r line; do
  if ! grep -Eq -- "$line" <<<"$output"; then
    echo "expected in the output: $line"
    exit 1
  fi
done <<<"$regex"
