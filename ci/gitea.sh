#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures, judges and comments in a job of Gitea or Forgejo (docs/howto/ci.md). The arguments are those of the latlab command that measures.
# LATLAB_STORE, GH_TOKEN and LATLAB_CHANGE are the workflow's; all other variables are as each job has them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$(dirname "$here")/.venv/bin:$PATH"
[ "$GITHUB_EVENT_NAME" != push ] || [ "$GITHUB_REF_TYPE" != branch ] || export LATLAB_BRANCH="$GITHUB_REF_NAME"
export LATLAB_COMMIT="$GITHUB_SHA" LATLAB_JOB="${LATLAB_JOB:-$GITHUB_WORKFLOW $GITHUB_JOB}"
# A newer Gitea takes this number for another id, which may be that of another run, unless it is said to be an index.
export LATLAB_LINK="${LATLAB_LINK:-$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/${GITHUB_RUN_NUMBER:-}?by_index=1}"
code=0
python3 "$here/gate.py" "$@" || code=$?
[ ! -e latlab-out/comment.md ] || cat latlab-out/comment.md >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
[ -z "${LATLAB_CHANGE:-}" ] || python3 "$here/comment.py" latlab-out/comment.md
exit $code
