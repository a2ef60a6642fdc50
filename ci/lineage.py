#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commits that a commit descends from, the nearest first: from git where the checkout has the history, else from the forge.

GitHub, Gitea and Forgejo: GITHUB_REPOSITORY and GITHUB_API_URL as each job has them, GH_TOKEN. GitLab: CI_API_V4_URL and CI_PROJECT_ID as
each job has them, LATLAB_TOKEN.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from urllib.parse import quote

TIMEOUT_S = 30
MOST = 1000
"""Commits that are looked at: a baseline that is older says little of a change."""
PAGE = 100


class Unknown(Exception):
    """Why nobody knows the history."""


def lineage(commit: str, variables: Mapping[str, str]) -> Iterator[str]:
    """The commit itself, then its ancestors. Raises Unknown, possibly in the middle, where no more of them is known."""
    if not commit:
        raise Unknown("LATLAB_COMMIT does not say what is measured")
    known, why = _of_git(commit)
    if not why:
        yield from known
        return
    address = _address(commit, variables)
    if not address:
        yield from known
        raise Unknown(why)
    yield from _of_forge(*address)


def _of_git(commit: str) -> tuple[list[str], str]:
    """What the checkout has of it, and why that is not all."""
    if not shutil.which("git"):
        return [], "there is no git here"
    asked = _git("rev-list", "--date-order", f"--max-count={MOST}", commit)
    if asked is None:
        return [], "the checkout has no history"
    if _git("rev-parse", "--is-shallow-repository") != ["false"]:
        return asked, "the checkout is shallow"
    return asked, ""


def _git(*words: str) -> list[str] | None:
    done = subprocess.run(("git", "-c", "safe.directory=*", *words), capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


def _address(commit: str, variables: Mapping[str, str]) -> tuple[str, dict[str, str], str] | None:
    """The address where the forge lists commits, the headers of who asks, and the name of a hash there."""
    if variables.get("GITHUB_REPOSITORY") and variables.get("GITHUB_API_URL"):
        token = variables.get("GH_TOKEN") or variables.get("GITHUB_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        place = f"{variables['GITHUB_API_URL']}/repos/{variables['GITHUB_REPOSITORY']}/commits?sha={quote(commit)}"
        return f"{place}&per_page={PAGE}&limit={PAGE}", headers, "sha"
    if variables.get("CI_API_V4_URL") and variables.get("LATLAB_TOKEN"):
        project = quote(variables.get("CI_PROJECT_ID", ""), safe="")
        place = f"{variables['CI_API_V4_URL']}/projects/{project}/repository/commits?ref_name={quote(commit)}"
        return f"{place}&per_page={PAGE}", {"PRIVATE-TOKEN": variables["LATLAB_TOKEN"]}, "id"
    return None


def _of_forge(place: str, headers: Mapping[str, str], name: str) -> Iterator[str]:
    seen = 0
    for page in range(1, MOST):
        request = urllib.request.Request(f"{place}&page={page}", headers={**headers, "User-Agent": "latlab"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                commits = [str(commit[name]) for commit in json.loads(answer.read())]
        except urllib.error.HTTPError as error:
            raise Unknown(f"the checkout has no history and the forge refused to list commits ({error.code})") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unknown(f"the checkout has no history and the forge did not list commits ({error})") from None
        yield from commits
        seen += len(commits)
        if not commits or seen >= MOST:
            return
