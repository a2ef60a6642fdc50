# SPDX-License-Identifier: BSD-3-Clause
"""A lab of labgrid's own programs: a coordinator, an exporter, a power switch reached by HTTP, and the places of its boards."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

UP_S = 3600
CLIENT_S = 3600
PROGRAMS = Path(sys.executable).parent
TAG = "kind=virt"


class Board(Protocol):
    """What the power switch is wired to. `resources` are what the exporter says of it beside its power."""

    name: str

    @property
    def resources(self) -> Mapping[str, Mapping[str, object]]: ...

    def on(self) -> None: ...

    def off(self) -> None: ...


@dataclass
class Lab:
    """`switched` is every turn of the power switch: (board, on or off)."""

    folder: Path
    boards: tuple[Board, ...]
    port: int
    switched: list[tuple[str, str]] = field(default_factory=list)
    coordinator: subprocess.Popen[bytes] | None = None
    exporter: subprocess.Popen[bytes] | None = None

    def environment(self, user: str = "tester", token: str = "") -> dict[str, str]:
        own = {"LG_COORDINATOR": f"127.0.0.1:{self.port}", "LG_USERNAME": user, "LG_HOSTNAME": "lab"}
        return {**os.environ, **own, **({"LG_TOKEN": token} if token else {})}

    def client(self, *arguments: str, user: str = "tester", token: str = "") -> str:
        """What labgrid-client says."""
        command = [str(PROGRAMS / "labgrid-client"), *arguments]
        done = subprocess.run(
            command, env=self.environment(user, token), capture_output=True, text=True, timeout=CLIENT_S, check=False, cwd=self.folder
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def start_coordinator(self) -> None:
        self.coordinator = self._started("labgrid-coordinator", "-l", f"127.0.0.1:{self.port}")
        _wait_for(lambda: _answers(self.port), "the coordinator does not answer", self.folder)

    def kill_coordinator(self) -> None:
        assert self.coordinator is not None
        self.coordinator.send_signal(signal.SIGKILL)
        self.coordinator.wait()

    def start_exporter(self) -> None:
        self.exporter = self._started(
            "labgrid-exporter", "-c", f"127.0.0.1:{self.port}", "-n", "shelf", "--hostname", "127.0.0.1", "exporter.yaml"
        )
        wanted = {f"shelf/{board.name}/NetworkPowerPort" for board in self.boards}
        _wait_for(lambda: wanted <= set(self.client("resources").split()), "the exporter's resources do not come", self.folder)

    def restart(self) -> None:
        """As after a crash of the coordinator's machine: it has the places that it had written, and the exporter comes again."""
        self._end(self.exporter)
        self.start_coordinator()
        self.start_exporter()

    def end(self) -> None:
        self._end(self.exporter)
        self._end(self.coordinator)

    def _started(self, *command: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{command[0]}.log").open("ab") as log:
            null = subprocess.DEVNULL
            program = str(PROGRAMS / command[0])
            return subprocess.Popen([program, *command[1:]], stdin=null, stdout=log, stderr=log, cwd=self.folder)

    @staticmethod
    def _end(process: subprocess.Popen[bytes] | None) -> None:
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def lab(folder: Path, *boards: Board) -> Iterator[Lab]:
    """Every board has a place of its name, with the tag that a reservation asks for. All boards are off in the beginning and at the end."""
    found = Lab(folder, boards, free_port())
    switch = _power_switch(found)
    (folder / "exporter.yaml").write_text("".join(_exported(board, switch.server_address[1]) for board in boards))
    try:
        found.start_coordinator()
        found.start_exporter()
        for board in boards:
            for step in (("create",), ("set-tags", TAG), ("add-match", f"shelf/{board.name}/*")):
                found.client("-p", board.name, *step)
        yield found
    finally:
        found.end()
        for board in boards:
            board.off()
        switch.shutdown()
        switch.server_close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _exported(board: Board, port: int) -> str:
    power = {"model": "rest", "host": f"http://127.0.0.1:{port}/{board.name}", "index": 0}
    lines = [f"{board.name}:"]
    for name, values in {"NetworkPowerPort": power, **board.resources}.items():
        lines += [f"  {name}:", *(f"    {key}: {value!r}" for key, value in values.items())]
    return "\n".join([*lines, ""])


def _power_switch(found: Lab) -> ThreadingHTTPServer:
    """PUT 0 or 1 to /BOARD, as labgrid's model `rest` does."""
    boards = {board.name: board for board in found.boards}

    class Switch(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            value = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            board = boards[self.path.strip("/")]
            found.switched.append((board.name, "on" if value == b"1" else "off"))
            board.on() if value == b"1" else board.off()
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Switch)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _wait_for(holds: object, sentence: str, folder: Path) -> None:
    assert callable(holds)
    end = time.monotonic() + UP_S
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.2)
    logs = "\n".join(path.read_text() for path in folder.glob("labgrid-*.log"))
    raise AssertionError(f"{sentence}: {logs}")
