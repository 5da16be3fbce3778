#!/bin/sh
# exit_status.sh STATUS COMMAND...: the command ends with that status.
wanted=$1
shift
"$@"
status=$?
[ $status -eq "$wanted" ] && exit 0
echo "the status is $status, and should be $wanted" >&2
exit 1
