# SPDX-License-Identifier: BSD-3-Clause
"""Child processes that do not outlive this one, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
OWN_END_S = 0.2
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def dies_with_parent(number: int = signal.SIGKILL) -> Callable[[], None] | None:
    """What a child does before it becomes its program (`preexec_fn`): the kernel sends it this signal when its parent has ended, even by
    SIGKILL. The kernel means the thread that started it, so there is nothing for a child of another thread than the main one, and
    nothing where no kernel does that."""
    if _LIBC is None or threading.current_thread() is not threading.main_thread():
        return None
    parent = os.getpid()

    def prepare() -> None:
        assert _LIBC is not None
        _LIBC.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return prepare


def stop(process: subprocess.Popen[bytes], patience_s: float) -> None:
    """End this process and no other; what ends by itself or in order is let."""
    if process.stdout:
        process.stdout.close()
    if process.poll() is None:
        try:
            process.wait(OWN_END_S)
        except subprocess.TimeoutExpired:
            process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
