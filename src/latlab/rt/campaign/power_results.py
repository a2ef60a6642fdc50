# SPDX-License-Identifier: BSD-3-Clause
"""A run of power cycles, read back from its raw files: by what Linux was asked, and by the firmware's rings if it has some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from latlab.core.errors import DataError
from latlab.core.model.run import Run
from latlab.core.readers.event_table import event_table
from latlab.rt.analysis.power_cycles import PowerBoundary, StepTimes, awake_suspends, findings, passages, times_of
from latlab.rt.campaign.results import IMPORT_LOG, kernel_warnings
from latlab.rt.model.power_steps import PowerStep
from latlab.rt.readers.el3_records import El3Records, info_of, merged, read_records
from latlab.rt.readers.kernel_power import power_text, read_power_log, slowest_devices
from latlab.rt.readers.lost_cpu import lost_cpus
from latlab.rt.readers.power_steps import last_on_console, read_steps
from latlab.rt.targets.power_job import AGAIN, REFUSED, RINGS, STEPS

CAMPAIGN = "rt-power"
DEFAULT_HZ = 62_500_000
DONE = b"<LLG1:DONE"


@dataclass(frozen=True, slots=True)
class BoundaryTimes:
    """How long the firmware took each time at one boundary by one CPU."""

    boundary: PowerBoundary
    cpu: int
    ns: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PowerResult:
    """`steps` are by Linux's clock, `times` by the firmware's trace, empty if it has none. `remarks` are what the job counted."""

    steps: tuple[StepTimes, ...]
    times: tuple[BoundaryTimes, ...]
    remarks: tuple[str, ...]


def power_result(files: Mapping[str, bytes]) -> PowerResult:
    """Raises DataError if neither a step nor a ring of the firmware came back."""
    steps = _steps(files)
    log_lines = files.get("job.log", b"").decode("utf-8", "replace").splitlines()
    remarks = tuple(line for line in log_lines if "=" in line)
    if IMPORT_LOG in files:
        return PowerResult(times_of(steps), (), slowest_devices(power_text(files[IMPORT_LOG])))
    return PowerResult(times_of(steps), _by_firmware(files) if RINGS in files or not steps else (), (*remarks, *awake_suspends(steps)))


def power_records(files: Mapping[str, bytes]) -> El3Records:
    """The rings of a power run, put together from its reads."""
    text = files.get(RINGS, b"").decode("ascii", "replace")
    reads = [read_records(part, event_table(), RINGS) for part in text.split("read\n") if part.strip()]
    if not reads:
        raise DataError(
            "no power-state change and no trace buffer of the firmware came back; the job's log has the reason (`latlab show "
            "--log job.log`)"
        )
    return merged(reads)


def problems_of(run: Run, files: Mapping[str, bytes]) -> list[str]:
    """CPUs that were lost first, then what else the kernel warned of, then passages that the rings lack although the steps happened."""
    if IMPORT_LOG in files:
        return _problems_of_log(power_text(files[IMPORT_LOG]), run.conditions.suspends or 0)
    refused = [line for line in files.get(REFUSED, b"").decode("utf-8", "replace").splitlines() if line]
    if refused and STEPS not in files and RINGS not in files:
        return refused
    log = files.get("kernel.log", b"")
    lost = lost_cpus(log.decode("utf-8", "replace").partition(AGAIN)[0])
    steps, cycles, suspends = _steps(files), run.conditions.hotplug_cycles or 0, run.conditions.suspends or 0
    sentences = list(findings(steps, lost, cycles, suspends)) if STEPS in files else _ended_in(files)
    sentences += kernel_warnings(log)
    return [*sentences, *refused, *_ring_problems(files, cycles, suspends)]


def _problems_of_log(text: str, suspends: int) -> list[str]:
    """Of a kernel's log that was imported: CPUs that were lost, suspends that failed or do not end, and what else it warned of."""
    lost = [lost_cpu.sentence for lost_cpu in lost_cpus(text)]
    return [*lost, *findings(read_power_log(text), (), 0, suspends), *kernel_warnings(text.encode())]


def _ring_problems(files: Mapping[str, bytes], cycles: int, suspends: int) -> list[str]:
    """A run without a ring has its steps; without steps it has nothing."""
    if RINGS not in files and STEPS in files:
        return []
    records = power_records(files)
    counts = Counter(passage.boundary for passage in passages(records.cpus, records.traces))
    short = [
        f"{boundary}: {counts[boundary]} in the trace buffers, {count} or more were due"
        for boundary, count in ((PowerBoundary.OFF, cycles), (PowerBoundary.ON, cycles), (PowerBoundary.RESUME, suspends))
        if counts[boundary] < count
    ]
    return [*short, *(problem.message for problem in records.problems)]


def _ended_in(files: Mapping[str, bytes]) -> list[str]:
    """Of a guest that did not come to its end: the step that its console announced last."""
    console = files.get("console", b"")
    last = last_on_console(console)
    if last is None or DONE in console:
        return []
    whom = "" if last.cpu is None else f" of CPU {last.cpu}"
    return [f"the last change that began is {last.kind}{whom}"]


def _steps(files: Mapping[str, bytes]) -> tuple[PowerStep, ...]:
    if IMPORT_LOG in files:
        return read_power_log(power_text(files[IMPORT_LOG]))
    return read_steps(files[STEPS], STEPS) if STEPS in files else ()


def _by_firmware(files: Mapping[str, bytes]) -> tuple[BoundaryTimes, ...]:
    records = power_records(files)
    info = info_of(files.get("el3-info.txt", b"").decode("ascii", "replace"))
    ns_of_a_tick = 1e9 / (info[1] if info else DEFAULT_HZ)
    groups: dict[tuple[PowerBoundary, int], list[float]] = {}
    for passage in passages(records.cpus, records.traces):
        groups.setdefault((passage.boundary, passage.cpu), []).append(passage.ticks * ns_of_a_tick)
    ordered = sorted(groups.items(), key=lambda pair: (pair[0][0].value, pair[0][1]))
    return tuple(BoundaryTimes(boundary, cpu, tuple(ns)) for (boundary, cpu), ns in ordered)
