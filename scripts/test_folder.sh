#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the folder for the temporary files of the tests: in memory where 4 GiB are free there, else where temporary files always are.
# A disk that discards blocks as it frees them can take minutes to remove the file of a guest's memory.
set -eu
usual=${TMPDIR:-/tmp} memory=/dev/shm
kib_free=$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 && $1 == "tmpfs" { print $4 }')
# A folder may refuse to run programs, which tests write and run.
tried=$(mktemp -p "$memory" 2>/dev/null) || { echo "$usual"; exit; }
trap 'rm -f "$tried"' EXIT
printf '#!/bin/sh\n' >"$tried"
chmod 700 "$tried"
if [ "${kib_free:-0}" -ge 4194304 ] && "$tried" 2>/dev/null; then echo "$memory"; else echo "$usual"; fi
