# SPDX-License-Identifier: BSD-3-Clause
"""What a run needs and whether it is here."""

from __future__ import annotations

import platform
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from latlab.core.errors import LatlabError, NotBuilt
from latlab.core.readers.event_table import event_table
from latlab.core.store.address import Place
from latlab.core.store.location import check_can_be_made, is_made, store_location
from latlab.core.store.store import open_to_read
from latlab.core.targets.building import first_run_of
from latlab.core.targets.qemu.images import FIRMWARE_ELF, PLATFORM, check_events, list_images
from latlab.core.targets.qemu.probe import find_probe
from latlab.core.targets.qemu.qemu import DETERMINISTIC_MAJOR, find_qemu
from latlab.core.targets.tools import how_to_make

PACKAGES = (
    "typer",
    "rich",
    "numpy",
    "scipy",
    "SQLAlchemy",
    "altair",
    "vl-convert-python",
    "Jinja2",
    "docutils",
    "pyelftools",
    "platformdirs",
)
OPTIONAL = (("psycopg", "a store in PostgreSQL"), ("labgrid", "boards in a labgrid place"))

BUILD_TOOLS = ("aarch64-linux-gnu-gcc", "cmake", "ninja")


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """`usable` is whether it can be used as it is; `needed` whether `latlab run psci` does not work without."""

    subject: str
    result: str
    usable: bool
    needed: bool = True


def findings(qemu: Path | None = None, store: Place | None = None) -> list[DoctorFinding]:
    """Everything, in the order in which a run needs it. Never raises for a thing that is missing."""
    return [*machine_findings(qemu), _store(store)]


def machine_findings(qemu: Path | None = None) -> list[DoctorFinding]:
    """The same without the store."""
    return [
        DoctorFinding("latlab", f"{version('latlab')}, event table {event_table().hash}", True),
        DoctorFinding("Python", platform.python_version(), True),
        *_packages(PACKAGES),
        *(_optional(name, purpose) for name, purpose in OPTIONAL),
        *_qemu(qemu),
        *(_tool(name) for name in BUILD_TOOLS),
        *_images(),
    ]


def _packages(names: Sequence[str]) -> list[DoctorFinding]:
    """One line of those that are here, and one for each that is missing."""
    installed, missing = list[str](), list[DoctorFinding]()
    for name in names:
        try:
            installed.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            command = shlex.join((sys.executable, "-m", "pip", "install", name))
            missing.append(DoctorFinding(name, f"missing; run `{command}`", False))
    return [DoctorFinding("Python packages", ", ".join(installed), True), *missing]


def _optional(name: str, purpose: str) -> DoctorFinding:
    try:
        return DoctorFinding(name, version(name), True, needed=False)
    except PackageNotFoundError:
        return DoctorFinding(name, f"not installed; only for {purpose}", False, needed=False)


def _tool(name: str) -> DoctorFinding:
    path = shutil.which(name)
    return DoctorFinding(name, path or "not installed; only to build the firmware", path is not None, needed=False)


def _qemu(path: Path | None) -> list[DoctorFinding]:
    try:
        qemu = find_qemu(path)
    except LatlabError as error:
        return [DoctorFinding("QEMU", str(error), False)]
    fair = qemu.version[0] >= DETERMINISTIC_MAJOR
    several = "usable" if fair else f"needs QEMU {DETERMINISTIC_MAJOR} or newer (Debian 12: bookworm-backports)"
    return [
        DoctorFinding("QEMU", f"{qemu} at {qemu.path}", True),
        DoctorFinding("mode deterministic, one core", "usable; counts instructions", True),
        DoctorFinding("mode deterministic, several cores", f"{several}; counts instructions, cores take turns", fair),
        DoctorFinding("mode multi-thread", "usable; a functional check, no latencies", True),
        _probe(qemu.path),
    ]


def _probe(qemu: Path) -> DoctorFinding:
    """Most verbs that watch other people's firmware need it, `latlab run psci` does not."""
    try:
        plugin = find_probe(qemu)
    except LatlabError as error:
        return DoctorFinding("probe", str(error), False, needed=False)
    return DoctorFinding("probe", f"{plugin.note or f'plugin interface {plugin.offered}'}; {plugin.path}", True, needed=False)


def _images() -> list[DoctorFinding]:
    image_findings = []
    for folder in list_images():
        try:
            check_events(folder / FIRMWARE_ELF, event_table())
            image_findings.append(DoctorFinding("images, any topology", str(folder), True, needed=False))
        except (LatlabError, OSError) as error:
            image_findings.append(DoctorFinding("images", str(error), False, needed=False))
    if any(finding.usable for finding in image_findings):
        return image_findings
    return [*image_findings, _no_image()]


def _no_image() -> DoctorFinding:
    """A checkout with a compiler builds them when a run needs them."""
    try:
        first_run = first_run_of(NotBuilt("none is usable", PLATFORM, how_to_make(PLATFORM)))
    except LatlabError as error:
        return DoctorFinding("images", str(error), False)
    return DoctorFinding("images", f"none is usable; the first run {first_run}", False, needed=False)


def _store(place: Place | None) -> DoctorFinding:
    """A look at it makes none."""
    try:
        if not is_made(place):
            check_can_be_made(place)
            return DoctorFinding("store", f"{store_location(place)}, which the first run makes", True)
        opened = open_to_read(place)
        count = opened.count()
    except LatlabError as error:
        return DoctorFinding("store", str(error), False)
    return DoctorFinding("store", f"{opened.place}, {count} run{'s' * (count != 1)}", True)
