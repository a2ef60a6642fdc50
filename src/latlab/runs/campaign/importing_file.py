# SPDX-License-Identifier: BSD-3-Clause
"""Any file that can become a run: a console log, the output of another tool, or an export of latlab. Its contents decide which.

Wake-ups and stalls of another tool become a run of the rt campaign, amounts one of a benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.benchmarks.model import Stated
from latlab.core.errors import DataError, UsageError
from latlab.core.kinds.file_format import FileFormat
from latlab.core.kinds.registry import file_formats
from latlab.core.lifecycle.exported import import_export, is_export
from latlab.core.lifecycle.life import run_lifecycle
from latlab.core.model.conditions import NO_CONDITIONS, Conditions, Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import UNNAMED, Build, Topology
from latlab.core.shown import significant
from latlab.core.store import run_json
from latlab.core.store.reading import read_file
from latlab.core.store.references import is_document, load, references_in
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.psci.campaign.recording import Recorded
from latlab.rt.campaign import power_results
from latlab.rt.campaign.results import CAMPAIGN, IMPORT_LOG, TOOL_LOG, conclude, keep, new_run
from latlab.rt.campaign.thread_results import thread_results
from latlab.rt.campaign.workloads import seconds_of
from latlab.rt.model.power_steps import PowerCycles, StepKind
from latlab.rt.model.thread_trace import ThreadSelection
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.kernel_power import is_power_log, power_text, read_power_log
from latlab.rt.readers.measured import holds_amounts, known_names, proven_tools, quoted, read_wakeups, unproven
from latlab.rt.readers.thread_selection import THREADS, written_selection
from latlab.rt.targets.trace_dat import printed, trace_file_of
from latlab.runs.campaign.importing_amounts import import_amounts
from latlab.runs.campaign.importing_log import CONSOLE_MARKS, import_log, is_console_log

CONSOLE = "console"
"""The name by which --as means a console log."""
OF_CONSOLE = ("topology", "clock", "core_mhz")
OF_MEASURED = ("duration", "interval", "unit", "column")
OF_ALL = ("platform", "firmware")

LONGEST_INTERVAL_US = 3_600_000_000


@dataclass(frozen=True, slots=True)
class StatedOptions:
    """What a user says of a file; None is what the user leaves open. `tool` is the one that wrote it, `threads` are those of a trace."""

    tool: str | None = None
    unit: str | None = None
    column: tuple[str, ...] | None = None
    topology: Topology | None = None
    clock: Clock | None = None
    core_mhz: float | None = None
    duration: str | None = None
    interval: int | None = None
    platform: str | None = None
    firmware: str | None = None
    threads: ThreadSelection | None = None


def import_file(store: Store, data: bytes, name: str, stated: StatedOptions) -> Recorded | str:
    """The run: as it was recorded from a console log, else its id. Raises DataError with one sentence for a file that is none of these or
    several, UsageError for what is said of it and has no effect."""
    if stated.threads is not None:
        _refuse(stated, ("tool", *OF_CONSOLE, *OF_MEASURED), f"{name} is read as a trace of threads, which states it")
        return import_threads(store, data, name, stated)
    if is_export(data):
        _refuse(stated, ("tool", *OF_CONSOLE, *OF_MEASURED, *OF_ALL), f"{name} is an export of latlab, which states it")
        return import_export(store, data, name)
    if file_format := _of_package(data, stated.tool):
        _refuse(stated, (*OF_CONSOLE, *OF_MEASURED), f"{name} is of {file_format.name}, whose files state it")
        return _import_of_package(store, file_format, data, name, stated)
    if stated.tool is None and not proven_tools(data) and is_power_log(power_text(data)):
        _refuse(stated, (*OF_CONSOLE, *OF_MEASURED), f"{name} is a kernel's log of a suspend, which states it")
        return import_power_log(store, data, name, stated)
    if _is_console(data, name, stated.tool):
        _refuse(stated, OF_MEASURED, f"{name} is a console log, in which nothing was due")
        return import_log(store, data, name, stated.topology, stated.clock, stated.platform, stated.firmware, stated.core_mhz)
    _refuse(stated, OF_CONSOLE, f"{name} is no console log")
    common_options = (stated.platform or UNNAMED, stated.duration, stated.interval, stated.firmware or "unknown")
    return import_measured(store, data, name, *common_options, Stated(stated.tool or "", stated.unit or "", stated.column or ()).text)


def import_reference(store: Store, reference: str, stated: StatedOptions) -> list[Recorded | str]:
    """The run of a file, or one of each release of a document."""
    if not is_document(reference):
        path = Path(reference)
        return [import_file(store, read_file(path), path.name, stated)]
    _refuse(stated, ("tool", "column", "duration", "interval", *OF_CONSOLE, *OF_ALL), f"{reference} is a document, which states it")
    runs = [load(release, stated.unit or "") for release in references_in(reference)]
    return [import_export(store, run_json.render(run).encode(), run.id) for run in runs]


def _of_package(data: bytes, tool: str | None) -> FileFormat | None:
    """The format of an installed package: the one that the user names, or one that knows the file if latlab does not."""
    if tool is not None:
        is_known = tool == CONSOLE or tool in known_names()
        return None if is_known else next((file_format for file_format in file_formats() if file_format.name == tool), None)
    if proven_tools(data) or any(mark in data for mark in CONSOLE_MARKS):
        return None
    return next((file_format for file_format in file_formats() if file_format.knows(data)), None)


def _import_of_package(store: Store, file_format: FileFormat, data: bytes, name: str, stated: StatedOptions) -> str:
    file = file_format.read(data, name)
    run = replace(file.run, target="import", source=name, platform=stated.platform or file.run.platform, started_utc=now_utc())
    if stated.firmware:
        run = replace(run, build=replace(run.build, firmware=stated.firmware))
    with run_lifecycle(store, run) as run_id:
        store.add(run_id, problems=run.problems, logs=file.logs)
        store.finish(run_id, RunStatus.PARTIAL if run.problems else RunStatus.COMPLETE)
    return run_id


def _is_console(data: bytes, name: str, tool: str | None) -> bool:
    if tool == CONSOLE:
        return True
    if tool is not None:
        if tool not in known_names():
            raise UsageError(f"--as {tool!r} is an unknown tool", f"use {', '.join((CONSOLE, *known_names()))}", value=tool)
        return False
    tools = proven_tools(data)
    has_marks = any(mark in data for mark in CONSOLE_MARKS)
    if tools and has_marks:
        raise DataError(
            f"it holds lines of latlab or of RT_INSTR and the output of {tools[0]}. Put each into a file of its own, "
            f"or import one of them with --as {CONSOLE} or --as {quoted(tools[0])}",
            place=name,
        )
    if not tools and not has_marks and not is_console_log(data, name):
        raise unproven(data, name)
    return not tools


def _refuse(stated: StatedOptions, names: Iterable[str], why: str) -> None:
    for name in names:
        if getattr(stated, name) is not None:
            option = "as" if name == "tool" else name.replace("_", "-")
            raise UsageError(str(why), f"leave out --{option}")


def import_measured(
    store: Store,
    data: bytes,
    name: str,
    platform: str,
    duration: str | None,
    interval_us: int | None,
    firmware: str = "unknown",
    tool: str = "",
) -> str:
    """The run's id, whichever kind of run the file makes. `tool` is the text of what the user says of it; empty where the file says it."""
    data = _as_text(data, name)
    if holds_amounts(data, name, tool):
        return import_amounts(store, data, name, platform, duration, interval_us, firmware, tool)
    return import_wakeups(store, data, name, platform, duration, interval_us, firmware, tool)


