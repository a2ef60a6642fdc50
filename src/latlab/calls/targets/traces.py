# SPDX-License-Identifier: BSD-3-Clause
"""The programs that read traces of other sources: where they are, and what they say of what they read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import DataError, UsageError
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.tools import how_to_make

TARMAC = "latlab-tarmac"
PLACES = (Path("probe"), Path("host") / "probe", Path())
HEAD = "LLTARMAC\t1"


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
    """What a reader says at its end. `cores` are names, empty where the trace has none."""

    dialect: str
    unit: str
    instructions: int
    inputs: tuple[TraceInput, ...]
    cores: tuple[str, ...]
    refused: tuple[Refused, ...]


def find_reader(name: str = TARMAC) -> Path:
    """That of a checkout's build folder, or the package's."""
    for folder in search_folders():
        for place in PLACES:
            if (path := folder / place / name).is_file():
                return path
    raise UsageError(f"{name} is in none of {', '.join(map(str, search_folders()))}; {how_to_make('probe')}")


def read_summary(text: str) -> TraceSummary:
    """Raises DataError for what is none."""
    head, *lines = text.splitlines() or [""]
    if head != HEAD:
        raise DataError(f"the trace's reader printed {head[:80]!r}, not {HEAD!r}; use the latlab that belongs to it")
    dialect, unit, instructions = "", "", 0
    inputs: list[TraceInput] = []
    cores: list[str] = []
    refused: list[Refused] = []
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
    return TraceSummary(dialect, unit, instructions, tuple(inputs), tuple(cores), tuple(refused))
