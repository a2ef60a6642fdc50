# SPDX-License-Identifier: BSD-3-Clause
"""A console log from elsewhere as a stored run."""

from __future__ import annotations

import io
from dataclasses import replace

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.lifecycle.life import NullProgress, run_lifecycle, text_of
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.figures import Figures
from latlab.core.model.run import Build, Run, Spans, Tick, Topology
from latlab.core.readers.console_text import as_printed
from latlab.core.readers.dump import console_log, tftf_calls
from latlab.core.readers.dump.dump import collect_dump
from latlab.core.readers.dump.frames import Boot, parse_frames, strip_escapes
from latlab.core.readers.dump.rt_instr import parse_figures, read_figures
from latlab.core.readers.event_table import event_table
from latlab.core.readers.platform_facts import facts_of
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.core.targets.qemu import qemu as qemus
from latlab.core.targets.qemu.images import PLATFORM
from latlab.psa.campaign.importing_profiler import has_averages, import_profiler
from latlab.psci.campaign.measure import CAMPAIGN
from latlab.psci.campaign.recording import Recorded, Recorder

CONSOLE_MARKS = (b"<LLT1:", b"<RT_INSTR:")


def is_console_log(data: bytes, source: str) -> bool:
    """Whether it has a line of which a run can be made, or a piece of one."""
    lines = io.BytesIO(as_printed(data)).readlines()
    texts = [strip_escapes(text_of(line)) for line in lines]
    if has_averages(texts) or any(True for text in texts for _ in parse_frames(text)):
        return True
    return any(True for text in texts for _ in parse_figures(text)) or tftf_calls.parse(as_printed(data), source) is not None


def import_log(
    store: Store,
    data: bytes,
    source: str,
    topology: Topology | None = None,
    clock: Clock | None = None,
    platform: str | None = None,
    firmware: str | None = None,
    core_mhz: float | None = None,
) -> Recorded:
    """Store a console log from elsewhere. The options say what the log does not; they may not contradict it."""
    lines = io.BytesIO(as_printed(data)).readlines()
    texts = [strip_escapes(text_of(line)) for line in lines]
    boot = next((frame for text in texts for frame in parse_frames(text) if isinstance(frame, Boot)), None)
    if boot is None and has_averages(texts):
        if topology or clock:
            raise UsageError(f"{source} holds averages of PSA calls on one core, in CPU cycles", "leave out --topology and --clock")
        return import_profiler(store, texts, data, source, core_mhz, platform, firmware)
    if core_mhz is not None:
        raise UsageError(f"--core-mhz is for averages in CPU cycles, which {source} does not have", "leave it out")
    has_figures = any(isinstance(item, Figures) for text in texts for item in parse_figures(text))
    if boot is None and not has_figures and (calls := tftf_calls.parse(as_printed(data), source)):
        if topology or clock:
            raise UsageError(f"{source} holds round trips of single calls, in ns", "leave out --topology and --clock")
        return _import_calls(store, calls, data, source, platform, firmware)
    if boot is None and topology is None:
        topology = _of_platform(platform) if has_figures else None
    if boot is None and topology is None:
        raise _without_topology(source, texts)
    run = _imported(source, boot, topology, clock, platform, firmware)
    if boot is None:
        return _import_figures(store, run, texts, data)
    with run_lifecycle(store, run) as run_id:
        recorder = Recorder(store, run_id, run, lambda hz: qemus.tick_of(run.tick.clock, hz), bytes, NullProgress())
        store.add(run_id, logs={"console": data})
        for _ in recorder.read(lines):
            pass
        return recorder.finish()


def _of_platform(platform: str | None) -> Topology | None:
    """The clusters that the catalogue knows of a platform; figures of a core that it has not are refused as with any other topology."""
    clusters = facts_of(platform).clusters if platform else ()
    return Topology(tuple(cluster.cores for cluster in clusters)) if clusters else None


