# SPDX-License-Identifier: BSD-3-Clause
"""The few packets of GDB's remote protocol that it takes to stop a machine at an instruction and to change a word there."""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path

CONNECT_S = 600
SILENCE_S = 600


class Gone(Exception):
    """The machine has ended; with its exit status, where it told one."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status


class GdbRemote:
    def __init__(self, path: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        for _ in range(10 * CONNECT_S):
            try:
                self._connection.connect(str(path))
                break
            except OSError:
                time.sleep(0.1)
        self._connection.settimeout(SILENCE_S)
        self._received = b""

    def close(self) -> None:
        self._connection.close()

    def _answer(self) -> str:
        while True:
            start, end = self._received.find(b"$"), self._received.find(b"#")
            if 0 <= start < end and len(self._received) >= end + 3:
                answer, self._received = self._received[start + 1 : end], self._received[end + 3 :]
                with contextlib.suppress(BrokenPipeError):  # its last words
                    self._connection.sendall(b"+")
                return answer.decode()
            more = self._connection.recv(65536)
            if not more:
                raise Gone(None)
            self._received += more

    def ask(self, packet: str) -> str:
        data = packet.encode()
        self._connection.sendall(b"$%s#%02x" % (data, sum(data) % 256))
        return self._answer()

    def _done(self, packet: str) -> None:
        answer = self.ask(packet)
        assert answer == "OK", f"{packet}: {answer!r}"

    def stop_at(self, address: int) -> None:
        self._done(f"Z0,{address:x},2")

    def do_not_stop_at(self, address: int) -> None:
        self._done(f"z0,{address:x},2")

    def go_on(self) -> None:
        """Until the next stop. Raises Gone where the machine ends instead, TimeoutError where it does neither."""
        answer = self.ask("c")
        if answer[0] == "W":
            raise Gone(int(answer[1:3], 16))

    def register(self, number: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"p{number:x}")), "little")

    def word(self, address: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"m{address:x},4")), "little")

    def set_word(self, address: int, value: int) -> None:
        self._done(f"M{address:x},4:{value.to_bytes(4, 'little').hex()}")
