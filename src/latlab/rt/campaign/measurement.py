# SPDX-License-Identifier: BSD-3-Clause
"""The life of a measurement on Linux, whatever its campaign measures: on a machine, and in the guest on the firmware below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.calls.model.crossings import Header, Record
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import DataError, LatlabError, NotFetched
from latlab.core.lifecycle.life import refuse_interrupted, run_lifecycle
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.life import NOT_FETCHED, Left
from latlab.core.model.run import Build, Contents, Problem, Run
from latlab.core.readers.elf_build import with_build, with_image
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.core.targets.process.console import Limits, MachineEnd
from latlab.core.targets.qemu.images import FIRMWARE_BIN, FIRMWARE_ELF
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.rt.analysis.by_world import WorldAccumulator
from latlab.rt.campaign.following import GuestFollowing, LinuxFollowing, Watcher
from latlab.rt.campaign.results import busy_facts, conclude, measured_on_facts, new_run, work_facts
from latlab.rt.campaign.secure_world_options import build_of
from latlab.rt.campaign.thread_results import trace_facts, traced_events
from latlab.rt.readers.guest_worlds import WORLDS_LOG, render_worlds
from latlab.rt.readers.measured import read_wakeups
from latlab.rt.targets.board_sources import source_facts
from latlab.rt.targets.guest.checkpoints import SHARED, read_shared
from latlab.rt.targets.guest.guest import (
    ICOUNT_SHIFT,
    STREAM,
    STREAM_KEPT_BYTES,
    GuestMachine,
    GuestRun,
    find_firmware,
    run_guest,
    stack_of,
)
from latlab.rt.targets.guest.guest_arch import ARCHES, Arch
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.linux import RECORD, Follower, LinuxRun, Survey
from latlab.rt.targets.machine_inventory import COLLECTED, MachineInventory, read_collected
from latlab.rt.targets.preemption import REALTIME, preemption_model
from latlab.rt.targets.rt_job import Workload

Facts = tuple[tuple[str, str], ...]
GUEST_PLATFORM = "QEMU virt, PREEMPT_RT guest"
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a campaign measures, and what is wrong with the files that come back. `workload` is that of wake-ups, whose progress is known.
    `is_findings_first`: what the files say is the cause of how the job ended. `files` belong to the run from its begin."""

    campaign: str
    contents: Contents
    conditions: Callable[[Mode], Conditions]
    problems_of: Callable[[Run, Mapping[str, bytes]], list[str]]
    facts: Facts = ()
    workload: Workload | None = None
    is_findings_first: bool = False
    files: Mapping[str, bytes] | None = None

    def conclude(self, store: Store, run_id: str, run: Run, files: Mapping[str, bytes], complaints: tuple[str, ...]) -> None:
        conclude(store, run_id, run, files, complaints, self.problems_of, self.is_findings_first)


def measure_on_linux(
    store: Store,
    machine: Machine,
    machine_survey: Survey,
    inventory: bytes,
    measurement: Measurement,
    job: Callable[[Follower], LinuxRun],
    watcher: Watcher,
    platform: str = "",
    planned: str = "",
) -> str:
    """A run on a machine that answered its survey; the run's id. `inventory` is what was collected there before."""
    mode = Mode.VIRTUAL_MACHINE if machine_survey.is_virtual else Mode.REAL
    collected_files = {COLLECTED: inventory}
    conditions = _with_machine_of(measurement.conditions(mode), machine_survey, read_collected(inventory))
    target = machine.kind if machine.patience_s == 0 else f"{machine.kind}:{machine.name}"
    facts = (*measurement.facts, *_survey_facts(machine_survey))
    run = new_run(
        measurement.campaign,
        target,
        platform or f"{machine.name}, {machine_survey.machine}",
        machine_survey.cpus,
        conditions,
        (*facts, *measured_on_facts(collected_files)),
        contents=measurement.contents,
    )
    with run_lifecycle(store, run, Left(machine=machine.address), planned) as run_id:
        watcher.start(run_id)
        store.checkpoint(run_id, collected_files | dict(measurement.files or {}))
        done = job(LinuxFollowing(store, run_id, measurement.workload, watcher, machine))
        if done.remains:
            raise _not_fetched(store, run_id, done.sentence)
        files = store.logs(run_id) | done.files
        run = replace(run, facts=(*facts, *busy_facts(files), *work_facts(files), *source_facts(files), *trace_facts(files)))
        run = replace(run, facts=(*run.facts, *measured_on_facts(files)))
        run = replace(run, conditions=replace(run.conditions, trace_events=traced_events(files)))
        measurement.conclude(store, run_id, run, files, (done.sentence,) if done.sentence else ())
    return run_id


def _not_fetched(store: Store, run_id: str, sentence: str) -> NotFetched:
    """The run stays unfinished with all that it has; its disk may be the one that is full."""
    with suppress(LatlabError):
        store.checkpoint(run_id, {}, NOT_FETCHED)
    return NotFetched(sentence, f"when it answers and its disk has space, run `latlab runs recover {run_id}`")


