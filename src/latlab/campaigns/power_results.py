# SPDX-License-Identifier: BSD-3-Clause
"""A run of power boundaries, read back from its raw files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from latlab.analysis.wakeups.power_cycles import PowerBoundary, passages
from latlab.campaigns.rt_results import power_records
from latlab.formats.dump.el3_records import info_of

DEFAULT_HZ = 62_500_000


@dataclass(frozen=True, slots=True)
class BoundaryTimes:
    """How long the firmware took each time at one boundary by one CPU."""

    boundary: PowerBoundary
    cpu: int
    ns: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PowerResult:
    """`remarks` are what the job counted, as it said it."""

    times: tuple[BoundaryTimes, ...]
    remarks: tuple[str, ...]


def power_result(files: Mapping[str, bytes]) -> PowerResult:
    """Raises DataError where no ring of the firmware came back."""
    records = power_records(files)
    info = info_of(files.get("el3-info.txt", b"").decode("ascii", "replace"))
    ns_of_a_tick = 1e9 / (info[1] if info else DEFAULT_HZ)
    groups: dict[tuple[PowerBoundary, int], list[float]] = {}
    for one in passages(records.cpus, records.traces):
        groups.setdefault((one.boundary, one.cpu), []).append(one.ticks * ns_of_a_tick)
    ordered = sorted(groups.items(), key=lambda pair: (pair[0][0].value, pair[0][1]))
    said = files.get("job.log", b"").decode("utf-8", "replace").splitlines()
    return PowerResult(
        tuple(BoundaryTimes(boundary, cpu, tuple(ns)) for (boundary, cpu), ns in ordered),
        tuple(line for line in said if "=" in line),
    )
