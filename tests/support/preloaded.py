# SPDX-License-Identifier: BSD-3-Clause
"""A Python that has its imports behind it: each command line is a fork of one process that has loaded latlab and its libraries.

To start `latlab` takes half a second of imports, and tests start it some thousand times. What runs is a process of its own all the same:
its arguments, environment, folder, streams, signals and exit code are those of `python` at the same place.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

import latlab

LIBRARIES = ("scipy.special", "scipy.stats", "sqlalchemy.dialects.sqlite", "altair", "vl_convert", "jinja2", "rich.table", "docutils.core")
drawings: Path | None = None
"""Where its processes keep the charts that they draw."""
CLIENT = Path(__file__).with_name("preloaded_client.py")


def python() -> str:
    """A program that takes `-m MODULE ...`, `-c CODE ...` or `SCRIPT ...` as the Python of these tests does."""
    return str(_program()[0])


def command() -> str:
    """A program that takes the arguments of the command."""
    return str(_program()[1])


def cpu_s() -> float:
    """Seconds of processor that its processes have taken, those that ended and itself."""
    if not _program.cache_info().currsize:
        return 0.0
    fields = Path(f"/proc/{_program()[2].pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@cache
def _program() -> tuple[Path, Path, subprocess.Popen[bytes]]:
    folder = Path(tempfile.mkdtemp(prefix="latlab-preloaded-"))
    place = folder / "socket"
    process = subprocess.Popen(
        (sys.executable, __file__, str(place), str(drawings or folder / "drawings")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(latlab.__path__[0]).parent)},  # the latlab that the tests import
    )
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"

    def end() -> None:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    programs = folder / "python3", folder / "latlab"
    for program, words in zip(programs, ("", " -m latlab"), strict=True):
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {CLIENT} {place}{words} "$@"\n')
        program.chmod(0o755)
    return *programs, process


def _serve(place: str) -> None:
    for name in (
        *LIBRARIES,
        *(found.name for found in pkgutil.walk_packages(latlab.__path__, "latlab.") if found.name != "latlab.__main__"),
    ):
        with suppress(ImportError):  # of an extra
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen(64)
    print("ready", flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    woken, waking = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking)
    callers: dict[int, socket.socket] = {}
    while True:
        watched: list[socket.socket | int] = [listening, woken, *callers.values()]
        ready = select.select(watched, [], [])[0]
        for pid in [pid for pid, caller in callers.items() if caller in ready]:
            os.kill(pid, signal.SIGKILL)  # whoever asked for it is gone
        if woken in ready:
            os.read(woken, 4096)
        _hand_back(callers)
        if listening in ready:
            caller, _ = listening.accept()
            _begin(caller, callers, (listening, woken, waking))


def _hand_back(callers: dict[int, socket.socket]) -> None:
    while callers:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with callers.pop(pid) as caller:
            try:
                caller.sendall(f"{status}\n".encode())
            except OSError:
                continue


def _begin(caller: socket.socket, callers: dict[int, socket.socket], own: tuple[socket.socket, int, int]) -> None:
    length, streams, _, _ = socket.recv_fds(caller, 8, 3)
    if len(streams) != 3:
        caller.close()
        return
    text = caller.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL).decode("utf-8", "surrogateescape")
    if not (pid := os.fork()):
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for open_one in (own[0].fileno(), *own[1:], caller.fileno(), *(other.fileno() for other in callers.values())):
            os.close(open_one)
        _become(streams, **json.loads(text))
    for stream in streams:
        os.close(stream)
    callers[pid] = caller
    caller.sendall(f"{pid}\n".encode())


def _become(streams: list[int], words: list[str], folder: str, variables: Mapping[str, str], umask: int) -> NoReturn:
    """In the new process: as Python starts, from its streams to its end."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = _writes(1, "strict")
    sys.stderr = _writes(2, "backslashreplace")
    os.umask(umask)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.path[:] = [*filter(None, variables.get("PYTHONPATH", "").split(os.pathsep)), *sys.path]
    code = 0
    try:
        _run(words, folder)
    except SystemExit as stop:
        if stop.code is not None and not isinstance(stop.code, int):
            print(stop.code, file=sys.stderr)
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    # To end the interpreter in full would touch each page that the fork shares.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for output in (sys.stdout, sys.stderr):
        try:
            output.flush()
        except OSError:
            code = code or 120
    os._exit(code & 0xFF)


def _run(words: list[str], folder: str) -> None:
    match words:
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            sys.path.insert(0, folder)
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            sys.path.insert(0, "")
            exec(code, {"__name__": "__main__"})
        case [script, *rest]:
            sys.argv = [script, *rest]
            sys.path.insert(0, str(Path(script).resolve().parent))
            runpy.run_path(script, run_name="__main__")


def _writes(number: int, errors: str) -> io.TextIOWrapper:
    return open(number, "w", encoding="utf-8", errors=errors, closefd=False, buffering=1 if os.isatty(number) or number == 2 else -1)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    del sys.path[0]
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from support.drawn_once import keep_drawings_in

    keep_drawings_in(Path(sys.argv[2]))
    del sys.path[0]
    _serve(sys.argv[1])
