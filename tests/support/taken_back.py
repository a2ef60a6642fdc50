# SPDX-License-Identifier: BSD-3-Clause
"""The firmware built from a copy of the checkout in which one line is another: a mend taken back."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "cmake", "firmware", "guest", "probe", "scripts", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Mend:
    """The controller that it belongs to, the file below firmware/el3, what stands there, what stood in its place."""

    gic: int
    file: str
    now: str
    then: str


LATE_WAKE_V2 = Mend(2, "arch/aarch64/gic_v2.c", "#define PRIORITY_NEVER 0xFFU", "#define PRIORITY_NEVER 0x00U")
NOT_FORGOTTEN = Mend(3, "platform/common/parking.c", "        gic->forget_wakes(core);\n", "")


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the checkout, what stands there once, and what a copy has in its place."""

    file: str
    now: str
    then: str


def changed_checkout(change: Change, folder: Path) -> None:
    """What the firmware is built from, in `folder`, with the change."""
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    changed = folder / change.file
    text = changed.read_text()
    assert text.count(change.now) == 1
    changed.write_text(text.replace(change.now, change.then))


def built_without(mend: Mend, preset: str, folder: Path) -> Path:
    """The folder of the images."""
    changed_checkout(Change(f"firmware/el3/{mend.file}", mend.now, mend.then), folder)
    for step in (("--preset", preset), ("--build", "--preset", preset, "--target", "firmware")):
        subprocess.run(("cmake", *step), cwd=folder, check=True, capture_output=True)
    return folder / "build" / preset
