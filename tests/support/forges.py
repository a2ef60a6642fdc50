# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for the interfaces of GitHub and GitLab that refuses each request which the real one would refuse."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

OWNER = "me/project"
WRITES, READS = "writes", "reads"
ME, OTHER = 1, 2
PAGE = 100


@dataclass
class Forge:
    """`history` are the commits that each commit has behind it, itself first. `comments` are under request 7; of each its author, an id and
    its body. `files` are artifacts of the default branch, by job: a job's own token may read them on GitLab Premium, and anybody those of a
    public project."""

    url: str = ""
    is_premium: bool = True
    is_public: bool = False
    comments: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    history: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, author: int, body: str) -> dict[str, Any]:
        with self.lock:
            made = {"id": len(self.comments) + 1, "author": author, "body": body}
            self.comments.append(made)
            return made

    def bodies(self, author: int = ME) -> list[str]:
        return [one["body"] for one in self.comments if one["author"] == author]

    def github(self, token: str = WRITES) -> dict[str, str]:
        known = {"GITHUB_REPOSITORY": OWNER, "GITHUB_API_URL": self.url, "GITHUB_GRAPHQL_URL": f"{self.url}/graphql"}
        return {**known, "GH_TOKEN": token, "LATLAB_CHANGE": "7"}

    def gitea(self, token: str = WRITES) -> dict[str, str]:
        known = {"GITHUB_REPOSITORY": OWNER, "GITHUB_API_URL": f"{self.url}/api/v1"}
        return {**known, "GH_TOKEN": token, "LATLAB_CHANGE": "7"}

    def gitlab(self, token: str = WRITES) -> dict[str, str]:
        known = {"CI_API_V4_URL": f"{self.url}/api/v4", "CI_PROJECT_ID": "12", "CI_DEFAULT_BRANCH": "main"}
        return {**known, "CI_MERGE_REQUEST_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "7", "LATLAB_TOKEN": token}

    def answer(self, method: str, path: str, headers: dict[str, str], body: Any) -> tuple[int, Any]:
        """What the forge says: 401 without a token, 403 for a write that it does not allow, 404 for what is not there."""
        token = headers.get("authorization", "").rpartition(" ")[2] or headers.get("private-token") or headers.get("job-token")
        place = urlsplit(path)
        if "/jobs/artifacts/" in path and not headers.get("private-token") and token in (None, READS):
            if not (self.is_premium if token else self.is_public):
                return 404, {"message": "404 Project Not Found"}
        elif token not in (WRITES, READS):
            return 401, {"message": "Requires authentication"}
        if method != "GET" and place.path != "/graphql" and token != WRITES:
            return 403, {"message": "Resource not accessible by integration"}
        of_gitlab = "/api/v4"
        if place.path.startswith(of_gitlab):
            return self._gitlab(method, place.path.removeprefix(of_gitlab), parse_qs(place.query), body)
        if place.path.startswith("/api/v1"):
            return self._gitea(method, place.path.removeprefix("/api/v1"), parse_qs(place.query), body)
        return self._github(method, place.path, parse_qs(place.query), body)

    def _commits(self, name: str, commit: str, page: str, size: int) -> tuple[int, Any]:
        if commit not in self.history:
            return 404, {"message": "No commit found for SHA"}
        start = size * (int(page) - 1)
        return 200, [{name: known} for known in self.history[commit][start : start + size]]

    def _gitea(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        """A job's token may not ask whose it is."""
        notes = f"/repos/{OWNER}/issues/7/comments"
        if (method, path) == ("GET", "/user"):
            return 403, {"message": "token does not have at least one of required scope(s): [read:user]"}
        if (method, path) == ("GET", notes):
            names = {ME: "gitea-actions", OTHER: "somebody"}
            return 200, [{"id": one["id"], "body": one["body"], "user": {"login": names[one["author"]]}} for one in self.comments]
        if (method, path) == ("GET", f"/repos/{OWNER}/commits"):
            return self._commits("sha", query["sha"][0], query["page"][0], min(50, int(query["limit"][0])))
        return self._github(method, path, query, body)

    def _github(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        if (method, path) == ("GET", f"/repos/{OWNER}/commits"):
            return self._commits("sha", query["sha"][0], query["page"][0], int(query["per_page"][0]))
        if (method, path) == ("POST", "/graphql"):
            wanted = body["variables"]
            if (f"{wanted['owner']}/{wanted['name']}", wanted["number"]) != (OWNER, 7) or "viewerDidAuthor" not in body["query"]:
                return 200, {"data": {"repository": {"pullRequest": None}}}
            start = int(wanted["after"] or 0)
            shown = self.comments[start : start + PAGE]
            nodes = [{"databaseId": one["id"], "body": one["body"], "viewerDidAuthor": one["author"] == ME} for one in shown]
            more = {"hasNextPage": start + PAGE < len(self.comments), "endCursor": str(start + PAGE)}
            return 200, {"data": {"repository": {"pullRequest": {"comments": {"nodes": nodes, "pageInfo": more}}}}}
        if (method, path) == ("POST", f"/repos/{OWNER}/issues/7/comments"):
            return 201, {"id": self.add(ME, body["body"])["id"]}
        if method == "PATCH" and path.startswith(f"/repos/{OWNER}/issues/comments/"):
            return self._change(int(path.rpartition("/")[2]), body["body"])
        return 404, {"message": "Not Found"}

    def _gitlab(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        notes = "/projects/12/merge_requests/7/notes"
        if (method, path) == ("GET", "/user"):
            return 200, {"id": ME}
        if (method, path) == ("GET", notes):
            start = PAGE * (int(query["page"][0]) - 1)
            shown = self.comments[start : start + PAGE]
            return 200, [{"id": one["id"], "body": one["body"], "author": {"id": one["author"]}} for one in shown]
        if (method, path) == ("POST", notes):
            return 201, {"id": self.add(ME, body["body"])["id"]}
        if method == "PUT" and path.startswith(f"{notes}/"):
            return self._change(int(path.rpartition("/")[2]), body["body"])
        if (method, path) == ("GET", "/projects/12/repository/commits"):
            return self._commits("id", query["ref_name"][0], query["page"][0], int(query["per_page"][0]))
        if (method, path) == ("GET", "/projects/12/jobs/artifacts/main/raw/.latlab/store.sqlite"):
            found = self.files.get(unquote(query["job"][0]))
            return (200, found) if found is not None else (404, {"message": "404 Not Found"})
        return 404, {"message": "404 Not Found"}

    def _change(self, number: int, body: str) -> tuple[int, Any]:
        found = next((one for one in self.comments if one["id"] == number), None)
        if found is None or found["author"] != ME:
            return 403, {"message": "Must be the author"}
        found["body"] = body
        return 200, {"id": number}


@contextmanager
def forge() -> Iterator[Forge]:
    known = Forge()

    class Answers(BaseHTTPRequestHandler):
        def _do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            known.asked.append(f"{self.command} {self.path}")
            headers = {name.lower(): value for name, value in self.headers.items()}
            code, said = known.answer(self.command, self.path, headers, json.loads(data) if data else None)
            answer = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_PUT = do_PATCH = _do

        def log_message(self, format: str, *args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        known.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield known
        finally:
            server.shutdown()
