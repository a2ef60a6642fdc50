#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures six cores in QEMU and writes the report. Its last lines are the figure, where the report is, and the next commands.
# Usage: scripts/demo.sh REPORT
set -eu

report=$1
latlab=.venv/bin/latlab
mkdir -p "$(dirname "$report")"
"$latlab" run psci >/dev/null
"$latlab" report last --format html -o "$report"
figures=$("$latlab" show last)
echo
printf '%s\n' "$figures" | awk -v RS= -v ORS='\n\n' 'NR <= 3' # its headline and its first table
cat <<END
report: $report
next:
    . .venv/bin/activate         # puts latlab on the search path of this shell
    latlab explain last          # which parts the figures consist of
    latlab compare published:tf-a/juno/v2.9 published:tf-a/juno/v2.10
END
