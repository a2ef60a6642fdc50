# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the rt campaign on each kind of target; of a guest under the probe also what of the probe's stream is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.calls.model.crossings import Header, Record
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import DataError
from latlab.core.lifecycle.life import refuse_interrupted, run_lifecycle
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.life import Left
from latlab.core.model.run import Build, Problem, Run
from latlab.core.readers.elf_build import with_build, with_image
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.core.targets.process.console import Limits, MachineEnd
from latlab.core.targets.qemu.images import FIRMWARE_BIN, FIRMWARE_ELF
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.rt.analysis.by_world import WorldAccumulator
from latlab.rt.campaign.following import GuestFollowing, LinuxFollowing, NullObserver, Watcher
from latlab.rt.campaign.on_linux import mode_of, target_of, with_machine_of
from latlab.rt.campaign.results import (
    CAMPAIGN,
    busy_facts,
    conclude,
    measured_on_facts,
    new_run,
    work_facts,
    workload_conditions,
    workload_facts,
)
from latlab.rt.campaign.secure_world_options import build_of, of_drivers
from latlab.rt.campaign.workloads import expected
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
    check_machine,
    find_firmware,
    run_guest,
    stack_of,
)
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.guest.secure_world import Stack
from latlab.rt.targets.linux import RECORD, check_module, check_survey, collected, notes, run_linux, survey
from latlab.rt.targets.machine_facts import advice
from latlab.rt.targets.machine_inventory import COLLECTED, read_collected
from latlab.rt.targets.rt_job import USUAL_DRIVERS, Drivers, Workload, guest_script

Say = Callable[[str], None]
GUEST_PLATFORM = "QEMU virt, PREEMPT_RT guest"

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class GuestOptions:
    """`hold_us` is how long the firmware holds each TRNG_RND, None for a firmware that cannot."""

    drivers: Drivers = USUAL_DRIVERS
    trace: bool = True
    hold_us: int | None = None


def run_rt_guest(
    store: Store,
    qemu: Qemu,
    image: GuestImage,
    machine: GuestMachine,
    workload: Workload,
    options: GuestOptions,
    limits: Limits,
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
    planned: str = "",
) -> str:
    """One measurement in the guest; the run's id."""
    check_machine(machine)
    conditions = replace(_guest_conditions(machine, image, workload), **of_drivers(options.drivers), trng_hold_us=options.hold_us)
    facts = (*workload_facts(workload), *guest_facts(machine))
    run = new_run(CAMPAIGN, "guest", GUEST_PLATFORM, machine.cores, conditions, facts, emulator=str(qemu))
    with scratch(persistent=True) as folder, run_lifecycle(store, run, Left(str(folder)), planned) as run_id:
        watcher.start(run_id)
        following = GuestFollowing(store, run_id, workload, watcher, folder)
        job = guest_script(workload, options.drivers, options.hold_us, options.trace)
        done = run_guest(qemu, machine, image, job, limits, following.line, folder, following.poll)
        files = logs_of(done, folder)
        world_files, wrong = seen_from_outside(folder / STREAM, files) if machine.probe else ({}, ())
        files |= world_files
        facts = (*facts, *busy_facts(files), *work_facts(files), *measured_on_facts(files))
        run = replace(with_boot(run, done, stack_of(machine)), facts=facts)
        if machine.efi:
            run = replace(run, build=Build(f"EDK2, package {image.efi_version}"))
        conclude(store, run_id, run, files, (*complaints_of(done), *wrong))
    refuse_interrupted(store, run_id, done.outcome.end is MachineEnd.INTERRUPT)
    return run_id


