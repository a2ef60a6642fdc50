# SPDX-License-Identifier: BSD-3-Clause
"""Programs of latlab's that a command lacks, built in the checkout that it runs from."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from latlab.core.errors import LatlabError, NotBuilt, UsageError
from latlab.core.model.work_progress import WorkState, WorkUnit, report
from latlab.core.targets.process.exit_diagnostics import tool_message
from latlab.core.targets.tools import checkout, stamp

PARTS = {"spm": "spm", "sbi": "sbi", "probe": "host", "virtual": "host", "recorder": "recorder", "guest_tools": "guest"}
"""What `scripts/setup.sh` calls the tools of a target of the Makefile; all others are firmware for AArch64."""
SHOWN_LINES = 10
"""The last lines of the log of a build that failed."""
_STEP = re.compile(rb"\[(\d+)/(\d+)\] ")
"""How Ninja begins the line of a step, if its output is no terminal."""


def build_missing(missing: NotBuilt, say: Callable[[str], None]) -> None:
    """Build it; one process of a checkout builds at a time. Root gets missing tools installed, as by `make`. The build's log is a file.

    Raises as `first_run_of` does, and LatlabError where the build fails."""
    root = _checkout_of(missing)
    if lacking := _lacking_tools(root, missing):
        if not may_install():
            raise lacking
        say(f"tools for `make {missing.target}` are missing: apt-get installs them first")
    (root / "build").mkdir(exist_ok=True)
    with (root / "build" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        say(f"{missing.sentence}; building it with `make {missing.target}`, which takes up to two minutes")
        log = root / "build" / f"{missing.target}.log"
        if status := _make(root, missing.target, log):
            raise _failed(missing.target, status, log, say)
        stamp(root, missing.target).touch()
    say(f"`make {missing.target}` is done; its log is {log.relative_to(root)}")


def first_run_of(missing: NotBuilt) -> str:
    """What the first run of a command does about it. Raises UsageError where a tool is missing that it cannot install, and `missing` itself
    where no checkout can build it."""
    root = _checkout_of(missing)
    lacking = _lacking_tools(root, missing)
    if lacking and not may_install():
        raise lacking
    return f"installs tools and builds `make {missing.target}`" if lacking else f"builds `make {missing.target}`"


def may_install() -> bool:
    """Whether a build of this account may install packages of Debian."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _checkout_of(missing: NotBuilt) -> Path:
    root = checkout()
    if root is None or not _can_make(root, missing.target):
        raise missing
    return root


def _can_make(root: Path, target: str) -> bool:
    """Whether it is a build of the programs or one of the presets: --build takes any word."""
    try:
        presets = json.loads((root / "CMakePresets.json").read_text("utf-8"))["buildPresets"]
    except (OSError, ValueError, KeyError):
        return False
    return target in PARTS or any(preset["name"] == target for preset in presets)


def _lacking_tools(root: Path, missing: NotBuilt) -> UsageError | None:
    script = root / "scripts" / "setup.sh"
    command = (str(script), "--check", PARTS.get(missing.target, "firmware"))
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return None
    return UsageError(
        f"this checkout has not built what the command needs (`make {missing.target}`), and tools for it are not installed",
        f"run `make {missing.target}`, which installs them if this account may. {done.stderr.strip()}",
    )


def _make(root: Path, target: str, log: Path) -> int:
    """The exit status. The steps of the build are reported. Variables of an outer make are not for this one."""
    variables = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    command = ("make", "-C", str(root), target)
    with (
        log.open("wb") as file,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=variables) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                file.write(line)
                if step := _STEP.match(line):
                    report(WorkState(f"make {target}", int(step[1]), int(step[2]), WorkUnit.STEPS))
        except BaseException:
            process.kill()
            raise
    return process.returncode


def _failed(target: str, status: int, log: Path, say: Callable[[str], None]) -> LatlabError:
    """The error for a build that failed, after the last lines of its log."""
    text = log.read_text("utf-8", "replace")
    for line in text.splitlines()[-SHOWN_LINES:]:
        say(line)
    sentence = f"make {target} ended with status {status}: {tool_message('', text)}"
    return LatlabError(sentence, f"run `make {target}` in the checkout", place=log)
