#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Puts the comment under a pull request, in place of the one of an earlier run. Needs gh with GH_TOKEN. Usage: ci/comment.sh FILE PULL_REQUEST
set -eu
gh pr comment "$2" --body-file "$1" --edit-last || gh pr comment "$2" --body-file "$1"