def _without_topology(source: str, texts: list[str]) -> LatlabError:
    """Why a log cannot be stored that does not say its topology: it is damaged, foreign, or no log at all."""
    has_figures = any(isinstance(item, Figures) for text in texts for item in parse_figures(text))
    first = next(iter(collect_dump(texts, event_table()).problems), None)
    if first and any(True for text in texts for _ in parse_frames(text)):
        rescue = ", or --topology to keep its RT_INSTR figures" if has_figures else ""
        return DataError(f"{source} line {first.line}: {first.message}; it has no readable BOOT line", f"give the whole log{rescue}")
    if not has_figures:
        return DataError(f"{source} has no dump line and no RT_INSTR figure, so nothing to store", "give the console log of a campaign")
    return UsageError(f"{source} does not state its topology", "give it with --topology, such as --topology 2,4")


def _imported(
    source: str, boot: Boot | None, topology: Topology | None, clock: Clock | None, platform: str | None, firmware: str | None
) -> Run:
    if boot and topology and boot.topology != topology:
        raise UsageError(f"--topology {topology} contradicts {source}, which says {boot.topology}", "leave the option out", value=topology)
    if clock is Clock.INSTRUCTIONS and boot is None:
        raise UsageError(f"{source} has figures in ns only, which are no instructions", "leave out --clock")
    emulated = boot is not None and PLATFORM in boot.firmware
    if emulated and clock is None:
        raise UsageError(
            f"{source} was made on {PLATFORM} and does not state what its clock counts. Give --clock instructions for a deterministic run, "
            "--clock time for a multi-threaded one"
        )
    if boot is not None and boot.is_simulated and clock not in (None, Clock.VIRTUAL):
        raise UsageError(f"{source} was simulated in virtual time, which is no other clock", "leave out --clock")
    chosen = Clock.VIRTUAL if boot is not None and boot.is_simulated else clock or Clock.TIME
    mode = Mode.DETERMINISTIC if chosen is Clock.INSTRUCTIONS else Mode.MULTI_THREAD
    return Run(
        campaign=CAMPAIGN,
        target="import",
        platform=platform or (PLATFORM if emulated else "unknown"),
        topology=boot.topology if boot else topology or Topology(()),
        tick=qemus.tick_of(chosen, boot.clock_hz) if boot else Tick(chosen, 1.0),
        build=Build(firmware or "unknown"),
        conditions=Conditions(mode=mode if emulated else None),
        started_utc=now_utc(),
        source=source,
    )


def _import_calls(store: Store, calls: Run, data: bytes, source: str, platform: str | None, firmware: str | None) -> Recorded:
    """A log of the test framework's performance tests: every round trip, in ns."""
    if not calls.samples:
        raise DataError(str(calls.problems[0].message), place=f"{source}:{calls.problems[0].line}")
    run = replace(
        calls,
        target="import",
        platform=platform or calls.platform,
        build=Build(firmware or "unknown"),
        contents=Spans(),
        problems=(),
        started_utc=now_utc(),
        source=source,
        id="",
    )
    with run_lifecycle(store, run) as run_id:
        store.add(run_id, calls.samples, problems=calls.problems, logs={"console": data})
        store.finish(run_id, calls.status)
    return Recorded(run_id, calls.status, len(calls.samples), calls.problems, True)


def _import_figures(store: Store, run: Run, texts: list[str], data: bytes) -> Recorded:
    """A log with RT_INSTR lines only: three durations a core, no trace, no checksum."""
    placed, problems = read_figures(texts, run.topology)
    if any(True for text in texts for _ in parse_frames(text)):
        problems = [*collect_dump(texts, event_table()).problems, *problems]
    samples = console_log.samples_of(placed)
    if not samples:
        cause = f"; line {problems[0].line}: {problems[0].message}" if problems else ""
        raise DataError(f"no readable BOOT line and no RT_INSTR figure, so nothing to store{cause}", "give the whole console log")
    status = RunStatus.PARTIAL if problems else RunStatus.COMPLETE
    with run_lifecycle(store, run) as run_id:
        store.add(run_id, samples, problems=problems, logs={"console": data})
        store.finish(run_id, status)
    return Recorded(run_id, status, len(samples), tuple(problems), True)
