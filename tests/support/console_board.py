# SPDX-License-Identifier: BSD-3-Clause
"""A QEMU machine as a board on a shelf: it is switched on and off from outside, and its console is a TCP port, as of a console server."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

READ_BYTES = 4096
ITERATION = b"<LLT1:DONE"
MIDDLE = 10


@dataclass
class ConsoleBoard:
    """`users` is how many had the console open at once at most: a board serves one. `in_the_middle` is done once, when it has printed some
    iterations and before anybody has seen the last of them."""

    name: str
    command: tuple[str, ...]
    in_the_middle: Callable[[], None] | None = None
    users: int = 0
    process: subprocess.Popen[bytes] | None = None
    _open: list[socket.socket] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def resources(self) -> Mapping[str, Mapping[str, object]]:
        return {"NetworkSerialPort": {"host": "127.0.0.1", "port": self._server.getsockname()[1], "protocol": "raw"}}

    def on(self) -> None:
        with self._lock:
            if self.process is None:
                null = subprocess.DEVNULL
                self.process = subprocess.Popen(self.command, stdin=null, stdout=subprocess.PIPE, stderr=null)
                threading.Thread(target=self._pump, args=(self.process,), daemon=True).start()

    def off(self) -> None:
        with self._lock:
            process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()

    def hang(self) -> None:
        """It stands still until it is switched off."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def _accept(self) -> None:
        while True:
            client, _ = self._server.accept()
            with self._lock:
                self._open.append(client)
                self.users = max(self.users, len(self._open))
            threading.Thread(target=self._wait_for_end, args=(client,), daemon=True).start()

    def _wait_for_end(self, client: socket.socket) -> None:
        try:
            while client.recv(READ_BYTES):
                pass
        except OSError:
            pass
        with self._lock:
            self._open.remove(client)
        client.close()

    def _pump(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        iterations = 0
        while data := process.stdout.read1(READ_BYTES):  # type: ignore[attr-defined]
            iterations += data.count(ITERATION)
            if iterations >= MIDDLE and self.in_the_middle is not None:
                action, self.in_the_middle = self.in_the_middle, None
                action()
            with self._lock:
                clients = tuple(self._open)
            for client in clients:
                try:
                    client.sendall(data)
                except OSError:
                    continue
