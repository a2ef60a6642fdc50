# SPDX-License-Identifier: BSD-3-Clause
"""Child processes that do not outlive this one, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

PR_SET_PDEATHSIG = 1
OWN_END_S = 0.2
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """For the start of a child that has a `preexec_fn`: Python drops what a handler raises in its own hooks of a fork, and so an interrupt.
    What comes meanwhile is dealt with at the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handled = [number for number in INTERRUPTS if signal.getsignal(number) not in (None, signal.SIG_IGN)]
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for first in came[:1]:
            signal.raise_signal(first)


def dies_with_parent(number: int = signal.SIGKILL) -> Callable[[], None] | None:
    """What a child does before it becomes its program (`preexec_fn`): the kernel sends it this signal when its parent has ended, even by
    SIGKILL. The kernel means the thread that started it, so there is nothing for a child of another thread than the main one, and
    nothing where no kernel does that."""
    if _LIBC is None or threading.current_thread() is not threading.main_thread():
        return None
    return partial(die_with, os.getpid(), number)


def die_with(parent: int, number: int = signal.SIGKILL) -> None:
    """From now on the kernel, where it does that, sends this process the signal when the thread of `parent` that started it has ended."""
    if _LIBC is None:
        return
    _LIBC.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


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