def measure_in_guest(
    store: Store,
    qemu: Qemu,
    image: GuestImage,
    machine: GuestMachine,
    measurement: Measurement,
    job: str,
    limits: Limits,
    watcher: Watcher,
    planned: str = "",
) -> str:
    """A run in the guest; the run's id."""
    mode = Mode.DETERMINISTIC if machine.mode is Mode.DETERMINISTIC else Mode.MULTI_THREAD
    conditions = measurement.conditions(mode).completed(_guest_conditions(machine, image, mode))
    facts: Facts = (*measurement.facts, ("PSCI idle states in the device tree", "yes" if machine.idle_states else "no"))
    if not image.smc_module:
        facts = (*facts, ("kernel module of the guest", f"none: {ARCHES[machine.arch].module_use}"))
    run = new_run(
        measurement.campaign,
        "guest",
        ARCHES[machine.arch].platform,
        machine.cores,
        conditions,
        facts,
        contents=measurement.contents,
        emulator=str(qemu),
    )
    with scratch(persistent=True) as folder, run_lifecycle(store, run, Left(str(folder)), planned) as run_id:
        watcher.start(run_id)
        following = GuestFollowing(store, run_id, measurement.workload, watcher, folder)
        done = run_guest(qemu, machine, image, job, limits, following.line, folder, following.poll)
        files = _logs_of(done, folder)
        world_files, complaints = _seen_from_outside(folder / STREAM, files) if machine.probe else ({}, ())
        files |= world_files
        run = replace(
            run,
            command=done.command,
            build=_build(done, machine, image),
            conditions=with_machine(run.conditions, done.command),
            facts=(*facts, *busy_facts(files), *work_facts(files), *measured_on_facts(files)),
        )
        measurement.conclude(store, run_id, run, files, (*_complaints_of(done), *complaints))
    refuse_interrupted(store, run_id, done.outcome.end is MachineEnd.INTERRUPT)
    return run_id


def _with_machine_of(conditions: Conditions, machine_survey: Survey, itself: MachineInventory) -> Conditions:
    """The conditions with processor and kernel."""
    return replace(
        conditions,
        processor=itself.cpu or None,
        kernel=machine_survey.answers.get("kernel") or None,
        kernel_version=machine_survey.answers.get("version") or None,
        preemption=preemption_model(machine_survey.answers),
        kernel_command_line=itself.command_line or None,
    )


def _survey_facts(machine_survey: Survey) -> Facts:
    answers = machine_survey.answers
    facts = [(name, answers.get(name, "")) for name in ("machine", "rt_runtime_us", "hypervisor")]
    facts.append(("measured or emulated at the same time", answers.get("measuring", "")))
    return tuple((name, value) for name, value in facts if value)


def _guest_conditions(machine: GuestMachine, image: GuestImage, mode: Mode) -> Conditions:
    kernel_version = f"package {image.kernel_version}" if image.kernel_version else None
    conditions = Conditions(
        mode=mode,
        kernel=image.kernel_release,
        kernel_version=kernel_version,
        preemption=REALTIME,
        kstack_randomised=machine.kstack_randomised,
    )
    if machine.arch is Arch.X86:
        return conditions
    if machine.efi:
        return with_image(conditions, [image.efi])
    firmware = find_firmware(machine)
    return with_build(with_image(conditions, [firmware / FIRMWARE_BIN]), firmware / FIRMWARE_ELF)


def _build(done: GuestRun, machine: GuestMachine, image: GuestImage) -> Build:
    """What the firmware calls itself on its own console; a secure world that latlab has built, what it was built of."""
    if machine.efi:
        return Build(f"EDK2, package {image.efi_version}")
    stack = stack_of(machine)
    if stack is not None:
        return build_of(stack)
    first = done.secure.decode("utf-8", "replace").partition("\n")[0]
    return Build(first.removeprefix("latlab EL3 firmware: ").partition(", GIC")[0].strip() or "unknown")


def _logs_of(done: GuestRun, folder: Path) -> dict[str, bytes]:
    """The job's files; where the recorder's did not come back, as it stood last in the memory that the guest shares."""
    record = {} if RECORD in done.output.files else {RECORD: read_shared(folder / SHARED)}
    stream = folder / STREAM
    worlds = {STREAM: stream.read_bytes()} if stream.is_file() and stream.stat().st_size <= STREAM_KEPT_BYTES else {}
    files = {**record, **worlds, **done.output.files, "console": done.console, "secure": done.secure, "stderr": done.stderr}
    return {name: data for name, data in files.items() if data or name != RECORD}


def _complaints_of(done: GuestRun) -> tuple[str, ...]:
    complaints = [problem.message for problem in done.output.problems]
    if done.outcome.sentence:
        complaints.insert(0, done.outcome.sentence)
    if done.output.status not in (0, None):
        complaints.append(f"the guest's job ended with status {done.output.status}; `latlab show --log job.log` prints why")
    return tuple(complaints)


def _seen_from_outside(stream: Path, files: Mapping[str, bytes]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The log of what the probe saw of the recorder's measurement, and what is wrong with its stream."""
    if RECORD not in files:
        return {}, ()
    try:
        wakeups = read_wakeups(files[RECORD], RECORD)
    except DataError:
        return {}, ()  # the run says so of the record itself
    if not stream.is_file() or wakeups.counter_hz is None:
        return {}, ("the probe wrote no stream, so no late wake-up is split by world; `latlab doctor` names the QEMU that it needs",)
    accumulator = WorldAccumulator(call_names(), 1 << ICOUNT_SHIFT, wakeups.counter_hz)
    problems: list[str] = []
    accumulator.take(_records(stream, problems))
    return {WORLDS_LOG: render_worlds(accumulator.worlds(wakeups))}, tuple(problems)


def _records(stream: Path, problems: list[str]) -> Iterator[Record]:
    """The stream is much longer than what is kept of it. What is wrong with it goes to `problems`."""
    for item in _items(stream):
        if isinstance(item, Problem):
            problems.append(item.message)
        elif not isinstance(item, Header):
            yield item


def _items(stream: Path) -> Iterator[Header | Record | Problem]:
    decoder = Decoder()
    with stream.open("rb") as file:
        while data := file.read(CHUNK):
            yield from decoder.feed(data)
    yield from decoder.finish()
