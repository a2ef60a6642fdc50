#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Brings the store of the newest job of GitLab's default branch, an artifact that no merge request can write, to LATLAB_STORE.

CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_PROJECT_ID, CI_DEFAULT_BRANCH and CI_JOB_NAME are as each job has them. LATLAB_TOKEN
reads it, or the job's own token, or none where the project is public. Where there is none yet, it says so and exits with 0: there is
nothing to judge against. Where GitLab refuses LATLAB_TOKEN or does not answer, it exits with 3: nobody knows whether there is one.
"""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

TIMEOUT_S = 120
STORE = ".latlab/store.sqlite"
# Who asks: the header, the variable with its token, and the answers after which the next may ask. A job's own token reads no artifact
# without GitLab Premium, nor one of a private project from a fork; a token that is refused itself has expired or was revoked.
WAYS = (("PRIVATE-TOKEN", "LATLAB_TOKEN", (404,)), ("JOB-TOKEN", "CI_JOB_TOKEN", (401, 403, 404)), ("", "", (401, 403, 404)))


def main() -> int:
    store = os.environ.get("LATLAB_STORE") or STORE
    if "://" in store:
        return 0
    try:
        data = artifact(os.environ)
    except (OSError, ValueError) as error:
        print(f"the baseline cannot be read: {error}; see to LATLAB_TOKEN, or run the job again", file=sys.stderr)
        return 3
    if data is None:
        token = "" if os.environ.get("LATLAB_TOKEN") else "; if a job of the default branch has left one, set LATLAB_TOKEN to read it"
        print(f"no baseline was brought: there is none yet{token}")
        return 0
    Path(store).parent.mkdir(parents=True, exist_ok=True)
    Path(store).write_bytes(data)
    print(f"{store}: {len(data)} bytes of the newest baseline")
    return 0


def artifact(variables: Mapping[str, str]) -> bytes | None:
    """Nothing where nobody who asks is shown one. Raises OSError where LATLAB_TOKEN is refused, or the server fails."""
    project = quote(variables.get("CI_MERGE_REQUEST_PROJECT_ID") or variables.get("CI_PROJECT_ID", ""), safe="")
    branch, job = (quote(variables.get(name, ""), safe="") for name in ("CI_DEFAULT_BRANCH", "CI_JOB_NAME"))
    url = f"{variables.get('CI_API_V4_URL', '')}/projects/{project}/jobs/artifacts/{branch}/raw/{STORE}?job={job}"
    failed = None
    for header, name, unreadable in WAYS:
        headers = {header: token} if (token := variables.get(name)) else {}
        if name and not headers:
            continue
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT_S) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            failed = failed if error.code in unreadable else error
    if failed:
        raise failed
    return None


if __name__ == "__main__":
    sys.exit(main())
