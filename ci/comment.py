#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts a comment under a pull or merge request, in place of the one that the same job left there before; no other is touched.

Usage: ci/comment.py FILE. It needs nothing but Python. Where it may not comment, it warns and exits with 0: the job has been judged.
Where gate.json beside FILE says that nothing changed, an earlier comment is replaced and no new one is made, unless LATLAB_COMMENT is
`always`.

GitHub: GITHUB_REPOSITORY, GITHUB_API_URL and GITHUB_GRAPHQL_URL as each job has them, GH_TOKEN, LATLAB_CHANGE (the number), LATLAB_JOB.
Gitea and Forgejo: the same without GITHUB_GRAPHQL_URL; GITHUB_API_URL ends with /api/v1.
GitLab: CI_API_V4_URL, CI_MERGE_REQUEST_PROJECT_ID and CI_MERGE_REQUEST_IID as each job of a merge request has them, LATLAB_TOKEN (an access
token), LATLAB_JOB.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

TIMEOUT_S = 30
LONGEST = 60_000
PAGE = 100
UNCHANGED = "nothing changed, so there is no comment"
FIND = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { comments(first: 100, after: $after) {
    nodes { databaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor } } } } }"""


class CannotComment(Exception):
    """Why, and what would help."""


def main(words: list[str]) -> int:
    if len(words) != 1:
        print("usage: ci/comment.py FILE", file=sys.stderr)
        return 2
    try:
        print(commented(Path(words[0]), os.environ))
    except CannotComment as error:
        print(f"{'::warning::' if os.environ.get('GITHUB_ACTIONS') else 'warning: '}no comment was left: {error}")
    return 0


def commented(file: Path, variables: Mapping[str, str]) -> str:
    if not file.is_file():
        raise CannotComment(f"there is no {file}")
    mark = marker(variables.get("LATLAB_JOB", ""))
    body = f"{mark}\n{file.read_text('utf-8', 'replace')[:LONGEST]}"
    is_new = variables.get("LATLAB_COMMENT") == "always" or not is_unchanged(file.with_name("gate.json"))
    if variables.get("GITHUB_REPOSITORY"):
        of_forge = on_github if is_github(variables) else on_gitea
        return of_forge(mark, body, variables, is_new)
    if variables.get("CI_MERGE_REQUEST_IID"):
        return on_gitlab(mark, body, variables, is_new)
    raise CannotComment("this is no job for a pull or merge request of GitHub or GitLab")


def is_unchanged(decision: Path) -> bool:
    """Whether the gate passed and called nothing changed; no where it says nothing."""
    try:
        said = json.loads(decision.read_text("utf-8"))
        return bool(said["exit_code"] == 0 and said["verdict"] == "unchanged")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def is_github(variables: Mapping[str, str]) -> bool:
    """Gitea and Forgejo have another interface behind the same variables."""
    return not variables.get("GITHUB_API_URL", "").endswith("/api/v1")


def marker(job: str) -> str:
    """Not shown, and no name of a job ends it."""
    name = " ".join("".join(one if one.isalnum() or one in " ._/" else " " for one in job).split())
    return f"<!-- latlab {name} {hashlib.sha256(job.encode()).hexdigest()[:12]} -->"


def token_and_number(variables: Mapping[str, str]) -> tuple[str, str]:
    token, number = variables.get("GH_TOKEN", ""), variables.get("LATLAB_CHANGE", "")
    if not token or not number.isdigit():
        raise CannotComment("GH_TOKEN has no token, or LATLAB_CHANGE no number of a pull request")
    return token, number


def on_github(mark: str, body: str, variables: Mapping[str, str], is_new: bool) -> str:
    token, number = token_and_number(variables)
    owner, _, name = variables["GITHUB_REPOSITORY"].partition("/")
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    graph = variables.get("GITHUB_GRAPHQL_URL") or "https://api.github.com/graphql"
    issues = f"{variables.get('GITHUB_API_URL') or 'https://api.github.com'}/repos/{owner}/{name}/issues"
    for comment in _github_comments(graph, headers, {"owner": owner, "name": name, "number": int(number)}):
        if comment["viewerDidAuthor"] and comment["body"].startswith(mark):
            asked("PATCH", f"{issues}/comments/{comment['databaseId']}", headers, {"body": body})
            return f"comment {comment['databaseId']} replaced"
    if not is_new:
        return UNCHANGED
    return f"comment {asked('POST', f'{issues}/{number}/comments', headers, {'body': body})['id']} left"


def on_gitea(mark: str, body: str, variables: Mapping[str, str], is_new: bool) -> str:
    """The token of a job is of a user of the forge's own, whose name ends in `-actions`, and may not ask who it is."""
    token, number = token_and_number(variables)
    headers = {"Authorization": f"token {token}"}
    issues = f"{variables.get('GITHUB_API_URL', '')}/repos/{variables['GITHUB_REPOSITORY']}/issues"
    try:
        me = asked("GET", f"{variables.get('GITHUB_API_URL', '')}/user", headers)["login"]
    except CannotComment:
        me = ""
    for comment in asked("GET", f"{issues}/{number}/comments", headers):
        author = comment["user"]["login"]
        if comment["body"].startswith(mark) and (author == me or (not me and author.endswith("-actions"))):
            asked("PATCH", f"{issues}/comments/{comment['id']}", headers, {"body": body})
            return f"comment {comment['id']} replaced"
    if not is_new:
        return UNCHANGED
    return f"comment {asked('POST', f'{issues}/{number}/comments', headers, {'body': body})['id']} left"


