#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures once, judges it against the newest run of the baseline, and writes what a reviewer needs to see. The variables:
#   LATLAB_RUN       words of the command that measures, such as `run psci --subject tf-a.toml`
#   LATLAB_BRANCH    the branch or change that is measured; where it is the baseline, its run is the next baseline
#   LATLAB_BASELINE  the branch to judge against (main)
#   LATLAB_STORE     the file in which runs are kept from one job to the next (.latlab/store.sqlite)
#   LATLAB_OUT       the folder for comment.md, junit.xml, latlab.sarif and report.html (latlab-out)
#   LATLAB_LINK      where the report will be, for the comment (none)
# Exits as `latlab gate` does: 0 passed, or the first run of a baseline; 1 failed; 3 cannot tell. What did not measure ends with its own code.
set -eu
baseline=${LATLAB_BASELINE:-main}
out=${LATLAB_OUT:-latlab-out}
LATLAB_STORE=${LATLAB_STORE:-.latlab/store.sqlite}
export LATLAB_STORE
mkdir -p "$out"
case $LATLAB_STORE in *://*) ;; *) mkdir -p "$(dirname "$LATLAB_STORE")" ;; esac

# The words of the command are split here, and nowhere else.
# shellcheck disable=SC2086
latlab ${LATLAB_RUN:?the words of the command that measures} || {
    code=$?
    echo "latlab could not measure this change: \`latlab $LATLAB_RUN\` ended with $code; the job's log says why." >"$out/comment.md"
    exit "$code"
}
code=0
if latlab ls --label "$baseline" --status complete --format csv | sed 1d | grep -q .; then
    latlab gate "latest:$baseline" last --junit "$out/junit.xml" --sarif "$out/latlab.sarif" --comment "$out/comment.md" ${LATLAB_LINK:+--link "$LATLAB_LINK"} || code=$?
    latlab compare "latest:$baseline" last --format html -o "$out/report.html" || [ $? -ne 2 ]
else
    echo "No run of $baseline to judge against yet." | tee "$out/comment.md"
    latlab report last --format html -o "$out/report.html"
fi
[ "${LATLAB_BRANCH:?the branch that is measured}" != "$baseline" ] || latlab label last "$baseline"
exit "$code"
