# SPDX-License-Identifier: BSD-3-Clause
"""Programs of latlab's that a command lacks, built in the checkout that it runs from."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from latlab.core.errors import LatlabError, NotBuilt, UsageError
from latlab.core.targets.process.exit_diagnostics import tool_message
from latlab.core.targets.tools import checkout, stamp

PARTS = {"spm": "spm", "sbi": "sbi", "probe": "host", "virtual": "host", "recorder": "recorder", "guest_tools": "guest"}
"""What `scripts/setup.sh` calls the tools of a target of the Makefile; all others are firmware for AArch64."""


def build_missing(missing: NotBuilt, say: Callable[[str], None]) -> None:
    """Build it; one process of a checkout builds at a time. Root gets missing tools installed, as by `make`.

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
        _make(root, missing.target)
        stamp(root, missing.target).touch()


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


def _make(root: Path, target: str) -> None:
    """A terminal sees the build's own progress. Variables of an outer make are not for this one."""
    variables = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    command = ("make", "-C", str(root), target)
    if sys.stderr is not None and sys.stderr.isatty():
        status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=variables, check=False).returncode
        reason = "the last lines above say why"
    else:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env=variables, check=False
        )
        status, reason = done.returncode, tool_message(done.stderr, done.stdout)
    if status:
        raise LatlabError(f"make {target} ended with status {status}: {reason}", f"run `make {target}` in the checkout", place=root)