def _github_comments(url: str, headers: Mapping[str, str], wanted: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    after = None
    while True:
        answer = asked("POST", url, headers, {"query": FIND, "variables": {**wanted, "after": after}})
        try:
            found = answer["data"]["repository"]["pullRequest"]["comments"]
        except (KeyError, TypeError):
            raise CannotComment(f"{url} does not show the pull request {wanted['number']}") from None
        yield from found["nodes"]
        if not found["pageInfo"]["hasNextPage"]:
            return
        after = found["pageInfo"]["endCursor"]


def on_gitlab(mark: str, body: str, variables: Mapping[str, str], is_new: bool) -> str:
    token = variables.get("LATLAB_TOKEN", "")
    if not token:
        raise CannotComment("LATLAB_TOKEN has no token; make a project access token with the scope api, and a masked variable of it")
    headers, api = {"PRIVATE-TOKEN": token}, variables["CI_API_V4_URL"]
    project, request = (quote(variables[name], safe="") for name in ("CI_MERGE_REQUEST_PROJECT_ID", "CI_MERGE_REQUEST_IID"))
    notes = f"{api}/projects/{project}/merge_requests/{request}/notes"
    me = asked("GET", f"{api}/user", headers)["id"]
    page = 1
    while found := asked("GET", f"{notes}?per_page={PAGE}&page={page}", headers):
        for note in found:
            if note["author"]["id"] == me and note["body"].startswith(mark):
                asked("PUT", f"{notes}/{note['id']}", headers, {"body": body})
                return f"note {note['id']} replaced"
        page += 1
    if not is_new:
        return UNCHANGED
    return f"note {asked('POST', notes, headers, {'body': body})['id']} left"


def asked(method: str, url: str, headers: Mapping[str, str], content: object = None) -> Any:
    """The answer, as JSON says it."""
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(url, data, {**headers, "Content-Type": "application/json", "User-Agent": "latlab"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        if error.code in (401, 403, 404):
            raise CannotComment(
                f"{method} {url} was refused ({error.code}); a change from a fork has a token that only reads; the summary has the comment"
            ) from None
        raise CannotComment(f"{method} {url} failed ({error.code} {error.reason})") from None
    except (OSError, ValueError) as error:
        raise CannotComment(f"{method} {url} failed ({error})") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
