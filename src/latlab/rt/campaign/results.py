# SPDX-License-Identifier: BSD-3-Clause
"""The rt campaign: measure wake-ups on a target, keep every raw file, and make results of the files, or of an export, again later."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from latlab.core.errors import DataError, LatlabError
from latlab.core.lifecycle.exported import with_export
from latlab.core.lifecycle.life import finish, run_lifecycle
from latlab.core.lifecycle.material import EXPORT_LOG
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.distributions import Distribution, LoadWork, WakeupCounts, distributions_of
from latlab.core.model.enums import Clock, RowKind, RunStatus
from latlab.core.model.run import CoreId, Problem, Run, Tick, Topology
from latlab.core.readers.event_table import event_table
from latlab.core.shown import significant
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.rt.analysis.attribution import Attributed, Exposure, attribute, exposure, with_parts
from latlab.rt.analysis.instruments import beside
from latlab.rt.analysis.lateness_parts import calibrations
from latlab.rt.analysis.namings import namings
from latlab.rt.analysis.outside_totals import is_alone, unknown_sentences
from latlab.rt.analysis.periodicity import Period, find_period
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.steal_coverage import coverage_sentences, unread_events
from latlab.rt.analysis.wakeup import disagreement, silence, with_schedule
from latlab.rt.campaign.thread_results import live_results, thread_results
from latlab.rt.model.kernel_events import KernelEvents
from latlab.rt.model.outside_counts import OutsideCounts
from latlab.rt.model.timerlat import TimerlatRuns
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.model.worlds import GuestWorlds
from latlab.rt.readers.advice import all_advice
from latlab.rt.readers.el3_records import El3Records, info_of, read_all
from latlab.rt.readers.ftrace import read_spans
from latlab.rt.readers.guest_worlds import WORLDS_LOG, read_worlds
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.live_trace import is_live
from latlab.rt.readers.load_work import read_load_work
from latlab.rt.readers.measured import read_wakeups
from latlab.rt.readers.outside_counts import read_outside_counts
from latlab.rt.readers.thread_cpus import THREAD_CPUS, read_thread_cpus
from latlab.rt.readers.thread_selection import THREADS
from latlab.rt.readers.timerlat_runs import read_timerlat_runs
from latlab.rt.targets.machine_facts import machine_facts
from latlab.rt.targets.machine_inventory import COLLECTED, HEAT, read_collected
from latlab.rt.targets.preemption import ADVICE, NOT_PREEMPTIBLE
from latlab.rt.targets.rt_job import BESIDE, KERNEL_EVENTS, LOAD_WORK, OUTSIDE_COUNTS, Workload
from latlab.rt.targets.timerlat_job import TIMERLAT_LOG

CAMPAIGN = "rt"
IMPORT_LOG = "imported"
OWN_CYCLICTEST = "cyclictest.txt"
TOOL_LOG = "imported-as"
"""The tool that wrote the imported file, where the user said it."""
CPU_TIME_LOG = "cpu-time.txt"
KERNEL_PROBES = ("crng_reseed", "hwrng")
KERNEL_WARNINGS = ("WARNING:", "BUG:", "Oops", "rcu: INFO:", "rcu_preempt detected", "Internal error", "soft lockup", "Call trace:")


def new_run(
    campaign: str, target: str, platform: str, cpus: int, conditions: Conditions, facts: tuple[tuple[str, str], ...] = (), **more: object
) -> Run:
    """A run as it begins; its figures live in its raw files."""
    deterministic = conditions.mode is Mode.DETERMINISTIC
    run = Run(
        campaign=campaign,
        target=target,
        platform=platform,
        topology=Topology((cpus,)),
        tick=Tick(Clock.INSTRUCTIONS, 0.5) if deterministic else Tick(Clock.TIME, 1.0),
        contents=WakeupCounts(),
        conditions=conditions,
        started_utc=now_utc(),
        facts=facts,
    )
    return replace(run, **more)  # type: ignore[arg-type]


def workload_conditions(workload: Workload, mode: Mode, has_probes: bool = False) -> Conditions:
    """What traces beside the measuring program is part of the instrument: it costs each wake-up some microseconds."""
    traced = (("causes", workload.causes), ("kernel probes", has_probes))
    return Conditions(
        mode=mode,
        instrument=", ".join((workload.instrument.value, *(name for name, is_on in traced if is_on))),
        duration_s=workload.duration_s,
        interval_ns=workload.interval_us * 1000,
        priority=workload.priority,
        load=workload.load_command,
        affinity=workload.affinity or None,
        idle_states=workload.idle_states,
        commands=workload.commands,
    )


def workload_facts(workload: Workload) -> tuple[tuple[str, str], ...]:
    return (("instrument", workload.instrument.value),)


def busy_facts(files: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    """How busy the CPUs were while it was measured, all of them together, by the two first lines of /proc/stat that the job kept."""
    rows = [[int(word) for word in line.split()[1:9]] for line in files.get(CPU_TIME_LOG, b"").decode("ascii", "replace").splitlines()]
    if len(rows) != 2 or len(rows[0]) != 8 or len(rows[1]) != 8:
        return ()
    spent = [after - before for before, after in zip(*rows, strict=True)]
    idle, total = spent[3] + spent[4], sum(spent)
    return (("CPUs busy", f"{100 * (total - idle) / total:.0f} %"),) if total > 0 else ()


def work_of_load(files: Mapping[str, bytes]) -> tuple[LoadWork, ...]:
    """What the load did while it was measured; none where it does not say, or what it says is damaged."""
    with suppress(DataError):
        return read_load_work(files.get(LOAD_WORK, b""), LOAD_WORK)
    return ()


def work_facts(files: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    work_text = ", ".join(f"{work.name} {significant(work.per_second, 4, grouped=True)}" for work in work_of_load(files))
    return (("work of the load, in bogo operations per second", work_text),) if work_text else ()


def measured_on_facts(files: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    """The machine, by what was collected on it before or after the measurement, and its heat once more at the end."""
    if COLLECTED not in files:
        return ()
    inventory = read_collected(files[COLLECTED])
    return machine_facts(inventory, read_collected(files[HEAT]) if HEAT in files else None)


def keep(store: Store, run: Run, files: Mapping[str, bytes], complaints: tuple[str, ...]) -> str:
    """Store a run with its files, which are all there already."""
    with run_lifecycle(store, run) as run_id:
        conclude(store, run_id, run, files, complaints)
    return run_id


def conclude(
    store: Store,
    run_id: str,
    run: Run,
    files: Mapping[str, bytes],
    complaints: Sequence[str],
    check: Callable[[Run, Mapping[str, bytes]], list[str]] | None = None,
    is_findings_first: bool = False,
) -> RunStatus:
    """Bring a run to its end: it is complete where there is nothing to complain of and everything in it can be read. The files take the
    place of what was kept of them before. `check` is `problems_of` or its like of another campaign. That nothing can be read has its reason
    in the complaints, if there are some."""
    store.update_metadata(run_id, run)
    store.checkpoint(run_id, files)
    try:
        findings = (check or problems_of)(run, files)
        sentences = [*findings, *complaints] if is_findings_first else [*complaints, *findings]
    except LatlabError as error:
        sentences = list(complaints) or [str(error)]
    return finish(store, run_id, [Problem(0, sentence) for sentence in sentences])


def problems_of(run: Run, files: Mapping[str, bytes]) -> list[str]:
    """What is wrong with the files of a run. Raises DataError where nothing of it can be read."""
    return [problem for _, result in results_of(run, files) for problem in result.problems]


def results_of(run: Run, files: Mapping[str, bytes]) -> list[tuple[str, RtResult]]:
    """Each measurement of a run by its name: one without a name, or the conditions of an experiment, which are folders of its logs."""
    if EXPORT_LOG in files:
        return results_of_export(run, files)
    if THREADS in files and is_live(files):
        return live_results(files)
    if THREADS in files:
        return thread_results(files, IMPORT_LOG, run.source or IMPORT_LOG)
    return [(name, result_of(run, group)) for name, group in measured_in(run, files)]


def measured_in(run: Run, files: Mapping[str, bytes]) -> list[tuple[str, Mapping[str, bytes]]]:
    """The files of each measurement by its name. Raises DataError where there is none."""
    names = sorted({name.rpartition("/")[0] for name in files})
    groups = [(name, {path.rpartition("/")[2]: data for path, data in files.items() if path.rpartition("/")[0] == name}) for name in names]
    measured: list[tuple[str, Mapping[str, bytes]]] = [(name, group) for name, group in groups if any(map(has_wakeups, group))]
    if not measured and run.status is RunStatus.RUNNING:
        raise DataError(f"{run.id} is still being measured", "compare it after its end; `latlab ls` shows its state", place=run.id)
    if not measured:
        raise DataError(
            "no file of a recorder, cyclictest or rtla came back; the logs of kernel and job have the reason (`latlab show --log job.log`)"
        )
    return measured


def has_wakeups(name: str) -> bool:
    return name in ("recorder.rec", OWN_CYCLICTEST, TIMERLAT_LOG, IMPORT_LOG)


MOVED = "cyclictest: CPU hotplug or another affinity moved its thread {}; the figures of that thread are of several CPUs, and are left out"
NO_CAUSES = "Causes are not named: the host schedules the threads of this emulator, and its delays look like any cause."


def result_of(run: Run, files: Mapping[str, bytes]) -> RtResult:
    problems: list[str] = []
    wakeups = _wakeups(run, files, problems)
    timerlat = _timerlat(files, problems)
    if timerlat:
        wakeups = (*wakeups, timerlat.wakeups)
    if not wakeups:
        raise DataError("; ".join(problems) or "nothing was measured")
    el3 = el3_of(files, problems)
    recorder = next((tool_wakeups for tool_wakeups in wakeups if tool_wakeups.tool == "recorder"), None)
    timed = recorder or next((tool_wakeups for tool_wakeups in wakeups if tool_wakeups.outliers), None)
    attributed: tuple[Attributed, ...] | None = None
    exposed: tuple[Exposure, ...] = ()
    outside = _outside_counts(files, problems)
    events, worlds = kernel_events_of(files, problems), _worlds(files, problems)
    rings = el3.calls() if el3 else ()
    names_causes = run.conditions.mode is not Mode.MULTI_THREAD
    if recorder and names_causes and (el3 or events or worlds or "ftrace.txt" in files):
        calls, gaps = rings or (worlds.calls if worlds else ()), el3.gaps if el3 else {}
        kernel = read_spans(files.get("ftrace.txt", b"").decode("utf-8", "replace"), KERNEL_PROBES)
        attributed, exposed = attribute(recorder, recorder.outliers, calls, kernel, gaps), exposure(recorder, rings)
        if events:
            is_virtual = run.conditions.mode is Mode.VIRTUAL_MACHINE
            what_takes = is_alone(outside), is_virtual, run.conditions.preemption not in NOT_PREEMPTIBLE
            attributed = with_parts(recorder, attributed, events, recorder.conditions.priority or 0, *what_takes)
    problems += [
        f"{tool_wakeups.tool}: {sentence}"
        for tool_wakeups in wakeups
        for sentence in (disagreement(cpu, tool_wakeups.rows) for cpu in tool_wakeups.cpus)
        if sentence and tool_wakeups.tool == "recorder"
    ]
    problems += [sentence for tool_wakeups in wakeups for cpu in tool_wakeups.cpus if (sentence := silence(tool_wakeups, cpu))]
    problems += kernel_warnings(files.get("kernel.log", b""))
    period = _period(timed) if timed else None
    seeing = calibrations(events) if events else {}
    instruments = beside(worlds.late, attributed or (), recorder, rings, seeing, el3.gaps if el3 else {}) if worlds and recorder else ()
    coverage_notes = coverage_sentences(events) if events else ()
    if not names_causes:
        coverage_notes = (NO_CAUSES, *coverage_notes)
    coverage_notes += _beside(files)
    if attributed and run.conditions.preemption in NOT_PREEMPTIBLE:
        coverage_notes += (f"Preemption model {run.conditions.preemption}: {ADVICE[run.conditions.preemption]}",)
    if outside and run.tick.clock is not Clock.INSTRUCTIONS:
        coverage_notes += unknown_sentences(outside)
    lost = el3.lost if el3 else 0
    spikes = namings(timerlat.spikes, attributed or ()) if timerlat else ()
    notes, advice = tuple(problems), all_advice()
    result = RtResult(wakeups, attributed, exposed, period, notes, lost, coverage_notes, worlds, instruments, outside, advice, spikes)
    return replace(result, unread=unread_events(events)) if events else result


def _beside(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """What else measured on the machine and was not there when this run began."""
    lines = dict.fromkeys(files.get(BESIDE, b"").decode("utf-8", "replace").splitlines())
    return (f"Other measurements disturbed this one: {'; '.join(lines)}",) if lines else ()


def _period(wakeups: Wakeups) -> Period | None:
    """None if late wake-ups are missing: the first ones after each checkpoint are there, which makes a period of their own."""
    if any(cpu.late_dropped for cpu in wakeups.cpus):
        return None
    return find_period(sorted(outlier.wake_ns - outlier.late_ns for outlier in wakeups.outliers), wakeups.interval_ns or 0)


def _wakeups(run: Run, files: Mapping[str, bytes], problems: list[str]) -> tuple[Wakeups, ...]:
    """What can be read; what cannot is a problem and costs the rest nothing."""
    all_wakeups = []
    for name in sorted(filter(has_wakeups, files.keys() - {TIMERLAT_LOG}), reverse=True):
        place = run.source or name if name == IMPORT_LOG else name
        try:
            wakeups = read_wakeups(files[name], place, files.get(TOOL_LOG, b"").decode() if name == IMPORT_LOG else "")
        except DataError as error:
            problems.append(str(error))
            continue
        interval_ns, duration_s = run.conditions.interval_ns, run.conditions.duration_s
        if wakeups.tool != "recorder" and interval_ns is not None and duration_s is not None:
            wakeups = with_schedule(wakeups, interval_ns, duration_s)
        problems += wakeups.problems
        if name == OWN_CYCLICTEST:
            wakeups = replace(wakeups, rows=RowKind.CPU)  # latlab starts a thread for each CPU
        cpus = read_thread_cpus(files.get(THREAD_CPUS, b"").decode("ascii", "replace"))
        if name == OWN_CYCLICTEST and len(cpus) == len(wakeups.cpus):
            problems += [MOVED.format(number) for number, cpu in enumerate(cpus) if cpu is None]
            wakeups = _on_cpus(wakeups, cpus)
        else:
            wakeups = _on_cpus(wakeups, run.conditions.affinity or ())
        all_wakeups += [wakeups] if wakeups.cpus else []
    return tuple(all_wakeups)


def _timerlat(files: Mapping[str, bytes], problems: list[str]) -> TimerlatRuns | None:
    """It is due when rtla listens, which it does not between two of its runs: how much it missed is unknown."""
    if TIMERLAT_LOG not in files:
        return None
    try:
        runs = read_timerlat_runs(files[TIMERLAT_LOG].decode("utf-8", "replace"), TIMERLAT_LOG)
    except DataError as error:
        problems.append(str(error))
        return None
    problems += runs.wakeups.problems
    return runs


def kernel_events_of(files: Mapping[str, bytes], problems: list[str]) -> KernelEvents | None:
    if KERNEL_EVENTS not in files:
        return None
    try:
        events = read_kernel_events(files[KERNEL_EVENTS], KERNEL_EVENTS)
    except DataError as error:
        problems.append(str(error))
        return None
    problems += events.problems
    return events


def _outside_counts(files: Mapping[str, bytes], problems: list[str]) -> OutsideCounts | None:
    """None of a run of cyclictest alone, and of an older recorder."""
    if OUTSIDE_COUNTS not in files:
        return None
    try:
        counts = read_outside_counts(files[OUTSIDE_COUNTS], OUTSIDE_COUNTS)
    except DataError as error:
        problems.append(str(error))
        return None
    problems += counts.problems
    return counts


def _worlds(files: Mapping[str, bytes], problems: list[str]) -> GuestWorlds | None:
    if WORLDS_LOG not in files:
        return None
    try:
        return read_worlds(files[WORLDS_LOG], WORLDS_LOG)
    except DataError as error:
        problems.append(str(error))
        return None


def _on_cpus(wakeups: Wakeups, cpus: Sequence[int | None]) -> Wakeups:
    """cyclictest numbers its threads, which are on these CPUs in their order. Without the threads that left theirs."""
    if wakeups.tool != "cyclictest" or not cpus or len(wakeups.cpus) > len(cpus):
        return wakeups
    rows = tuple(replace(row, core=CoreId(0, cpu)) for row, cpu in zip(wakeups.cpus, cpus, strict=False) if cpu is not None)
    outliers = tuple(_on_cpu(late, cpus) for late in wakeups.outliers if late.cpu >= len(cpus) or cpus[late.cpu] is not None)
    return replace(wakeups, cpus=rows, outliers=outliers, rows=RowKind.CPU)


def _on_cpu(late: Outlier, cpus: Sequence[int | None]) -> Outlier:
    cpu = cpus[late.cpu] if late.cpu < len(cpus) else None
    return late if cpu is None else replace(late, cpu=cpu)


def el3_of(files: Mapping[str, bytes], problems: list[str]) -> El3Records | None:
    if "el3-records.txt" not in files:
        return None
    table = event_table()
    info = info_of(files.get("el3-info.txt", b"").decode("ascii", "replace"))
    if info is None or info[0] != table.hash:
        problems.append(
            f"the firmware's event table is {info[0] if info else 'unknown'}, this latlab has {table.hash}; outliers are not attributed"
        )
        return None
    read = read_all(files["el3-records.txt"].decode("ascii", "replace"), table, "el3-records.txt")
    problems += [problem.message for problem in read.problems]
    return read


def kernel_warnings(log: bytes) -> list[str]:
    """The lines of a kernel's log that should not be there."""
    lines = log.decode("utf-8", "replace").splitlines()
    return [f"the kernel warned: {line.strip()}" for line in lines if any(word in line for word in KERNEL_WARNINGS)]


