# SPDX-License-Identifier: BSD-3-Clause
"""A QEMU that is told what to do while it runs, through its own protocol (QMP)."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from latlab.core.targets.process.process_time import ProcessClock, state_of

CONNECT_S = 600


class Monitored:
    """Context manager: the process and its monitor. `options` are everything but the monitor and the consoles."""

    def __init__(self, folder: Path, options: tuple[str, ...]) -> None:
        self.normal, self.secure = folder / "normal.log", folder / "secure.log"
        self._socket = folder / "qmp"
        consoles = ("-serial", f"file:{self.normal}", "-serial", f"file:{self.secure}")
        self._command = ("qemu-system-aarch64", *options, *consoles, "-qmp", f"unix:{self._socket},server=on,wait=off")

    def __enter__(self) -> Monitored:
        self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        connection = socket.socket(socket.AF_UNIX)
        for _ in range(10 * CONNECT_S):
            try:
                connection.connect(str(self._socket))
                break
            except OSError:
                time.sleep(0.1)
        self._stream = connection.makefile("rw")
        self._stream.readline()
        self.tell("qmp_capabilities")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()

    def tell(self, command: str, **arguments: Any) -> Any:
        """What QEMU returns; events in between are dropped."""
        self._stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._stream.flush()
        while True:
            answer = json.loads(self._stream.readline())
            if "return" in answer or "error" in answer:
                assert "return" in answer, answer
                return answer["return"]

    def clock(self) -> ProcessClock:
        return ProcessClock(partial(state_of, self.process.pid))

    def wait_for(self, text: str, times: int = 1, patience_s: float = 300) -> str:
        """The normal world's console once it has said `text` so often. What QEMU waits for a CPU does not count as patience."""
        clock = self.clock()
        while clock.read() < patience_s and self.process.poll() is None:
            said = self.normal.read_text(errors="replace") if self.normal.exists() else ""
            if said.count(text) >= times:
                return said
            time.sleep(0.05)
        raise AssertionError(f"{text!r} did not come {times} times; the firmware said:\n{self.secure.read_text(errors='replace')[-1000:]}")
