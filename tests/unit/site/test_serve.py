# SPDX-License-Identifier: BSD-3-Clause
"""The pages of a store as they are at the moment: read-only, to this machine's browsers alone, and new when a run is."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from latlab.core.cli.app import main
from latlab.core.errors import UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.store.changes import RunList
from latlab.core.store.store import Store, open_store
from latlab.runs.campaign.importing_log import import_log
from latlab.site.campaign.now import Now
from latlab.site.pages.live import MOST_CONNECTIONS, Live, bound, listen
from latlab.site.pages.site_pages import SiteFile
from support.runs import unfinished_run
from support.synthetic import log

pytest.importorskip("starlette", reason="`make setup-dev` installs it")
TIMEOUT_S = 120


@dataclass
class Server:
    port: int
    store: Store

    def ask(self, path: str, method: str = "GET", host: str = "localhost") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        connection.request(method, path, headers={"Host": host})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


@pytest.fixture(name="server", scope="module")
def fixture_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("served") / "store.sqlite"
    store = open_store(str(place))
    import_log(store, "\n".join(log()).encode(), "console.log")
    command = (sys.executable, "-m", "latlab", "serve", "--port", "0", "--store", str(place))
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert process.stderr
    assert re.fullmatch(r"reads one run of \S+ first; its address follows\n", process.stderr.readline())
    said = process.stderr.readline()
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/ shows \S+; Ctrl-C ends it\n", said)
    try:
        assert found, said
        yield Server(int(found[1]), store)
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 0, process.stderr.read()
    finally:
        process.kill()
        process.wait()


def test_the_first_page_and_a_runs_page_are_those_of_the_site(server: Server) -> None:
    status, text = server.ask("/")
    assert status == 200 and "to wake up" in text and "/state" in text
    run, *_ = server.store.runs()
    status, text = server.ask(f"/run/{run.id}.html")
    assert status == 200 and run.id in text


def test_a_page_that_is_none_is_said_to_be_none(server: Server) -> None:
    assert server.ask("/run/../../etc/passwd") == (404, "/run/../../etc/passwd: no such page; / has all of them\n")
    assert server.ask("/state/none.html") == (404, "")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_changed(server: Server, method: str) -> None:
    assert server.ask("/", method)[0] == 405


def test_a_page_under_a_foreign_name_is_told_nothing(server: Server) -> None:
    status, text = server.ask("/", host="evil.example")
    assert status == 400 and "to wake up" not in text
    assert server.ask("/", host=f"localhost:{server.port}")[0] == 200


def test_a_run_under_way_has_a_page_that_is_another_one_when_it_gets_on_and_ends(server: Server) -> None:
    before = server.ask("/state/index.html")[1]
    run = server.store.begin(unfinished_run())
    path = f"run/{run}.html"
    assert server.ask("/state/index.html")[1] != before
    first = server.ask(f"/state/{path}")[1]
    assert f"{run} is in progress" in server.ask(f"/{path}")[1] and f"{run}" in server.ask("/")[1]
    server.store.checkpoint(run, {}, "measuring")
    assert server.ask(f"/state/{path}")[1] not in ("", first)
    assert "measuring" in server.ask(f"/{path}")[1]
    server.store.finish(run, RunStatus.COMPLETE)
    assert "under way" not in server.ask(f"/{path}")[1]


def test_a_port_that_is_taken_is_refused_in_a_sentence(server: Server) -> None:
    with pytest.raises(UsageError, match=rf"127\.0\.0\.1 port {server.port} cannot be served: .*; use another --listen or --port"):
        bound("127.0.0.1", server.port)
    with pytest.raises(UsageError, match="cannot be served"):
        bound("203.0.113.7", 0)


def test_nobody_is_answered_before_the_runs_are_read_and_a_port_that_is_taken_meanwhile_is_refused() -> None:
    """Who connected while a large store was read waited for seconds, and those beyond the limit were cut off."""
    first = bound("127.0.0.1", 0)
    port = first.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
    second = bound("127.0.0.1", port)
    listen(second)
    with pytest.raises(UsageError, match=f"port {port} cannot be served"):
        listen(first)
    first.close()
    second.close()


class Slow:
    """Pages whose reading and making wait until they may go on."""

    def __init__(self) -> None:
        self.version, self.reads, self.makes = 1, threading.Event(), threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def page(self) -> SiteFile:
        return SiteFile("index.html", str(self.version), partial(self._text, self.version))

    def _text(self, version: int) -> str:
        self.makes.set()
        assert self.go_on.wait(TIMEOUT_S)
        return f"<head></head><body>version {version}</body>"

    def contents(self, _: object) -> str:
        self.reads.set()
        assert self.go_on.wait(TIMEOUT_S)
        return "contents"


def test_while_one_reader_has_a_page_made_again_others_have_it_as_it_was() -> None:
    slow = Slow()
    live = Live(lambda: {"index.html": slow.page()})
    assert "version 1" in str(live.document("index.html"))
    slow.version = 2
    slow.go_on.clear()
    slow.makes.clear()
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(live.document, "index.html")
        assert slow.makes.wait(TIMEOUT_S)
        assert "version 1" in str(live.document("index.html"))
        slow.go_on.set()
        assert "version 2" in str(asked.result(TIMEOUT_S))
    assert "version 2" in str(live.document("index.html"))


def test_while_one_reader_has_the_store_read_again_others_have_what_was(tmp_path: Path) -> None:
    slow, store = Slow(), open_store(str(tmp_path / "store.sqlite"))
    now = Now(store, RunList(store), slow.contents, lambda of: [slow.page()], lambda of, running: [])
    import_log(store, "\n".join(log()).encode(), "console.log")
    before = now.pages()
    slow.go_on.clear()
    slow.reads.clear()
    import_log(store, "\n".join(log()).encode(), "console.log")
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(now.pages)
        assert slow.reads.wait(TIMEOUT_S)
        assert now.pages() is before
        slow.go_on.set()
        assert asked.result(TIMEOUT_S) is not before


def test_without_its_packages_it_names_them_and_no_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    open_store(str(tmp_path / "store.sqlite"))
    monkeypatch.setattr(sys, "argv", ["latlab", "serve", "--store", str(tmp_path / "store.sqlite")])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "starlette and uvicorn" in said and "http://" not in said


def test_who_opens_many_connections_and_asks_nothing_keeps_nobody_out(server: Server) -> None:
    """Those beyond the limit are closed at once, the others as soon as they have asked nothing for a while; in between who asks waits."""
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S) for _ in range(2 * MOST_CONNECTIONS)]
    try:
        assert sum(_is_closed(one) for one in idle) == len(idle), "each is closed by the server in the end"
        assert server.ask("/")[0] == 200
    finally:
        for one in idle:
            one.close()


def _is_closed(one: socket.socket) -> bool:
    """Waits for the server; a connection that it keeps ends in a timeout."""
    try:
        return one.recv(1) == b""
    except ConnectionResetError:
        return True