def results_of_export(run: Run, files: Mapping[str, bytes]) -> list[tuple[str, RtResult]]:
    """What each tool counted. What the kernel and the firmware did is in no export."""
    whole = with_export(run, files)
    by_test: dict[str, list[Distribution]] = {}
    for distribution in distributions_of(whole):
        by_test.setdefault(distribution.test, []).append(_in_ns(distribution, run.tick))
    if not by_test:
        raise DataError("no wake-ups in the export", "export the run again", place=run.source)
    wakeups = tuple(_exported_wakeups(test, rows, run.conditions.interval_ns) for test, rows in by_test.items())
    silent = tuple(sentence for tool_wakeups in wakeups for cpu in tool_wakeups.cpus if (sentence := silence(tool_wakeups, cpu)))
    return [("", RtResult(wakeups, None, (), None, silent))]


def _in_ns(row: Distribution, tick: Tick) -> Distribution:
    """A tool's ticks of time in ns, as the pages have them. Of counted instructions each tick is a ns already."""
    if tick.clock is not Clock.TIME or tick.value == 1.0:
        return row

    def ns(ticks: float) -> int:
        return round(ticks * tick.value)

    return replace(
        row,
        counts=tuple((ns(low), ns(high), n) for low, high, n in row.counts),
        blocks=tuple(tuple((ns(low), ns(high), n) for low, high, n in block) for block in row.blocks),
        minimum_ticks=ns(row.minimum_ticks),
        maximum_ticks=ns(row.maximum_ticks),
        average_ticks=row.average_ticks * tick.value,
        resolution_ticks=ns(row.resolution_ticks),
        late=tuple(replace(late, late_ticks=ns(late.late_ticks)) for late in row.late),
    )


def _exported_wakeups(test: str, rows: Sequence[Distribution], interval_ns: int | None) -> Wakeups:
    outliers = tuple(Outlier(row.number, late.wake_ns, late.late_ticks, late.missed) for row in rows for late in row.late)
    resolution = max(row.resolution_ticks for row in rows)
    return Wakeups(test, interval_ns, resolution, tuple(rows), outliers, metric=rows[0].metric, rows=rows[0].rows)
