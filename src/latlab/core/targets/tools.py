# SPDX-License-Identifier: BSD-3-Clause
"""Programs of this machine that a target needs, run to their end."""

from __future__ import annotations

import platform
import subprocess
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from latlab.core.errors import LatlabError, NotBuilt, UsageError
from latlab.core.model.work_progress import WorkState, report
from latlab.core.targets.process.exit_diagnostics import tool_message

TIMEOUT_S = 900
LOOK_EVERY_S = 0.2
MOST_ERRORS_BYTES = 1 << 20
SOURCES = {"spm": ("firmware/spm", "firmware/trace"), "probe": ("probe",), "sbi": ("probe/programs",)}
FIRMWARE_SOURCES = ("firmware/el3", "firmware/trace")
SUFFIXES = frozenset({".S", ".c", ".cmake", ".h", ".in", ".inc", ".json", ".ld", ".toml", ".txt"})
UNBUILT = frozenset({"experiments", "tests"})
"""Folders whose files are no part of an image."""


def checkout() -> Path | None:
    """The source tree that this latlab runs from, if it does."""
    root = Path(str(resources.files("latlab"))).parents[1]
    return root if (root / "pyproject.toml").is_file() else None


def how_to_make(target: str) -> str:
    """What to do about a program of latlab's that is missing, where the person stands. `target` is the Makefile's."""
    if checkout():
        return f"build it with `make {target}`"
    return f"this latlab was installed without it: install the wheel of a release for {platform.machine()}, which carries it"


def not_built(sentence: str, target: str, otherwise: str = "") -> NotBuilt:
    """The error for a program of latlab's that is missing. `target` is the Makefile's; `otherwise` names another way, such as an option."""
    return NotBuilt(sentence, target, how_to_make(target) + otherwise)


def refuse_stale(program: Path, target: str) -> None:
    """Raises NotBuilt where a program in the build folder of a checkout is older than one of its sources: it would be measured in place of
    what the sources say. What `build_missing` looked at since is no older."""
    root = checkout()
    if root is None or not program.is_relative_to(root / "build"):
        return
    built_s = max(path.stat().st_mtime for path in (program, stamp(root, target)) if path.exists())
    for folder in SOURCES.get(target, FIRMWARE_SOURCES):
        for path in (root / folder).rglob("*"):
            source = path.relative_to(root)
            if path.suffix in SUFFIXES and not UNBUILT & set(source.parts) and path.stat().st_mtime > built_s:
                raise not_built(f"{program.relative_to(root)} is older than {source}", target)


def stamp(root: Path, target: str) -> Path:
    """The file whose date is that of the last build which a command asked for."""
    return root / "build" / f".{target}.built"


def run(command: Sequence[str], cwd: Path | None = None) -> str:
    """Run a tool to its end; a failure is one sentence with the tool's own reason."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    except FileNotFoundError as error:
        raise UsageError(f"{command[0]} does not exist", "install it, or give its folder to PATH") from error
    except subprocess.TimeoutExpired as error:
        raise LatlabError(f"{command[0]} has not ended in {TIMEOUT_S} s", "check the network and run it again") from error
    if done.returncode != 0:
        raise LatlabError(f"{command[0]} ended with status {done.returncode}: {tool_message(done.stderr, done.stdout)}")
    return done.stdout


def run_into(output: Path, command: Sequence[str], work: str) -> None:
    """Run a tool whose output is long into a file, and report how much of it there is. Errors as of `run`."""
    began = time.monotonic()
    errors_of = output.with_suffix(".stderr")
    with output.open("wb") as file, errors_of.open("wb") as errors:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=errors)
        except FileNotFoundError as error:
            raise UsageError(f"{command[0]} does not exist", "install it, or give its folder to PATH") from error
        with process:
            try:
                while (status := _status_within(process, LOOK_EVERY_S)) is None:
                    report(WorkState(work, output.stat().st_size))
                    if time.monotonic() - began > TIMEOUT_S:
                        raise LatlabError(f"{command[0]} has not ended in {TIMEOUT_S} s", "give it a smaller file")
            finally:
                process.kill()
    size = output.stat().st_size
    report(WorkState(work, size, size))
    if status != 0:
        raise LatlabError(f"{command[0]} ended with status {status}: {tool_message(_head(errors_of), _head(output))}")


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MOST_ERRORS_BYTES).decode("utf-8", "replace")


def _status_within(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