def run_rt_linux(
    store: Store,
    machine: Machine,
    workload: Workload,
    say: Say,
    platform: str = "",
    smc_module: Path | None = None,
    probes: bool = True,
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
    planned: str = "",
) -> str:
    """One measurement on a Linux machine, wherever it is; the run's id. `platform` names the board where its address does not."""
    machine_survey = survey(machine, workload.priority)
    check_survey(machine, machine_survey, workload)
    check_module(machine, machine_survey, smc_module)
    told_of_itself = {COLLECTED: collected(machine)}
    itself = read_collected(told_of_itself[COLLECTED])
    for note in (*notes(machine_survey), *advice(itself)):
        say(f"{machine.name}: {note}")
    say(f"{machine.name}: {expected(workload)}")
    conditions = with_machine_of(workload_conditions(workload, mode_of(machine_survey)), machine_survey, itself)
    machine_facts = [(name, machine_survey.answers.get(name, "")) for name in ("machine", "rt_runtime_us", "hypervisor")]
    machine_facts.append(("measured or emulated at the same time", machine_survey.answers.get("measuring", "")))
    facts = (*workload_facts(workload), *((name, value) for name, value in machine_facts if value))
    target = target_of(machine)
    described = (*facts, *measured_on_facts(told_of_itself))
    run = new_run(CAMPAIGN, target, platform or f"{machine.name}, {machine_survey.machine}", machine_survey.cpus, conditions, described)
    with run_lifecycle(store, run, Left(machine=machine.address), planned) as run_id:
        watcher.start(run_id)
        store.checkpoint(run_id, told_of_itself)
        done = run_linux(machine, machine_survey, workload, smc_module, probes, LinuxFollowing(store, run_id, workload, watcher, machine))
        files = store.logs(run_id) | done.files
        run = replace(run, facts=(*facts, *busy_facts(files), *work_facts(files), *source_facts(files), *measured_on_facts(files)))
        conclude(store, run_id, run, files, (done.sentence,) if done.sentence else ())
    return run_id


def planned_run(workload: Workload, platform: str) -> Run:
    """What is known of a boot before its target has been asked anything; `platform` is empty for the guest."""
    mode, target = (Mode.REAL, "labgrid") if platform else (Mode.DETERMINISTIC, "guest")
    return new_run(CAMPAIGN, target, platform or GUEST_PLATFORM, 1, workload_conditions(workload, mode), workload_facts(workload))


def _guest_conditions(machine: GuestMachine, image: GuestImage, workload: Workload) -> Conditions:
    mode = Mode.DETERMINISTIC if machine.mode is Mode.DETERMINISTIC else Mode.MULTI_THREAD
    measured, booted = workload_conditions(workload, mode), machine_conditions(machine, image, mode)
    return measured.completed(booted)


def machine_conditions(machine: GuestMachine, image: GuestImage, mode: Mode) -> Conditions:
    conditions = Conditions(
        mode=mode, kernel=image.kernel_release, kernel_version=version_of(image), kstack_randomised=machine.kstack_randomised
    )
    if machine.efi:
        return with_image(conditions, [image.efi])
    firmware = find_firmware(machine)
    return with_build(with_image(conditions, [firmware / FIRMWARE_BIN]), firmware / FIRMWARE_ELF)


def version_of(image: GuestImage) -> str | None:
    return f"package {image.kernel_version}" if image.kernel_version else None


def guest_facts(machine: GuestMachine) -> tuple[tuple[str, str], ...]:
    return (("PSCI idle states in the device tree", "yes" if machine.idle_states else "no"),)


def with_boot(run: Run, done: GuestRun, stack: Stack | None = None) -> Run:
    """The run with what is known once the guest has booted."""
    return replace(run, command=done.command, build=_build(done, stack), conditions=with_machine(run.conditions, done.command))


def _build(done: GuestRun, stack: Stack | None) -> Build:
    """What the firmware calls itself on its own console; a secure world that latlab has built, what it was built of."""
    if stack is not None:
        return build_of(stack)
    first = done.secure.decode("utf-8", "replace").partition("\n")[0]
    return Build(first.removeprefix("latlab EL3 firmware: ").partition(", GIC")[0].strip() or "unknown")


def logs_of(done: GuestRun, folder: Path) -> dict[str, bytes]:
    """The job's files; where the recorder's did not come back, as it stood last in the memory that the guest shares."""
    record = {} if RECORD in done.output.files else {RECORD: read_shared(folder / SHARED)}
    stream = folder / STREAM
    worlds = {STREAM: stream.read_bytes()} if stream.is_file() and stream.stat().st_size <= STREAM_KEPT_BYTES else {}
    files = {**record, **worlds, **done.output.files, "console": done.console, "secure": done.secure, "stderr": done.stderr}
    return {name: data for name, data in files.items() if data or name != RECORD}


def complaints_of(done: GuestRun) -> tuple[str, ...]:
    complaints = [problem.message for problem in done.output.problems]
    if done.outcome.sentence:
        complaints.insert(0, done.outcome.sentence)
    if done.output.status not in (0, None):
        complaints.append(f"the guest's job ended with status {done.output.status}; `latlab show --log job.log` prints why")
    return tuple(complaints)


def seen_from_outside(stream: Path, files: Mapping[str, bytes]) -> tuple[dict[str, bytes], tuple[str, ...]]:
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
