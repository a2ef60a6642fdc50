# SPDX-License-Identifier: BSD-3-Clause
"""Trials of Python in a fork of this process, which has the libraries loaded but nothing of the tree: half a trial is loading them."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from signal import SIGKILL

LIBRARIES = ("pytest", "hypothesis", "numpy", "scipy.stats", "scipy.optimize", "scipy.special", "statsmodels.stats.api", "sqlalchemy",
             "altair", "msgspec", "typer", "rich.table", "jinja2", "docutils.core")  # fmt: skip
LAST_LINES = 15


def load() -> None:
    """Threads do not survive a fork: the linear algebra is told to make none before it is loaded."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for name in LIBRARIES:
        import_module(name)


def forked(job: Callable[[], int], where: Path, limit_s: float, environment: dict[str, str]) -> str | None:
    """What run() says of a command, of a job in a fork that works at `where` and takes the sources there before any others."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _be(job, where, output.fileno(), environment)
        code = _wait(child, limit_s)
        if code == 0:
            return None
        output.seek(0)
        return "\n".join([*output.read().splitlines()[-LAST_LINES:], *([f"no end after {limit_s:.0f} s"] if code is None else [])])


def _be(job: Callable[[], int], where: Path, output: int, environment: dict[str, str]) -> None:
    """The child: never returns."""
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = sys.stderr = os.fdopen(1, "w", closefd=False)
        os.chdir(where)
        os.environ.update(environment)
        sys.path.insert(0, str(where / "src"))
        sys.dont_write_bytecode = True
        code = job()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _wait(child: int, limit_s: float) -> int | None:
    """The child's exit code, 1 where a signal ended it, None where time did. Whatever it started ends with it."""
    end = time.monotonic() + limit_s
    found, status = 0, 0
    while found == 0 and time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.02 if found == 0 else 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, SIGKILL)
    if found == 0:
        os.waitpid(child, 0)
        return None
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1