def _as_text(data: bytes, name: str) -> bytes:
    """The file, or what its program prints of it."""
    trace_file = trace_file_of(data)
    return data if trace_file is None else printed(data, name, trace_file)


def import_power_log(store: Store, data: bytes, name: str, stated: StatedOptions) -> str:
    """The run's id: the phases of each suspend in a kernel's log."""
    steps = read_power_log(power_text(data))
    cpus = 1 + max((step.cpu for step in steps if step.cpu is not None), default=0)
    conditions = Conditions(suspends=sum(step.kind is StepKind.SUSPEND for step in steps))
    build = Build(stated.firmware or "unknown")
    run = new_run(power_results.CAMPAIGN, "import", stated.platform or UNNAMED, cpus, conditions, source=name, build=build)
    with run_lifecycle(store, replace(run, contents=PowerCycles())) as run_id:
        conclude(store, run_id, replace(run, contents=PowerCycles()), {IMPORT_LOG: data}, (), power_results.problems_of)
    return run_id


def import_threads(store: Store, data: bytes, name: str, stated: StatedOptions) -> str:
    """The run's id. Its results are those of the threads that the user names."""
    selection = stated.threads or ThreadSelection()
    files = {IMPORT_LOG: _as_text(data, name), THREADS: written_selection(selection)}
    results = thread_results(files, IMPORT_LOG, name)
    cpus = 1 + max((cpu.number for _, result in results for wakeups in result.wakeups for cpu in wakeups.cpus), default=0)
    conditions = Conditions(mode=Mode.REAL) if selection.is_bare_metal else NO_CONDITIONS
    build = Build(stated.firmware or "unknown")
    run = new_run(CAMPAIGN, "import", stated.platform or UNNAMED, cpus, conditions, source=name, build=build)
    return keep(store, run, files, ())


