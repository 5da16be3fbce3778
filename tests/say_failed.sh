#!/bin/bash
# say_failed.sh FOLDER: the end of what each test said that failed in ctest's last run in that binary folder,
# once more: hundreds of others may have passed since.
set -euo pipefail
logs=$1/Testing/Temporary
[ -f "$logs/LastTestsFailed.log" ] || exit 0
while IFS=: read -r number name || [ -n "$number" ]; do
  awk -v name="$name" '/^[0-9]+\/[0-9]+ Testing: / { ours = substr($0, index($0, $3)) == name } ours' "$logs/LastTest.log" | tail -n 60
done <"$logs/LastTestsFailed.log"
