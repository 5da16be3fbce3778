#!/bin/bash
# expect.sh MODE REGEX COMMAND...: runs COMMAND and wants REGEX (if not empty) in its output.
# MODE strict: COMMAND must also exit with 0. MODE any: its status does not matter.
mode=$1 regex=$2
shift 2
output=$("$@" 2>&1)
status=$?
printf '%s\n[exit status %d]\n' "$output" "$status"
if [ "$mode" = strict ] && [ "$status" -ne 0 ]; then exit "$status"; fi
if [ -n "$regex" ] && ! grep -Eq -- "$regex" <<<"$output"; then
  echo "expected in the output: $regex"
  exit 1
fi
exit 0
