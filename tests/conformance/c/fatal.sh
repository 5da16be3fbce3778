#!/bin/bash
# fatal.sh ARMATURE PROGRAM: calls that cannot return a code end the job when they are misused: soon, with a
# message that names the call, and a status that is not 0.
armature=$1 program=$2 bad=0 cases=0
while read -r name; do
  cases=$((cases + 1))
  case $name in  # a call's name, or what the program says
    ARMCI_* | armci_*) said=${name%% *} ;;
    *) said=$name ;;
  esac
  output=$("$armature" run -n 2 --timeout 20 "$program" --fatal "$name" </dev/null 2>&1)
  status=$?
  if [ "$status" -eq 0 ] || [ "$status" -ge 124 ] || ! grep -q "ended the job: $said" <<<"$output"; then
    printf '%s: exit status %d\n%s\n' "$name" "$status" "$output"
    bad=$((bad + 1))
  fi
done < <("$armature" run -n 1 "$program" --list-fatal)
echo "$cases cases, $bad wrong"
[ "$cases" -gt 0 ] && [ "$bad" -eq 0 ]
