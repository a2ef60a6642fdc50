# SPDX-License-Identifier: BSD-3-Clause
"""The programs that read traces of other sources: where they are, and what they say of what they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import DataError, UsageError
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.tools import not_built, refuse_stale

TARMAC = "latlab-tarmac"
CORESIGHT = "latlab-coresight"
OPENCSD = "libopencsd-dev"
PLACES = (Path("probe"), Path("host") / "probe", Path())
PLACE_UNITS = {"LLTARMAC\t1": "line", "LLCORESIGHT\t1": "byte"}


@dataclass(frozen=True, slots=True)
class TraceInput:
    """One trace as it was read. `is_cut`: its last line had no end, or more could not be read; `error` says why."""

    lines: int
    bytes: int
    is_cut: bool
    error: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Lines that are not counted, all for one reason: how many, and the first with its input."""

    count: int
    input: int
    line: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """What a reader says at its end. `cores` are names, empty where the trace has none. `place_unit` is what it counts its input in,
    `problems` are sentences on what it could not read."""

    dialect: str
    unit: str
    instructions: int
    inputs: tuple[TraceInput, ...]
    cores: tuple[str, ...]
    refused: tuple[Refused, ...]
    place_unit: str = "line"
    problems: tuple[str, ...] = ()


def find_reader(name: str = TARMAC) -> Path:
    """That of a checkout's build folder, or the package's."""
    for folder in search_folders():
        for place in PLACES:
            if (path := folder / place / name).is_file():
                refuse_stale(path, "probe")
                return path
    # No wheel carries the reader of CoreSight, because its decoder is a library of the machine.
    missing = f"{name} is in none of {', '.join(map(str, search_folders()))}"
    if name == CORESIGHT:
        raise UsageError(missing, f"install OpenCSD ({OPENCSD} on Debian), then build it in a checkout with `make probe`")
    raise not_built(missing, "probe")


def why_not_started(reader: Path, errors: str) -> str:
    """For a reader that lacks a library of the machine that built it."""
    missing = next((word.rstrip(":") for word in errors.split() if ".so" in word), "a library")
    return f"{reader} does not start: {missing} is missing; install the package with it ({OPENCSD} on Debian), or build it again"


def is_snapshot(path: Path) -> bool:
    """Whether it is a snapshot folder of CoreSight trace."""
    return (path / "snapshot.ini").is_file()


def reader_for(traces: Sequence[Path]) -> Path:
    """Raises UsageError for traces of two sources, and for a reader that was not built."""
    snapshots = [is_snapshot(trace) for trace in traces]
    if any(snapshots) and not all(snapshots):
        raise UsageError(f"{traces[snapshots.index(False)]} is no snapshot folder, as the others are", "import them by two commands")
    return find_reader(CORESIGHT if any(snapshots) else TARMAC)


def read_summary(text: str) -> TraceSummary:
    """Raises DataError for what is none."""
    head, *lines = text.splitlines() or [""]
    if head not in PLACE_UNITS:
        expected = " or ".join(map(repr, PLACE_UNITS))
        raise DataError(f"the trace's reader printed {head[:80]!r}, not {expected}", "use the latlab that belongs to it", value=head[:80])
    dialect, unit, instructions = "", "", 0
    inputs: list[TraceInput] = []
    cores: list[str] = []
    refused: list[Refused] = []
    problems: list[str] = []
    for line in lines:
        kind, *fields = line.split("\t")
        match kind:
            case "dialect":
                dialect, unit = fields
            case "instructions":
                instructions = int(fields[0])
            case "input":
                inputs.append(TraceInput(int(fields[0]), int(fields[1]), fields[2] == "1", fields[3]))
            case "core":
                cores.append(fields[1])
            case "refused":
                refused.append(Refused(int(fields[0]), int(fields[1]), int(fields[2]), fields[3], fields[4]))
            case "problem":
                problems.append(fields[0])
    return TraceSummary(dialect, unit, instructions, tuple(inputs), tuple(cores), tuple(refused), PLACE_UNITS[head], tuple(problems))