def import_wakeups(
    store: Store,
    data: bytes,
    name: str,
    platform: str,
    duration: str | None,
    interval_us: int | None,
    firmware: str = "unknown",
    tool: str = "",
) -> str:
    """The run's id. `duration` and `interval_us` say what was due, where both are known."""
    if (duration is None) != (interval_us is None):
        raise UsageError("--duration and --interval belong together: the number of due wake-ups is duration / interval")
    if interval_us is not None and not 1 <= interval_us <= LONGEST_INTERVAL_US:
        raise UsageError(
            f"--interval {interval_us} is no time between two wake-ups", f"use 1 to {LONGEST_INTERVAL_US} microseconds", value=interval_us
        )
    wakeups = read_wakeups(data, name, tool)
    conditions = NO_CONDITIONS
    if duration is not None and interval_us is not None:
        _check_schedule(wakeups, name, duration, interval_us)
        conditions = Conditions(duration_s=seconds_of(duration), interval_ns=interval_us * 1000)
    conditions = replace(conditions.completed(wakeups.conditions), tool=wakeups.tool)
    run = new_run(CAMPAIGN, "import", platform, max(cpu.number for cpu in wakeups.cpus) + 1, conditions, source=name, build=Build(firmware))
    files = {IMPORT_LOG: data, TOOL_LOG: tool.encode()} if tool else {IMPORT_LOG: data}
    return keep(store, run, files, ())


def _check_schedule(wakeups: Wakeups, name: str, duration: str, interval_us: int) -> None:
    """Raises UsageError where the file says another schedule: what is said twice must be the same."""
    if wakeups.tool == "recorder":
        raise UsageError(f"{name} is of the recorder, which states the due wake-ups", "leave out --duration and --interval")
    interval_ns = wakeups.conditions.interval_ns or wakeups.interval_ns
    if interval_ns is not None and interval_ns != interval_us * 1000:
        raise UsageError(
            f"--interval {interval_us} contradicts {name}, which says {significant(interval_ns / 1000)} µs",
            "give --interval as there",
            value=interval_us,
        )
    duration_s = wakeups.conditions.duration_s
    if duration_s is not None and duration_s != seconds_of(duration):
        raise UsageError(
            f"--duration {duration} contradicts {name}, which says {significant(duration_s)} s", "give --duration as there", value=duration
        )
