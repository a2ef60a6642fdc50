# SPDX-License-Identifier: BSD-3-Clause
"""The steal campaign: what firmware and secure world take of each CPU of a Linux machine, as it is and under a load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.lifecycle.life import finish, refuse_interrupted, run_lifecycle
from latlab.core.model.amounts import Amounts
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock
from latlab.core.model.life import Left
from latlab.core.model.run import Problem, Run, Tick, Topology
from latlab.core.readers.elf_build import with_build, with_image
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.core.targets.process.console import Limits, MachineEnd
from latlab.core.targets.qemu.images import FIRMWARE_BIN, FIRMWARE_ELF
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.rt.campaign.following import GuestFollowing, LinuxFollowing, NullObserver, Watcher
from latlab.rt.campaign.on_linux import mode_of, target_of, with_machine_of
from latlab.rt.campaign.results import kernel_warnings, measured_on_facts
from latlab.rt.campaign.secure_world_options import build_of, of_drivers
from latlab.rt.campaign.steal_results import CAMPAIGN, TOOL, problems_of
from latlab.rt.targets.guest.guest import GuestMachine, find_firmware, run_guest, stack_of
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.linux import MachineJob, collected, run_job, survey
from latlab.rt.targets.machine_inventory import COLLECTED, read_collected
from latlab.rt.targets.recorder_binary import meter_for
from latlab.rt.targets.rt_job import Drivers
from latlab.rt.targets.steal_job import Watch, guest_script, script

Say = Callable[[str], None]
PRIORITY = 90
GUEST_PLATFORM = "QEMU virt, PREEMPT_RT guest"


def checked(watch: Watch) -> Watch:
    """The watch, where a target can be asked for it."""
    for name, value, low, high in (("interval", watch.interval_us, 20, 1_000_000), ("threshold", watch.threshold_ns, 0, 1_000_000_000)):
        if not low <= value <= high:
            raise UsageError(f"--{name} {value} is outside {low} to {high}")
    return watch


def run_steal_linux(
    store: Store,
    machine: Machine,
    watch: Watch,
    say: Say,
    platform: str = "",
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
) -> str:
    """One measurement on a Linux machine, wherever it is; the run's id."""
    machine_survey = survey(machine, PRIORITY)
    _refuse_kind(machine.name, machine_survey.machine)
    meter = meter_for(machine_survey.machine)
    if machine_survey.answers.get("fifo") != "yes":
        say(f"{machine.name}: real-time priority is not permitted, so the windows get longer under load")
    collected_files = {COLLECTED: collected(machine)}
    itself = read_collected(collected_files[COLLECTED])
    conditions = with_machine_of(_conditions(watch, mode_of(machine_survey)), machine_survey, itself)
    target = target_of(machine)
    run = _new_run(
        target, platform or f"{machine.name}, {machine_survey.machine}", machine_survey.cpus, conditions, measured_on_facts(collected_files)
    )
    with run_lifecycle(store, run, Left(machine=machine.address)) as run_id:
        watcher.start(run_id)
        store.checkpoint(run_id, collected_files)
        job = MachineJob(((meter, "latlab-steal"),), lambda folder: script(watch, f"{folder}/latlab-steal"), *_times_s(watch))
        done = run_job(machine, machine_survey, job, LinuxFollowing(store, run_id, None, watcher, machine))
        files = store.logs(run_id) | done.files
        _conclude(store, run_id, run, files, (done.sentence,) if done.sentence else ())
    return run_id


def run_steal_guest(
    store: Store,
    qemu: Qemu,
    image: GuestImage,
    machine: GuestMachine,
    watch: Watch,
    drivers: Drivers,
    limits: Limits,
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
) -> str:
    """One measurement in the guest; the run's id."""
    firmware = find_firmware(machine)
    conditions = replace(_conditions(watch, machine.mode), kernel=image.kernel_release, **of_drivers(drivers))
    conditions = with_build(with_image(conditions, [firmware / FIRMWARE_BIN]), firmware / FIRMWARE_ELF)
    run = replace(_new_run("guest", GUEST_PLATFORM, machine.cores, conditions), emulator=str(qemu))
    if (stack := stack_of(machine)) is not None:
        run = replace(run, build=build_of(stack))
    with scratch(persistent=True) as folder, run_lifecycle(store, run, Left(str(folder))) as run_id:
        watcher.start(run_id)
        following = GuestFollowing(store, run_id, None, watcher, folder)
        done = run_guest(qemu, machine, image, guest_script(watch, drivers), limits, following.line, folder, following.poll)
        files = {**done.output.files, "console": done.console, "secure": done.secure, "stderr": done.stderr}
        run = replace(run, command=done.command, conditions=with_machine(run.conditions, done.command))
        complaints = [done.outcome.sentence] if done.outcome.sentence else []
        complaints += [f"the job ended with status {done.output.status}"] if done.output.status else []
        _conclude(store, run_id, run, files, (*complaints, *kernel_warnings(files.get("kernel.log", b""))))
    refuse_interrupted(store, run_id, done.outcome.end is MachineEnd.INTERRUPT)
    return run_id


def _refuse_kind(name: str, kind: str) -> None:
    if kind.startswith("arm"):
        raise DataError(f"{name}: steal time is not measurable with its 32-bit kernel ({kind}); boot a 64-bit one, aarch64")
    if kind.startswith("riscv"):
        raise DataError(
            f"{name}: steal time is not measurable: it is {kind}, and latlab knows no RISC-V machine whose cycle counters stop at "
            "different privilege levels"
        )


def _conditions(watch: Watch, mode: Mode) -> Conditions:
    commands = [watch.meter("latlab-steal", phase).replace("$OUT/", "") for phase in watch.phases]
    return Conditions(
        mode=mode,
        instrument=TOOL,
        duration_s=watch.duration_s,
        interval_ns=watch.interval_us * 1000,
        priority=PRIORITY,
        load=watch.load_command,
        idle_states=watch.idle_states,
        commands=tuple(commands),
    )


def _new_run(target: str, platform: str, cpus: int, conditions: Conditions, facts: tuple[tuple[str, str], ...] = ()) -> Run:
    deterministic = conditions.mode is Mode.DETERMINISTIC
    return Run(
        campaign=CAMPAIGN,
        target=target,
        platform=platform,
        topology=Topology((cpus,)),
        tick=Tick(Clock.INSTRUCTIONS, 0.5) if deterministic else Tick(Clock.TIME, 1.0),
        contents=Amounts(),
        conditions=conditions,
        started_utc=now_utc(),
        facts=(("tool", TOOL), *facts),
    )


def _times_s(watch: Watch) -> tuple[float, float]:
    expected_s = (watch.duration_s + 2) * len(watch.phases)
    return expected_s, 2 * expected_s + 60


def _conclude(store: Store, run_id: str, run: Run, files: Mapping[str, bytes], complaints: tuple[str, ...]) -> None:
    store.update_metadata(run_id, run)
    store.checkpoint(run_id, files)
    sentences = list(complaints)
    try:
        sentences += problems_of(files)
    except LatlabError as error:
        sentences = sentences or [str(error)]
    finish(store, run_id, [Problem(0, sentence) for sentence in sentences])
