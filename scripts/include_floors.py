# SPDX-License-Identifier: BSD-3-Clause
"""Refuses circles of C headers or units, includes that go up: `python scripts/include_floors.py [TREE]`, a line for each, status 1."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

FOLDERS = ("firmware", "guest", "probe")
SOURCES = (".c", ".h", ".S")
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
# What each floor may include beside itself. A header that each architecture or platform has its own of belongs to the floor that asks
# for it, and counts as that of the nearest folder.
FLOORS: Mapping[str, tuple[str, ...]] = {
    "firmware/trace": ("firmware/spm/arch",),
    "firmware/el3/calls": (),
    "firmware/el3/psci": ("firmware/trace", "firmware/el3/calls", "firmware/el3/arch"),
    "firmware/el3/monitor": ("firmware/trace", "firmware/el3/calls", "firmware/el3/psci"),
    "firmware/el3/arch": ("firmware/trace", "firmware/el3/psci", "firmware/el3/monitor"),
    "firmware/el3/programs": ("firmware/trace", "firmware/el3/calls", "firmware/el3/platform"),  # probes of one platform: its memory map
    "firmware/spm/include": ("firmware/spm/tests",),  # framework_feature.h, which a build makes and the tests have their own of
    "firmware/spm/profiler": ("firmware/trace", "firmware/spm/include"),
    "firmware/spm/core": ("firmware/trace", "firmware/spm/include", "firmware/spm/arch"),
    "firmware/spm/backend": ("firmware/trace", "firmware/spm/include", "firmware/spm/core"),
    "firmware/spm/ns_interface": ("firmware/spm/include",),
    "probe/programs": ("firmware/trace", "firmware/el3/calls", "firmware/el3/programs"),
    "probe": (),
}
# Sources that are built in another folder, which has their headers.
BUILT_IN = {"psci_calls": Path("firmware/el3/programs"), "smc_calls": Path("firmware/el3/programs")}
_Includes = Mapping[Path, Mapping[Path, int]]


def includes_of(tree: Path) -> _Includes:
    """For each source the files that it includes, with the line."""
    files = [path for folder in FOLDERS for path in sorted((tree / folder).rglob("*")) if path.suffix in SOURCES]
    named: dict[str, list[Path]] = {}
    for path in files:
        named.setdefault(path.name, []).append(path)
    return {path: dict(_found(path, named, _built_as(path.relative_to(tree), tree))) for path in files}


def _built_as(path: Path, tree: Path) -> Path:
    """Where the compiler looks for the headers of a source."""
    folder = path.parts[2] if path.parts[:2] == ("probe", "programs") else ""
    return tree / BUILT_IN[folder] / folder / path.name if folder in BUILT_IN else tree / path


def _found(path: Path, named: Mapping[str, list[Path]], built_as: Path) -> Iterator[tuple[Path, int]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            parts = tuple(part for part in Path(include[1]).parts if part not in ("..", "."))
            same = [other for other in named.get(parts[-1], ()) if other.parts[-len(parts) :] == parts]
            if same:
                beside = [other for other in same if other.parent == path.parent]
                yield min(beside or same, key=lambda other: _distance(built_as, other)), number


def _distance(one: Path, other: Path) -> tuple[int, Path]:
    common = sum(1 for _ in _common(one, other))
    return len(one.parts) + len(other.parts) - 2 * common, other


def _common(one: Path, other: Path) -> Iterator[str]:
    for a, b in zip(one.parts, other.parts, strict=False):
        if a != b:
            return
        yield a


def circles(includes: _Includes, tree: Path) -> Iterator[str]:
    """One circle of headers, where there is any; without it the next shows."""
    try:
        TopologicalSorter({path: set(found) - {path} for path, found in includes.items()}).prepare()
    except CycleError as error:
        *round_trip, _ = reversed(error.args[1])
        path, other = round_trip[0], round_trip[1 % len(round_trip)]
        names = " -> ".join(str(each.relative_to(tree)) for each in (*round_trip, round_trip[0]))
        yield f"{path.relative_to(tree)}:{includes[path].get(other, 1)}: these headers include each other: {names}"


def unit_circles(includes: _Includes, tree: Path) -> Iterator[str]:
    """A unit is a source with its header. One circle of them, where there is any."""
    units: dict[Path, set[Path]] = {}
    for path, found in includes.items():
        units.setdefault(path.with_suffix(""), set()).update(other.with_suffix("") for other in found)
    try:
        TopologicalSorter({unit: found - {unit} for unit, found in units.items()}).prepare()
    except CycleError as error:
        *round_trip, _ = reversed(error.args[1])
        names = " -> ".join(str(each.relative_to(tree)) for each in (*round_trip, round_trip[0]))
        after = round_trip[1 % len(round_trip)]
        path, number = next(_includers(includes, round_trip[0], after))
        yield f"{path.relative_to(tree)}:{number}: these units need each other: {names}"


def _includers(includes: _Includes, unit: Path, other: Path) -> Iterator[tuple[Path, int]]:
    for path, found in includes.items():
        if path.with_suffix("") == unit:
            yield from ((path, number) for included, number in found.items() if included.with_suffix("") == other)


def upward(includes: _Includes, tree: Path) -> Iterator[str]:
    for path, found in includes.items():
        floor = _floor(path.relative_to(tree))
        if floor not in FLOORS:
            continue
        for other, number in found.items():
            below = _floor(other.relative_to(tree))
            if below != floor and below not in FLOORS[floor]:
                fault = f"{floor} may not include {other.relative_to(tree)}, which lies above it"
                yield f"{path.relative_to(tree)}:{number}: {fault}; move what both need down, or hand it down in a table of functions"


def _floor(path: Path) -> str:
    depth = {"firmware": 2 if path.parts[1] == "trace" else 3, "probe": 2 if path.parts[1] == "programs" else 1}.get(path.parts[0], 1)
    return "/".join(path.parts[:depth])


def faults(tree: Path) -> list[str]:
    includes = includes_of(tree)
    return [*(list(circles(includes, tree)) or unit_circles(includes, tree)), *upward(includes, tree)]


if __name__ == "__main__":
    found = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    sys.stderr.writelines(f"{fault}\n" for fault in found)
    sys.exit(1 if found else 0)
