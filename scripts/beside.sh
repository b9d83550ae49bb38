#!/bin/sh
# beside.sh FIRST SECOND: run two simple commands at once, and fail if one of them does. What FIRST
# prints is shown when both have ended, so that their lines do not mix. Ctrl-C ends both.
set -u

printed=$(mktemp)
sh -c "exec $1" > "$printed" 2>&1 & # so that the signal below ends the command itself
first=$!
trap 'kill "$first" 2> /dev/null; wait "$first"; cat "$printed"; rm -f "$printed"; exit 130' INT TERM

sh -c "$2"
failed_second=$?
wait "$first"
failed_first=$?
cat "$printed"
rm -f "$printed"
[ "$failed_first" -eq 0 ] || echo "FAILED: $1" >&2
[ "$failed_second" -eq 0 ] || echo "FAILED: $2" >&2
exit $((failed_first != 0 || failed_second != 0))
