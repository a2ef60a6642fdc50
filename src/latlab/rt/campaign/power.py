# SPDX-License-Identifier: BSD-3-Clause
"""Runs of power cycles under Linux: CPU hotplug and suspend, in the guest, on this machine, over SSH and on a board of labgrid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from latlab.core.errors import LatlabError
from latlab.core.lifecycle.life import finish, refuse_interrupted, run_lifecycle
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock
from latlab.core.model.life import Left
from latlab.core.model.run import Problem, Run, Tick, Topology
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.core.targets.process.console import Limits, MachineEnd
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.rt.campaign.following import GuestFollowing, LinuxFollowing, NullObserver, Watcher
from latlab.rt.campaign.measure import GUEST_PLATFORM, complaints_of, guest_facts, logs_of, machine_conditions, with_boot
from latlab.rt.campaign.on_linux import mode_of, target_of, with_machine_of
from latlab.rt.campaign.power_results import CAMPAIGN, problems_of
from latlab.rt.campaign.results import measured_on_facts
from latlab.rt.model.power_steps import PowerCycles
from latlab.rt.targets.guest.guest import GuestMachine, find_firmware, run_guest, stack_of
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.linux import MachineJob, check_module, check_programs, collected, run_job, survey
from latlab.rt.targets.machine_inventory import COLLECTED, read_collected
from latlab.rt.targets.power_job import PowerCycle, guest_script, linux_script
from latlab.rt.targets.power_survey import PowerSurvey, check_power_survey, power_survey
from latlab.rt.targets.recorder_binary import timed_write_for

Say = Callable[[str], None]
PRIORITY = 1
CYCLE_S, LOST_CPU_S = 0.5, 15
"""How long a cycle takes on a usual machine; and how long a kernel waits for a CPU that does not come, going down, up, and once more."""


def run_power_linux(
    store: Store,
    machine: Machine,
    power: PowerCycle,
    say: Say,
    platform: str = "",
    smc_module: Path | None = None,
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
) -> str:
    """Power cycles of a Linux machine, wherever it is; the run's id."""
    machine_survey, able = survey(machine, PRIORITY), power_survey(machine)
    check_programs(machine, machine_survey, power.load_command)
    check_module(machine, machine_survey, smc_module)
    check_power_survey(machine.name, able, power)
    timed_write = timed_write_for(machine_survey.machine)
    collected_files = {COLLECTED: collected(machine)}
    itself = read_collected(collected_files[COLLECTED])
    conditions = with_machine_of(_conditions(power, mode_of(machine_survey)), machine_survey, itself)
    target = target_of(machine)
    run = new_run(
        target, platform or f"{machine.name}, {machine_survey.machine}", machine_survey.cpus, conditions, measured_on_facts(collected_files)
    )
    module = f"/{smc_module.name}" if smc_module else ""
    programs = ((timed_write, "latlab-timed-write"), *(((smc_module, smc_module.name),) if smc_module else ()))
    say(_expected(machine.name, power, able))
    with run_lifecycle(store, run, Left(machine=machine.address)) as run_id:
        watcher.start(run_id)
        store.checkpoint(run_id, collected_files)
        job = MachineJob(programs, lambda folder: linux_script(power, folder, module and folder + module), *_times_s(power, able))
        done = run_job(machine, machine_survey, job, LinuxFollowing(store, run_id, None, watcher, machine))
        files = store.logs(run_id) | done.files
        _conclude(store, run_id, run, files, (done.sentence,) if done.sentence else ())
    return run_id


def run_power_guest(
    store: Store,
    qemu: Qemu,
    image: GuestImage,
    machine: GuestMachine,
    power: PowerCycle,
    limits: Limits,
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
) -> str:
    """Power cycles of the guest; the run's id."""
    find_firmware(machine)
    conditions = _conditions(power, Mode.MULTI_THREAD).completed(machine_conditions(machine, image, Mode.MULTI_THREAD))
    run = replace(new_run("guest", GUEST_PLATFORM, machine.cores, conditions, guest_facts(machine)), emulator=str(qemu))
    with scratch(persistent=True) as folder, run_lifecycle(store, run, Left(str(folder))) as run_id:
        watcher.start(run_id)
        following = GuestFollowing(store, run_id, None, watcher, folder)
        done = run_guest(qemu, machine, image, guest_script(power), limits, following.line, folder, following.poll)
        _conclude(store, run_id, with_boot(run, done, stack_of(machine)), logs_of(done, folder), complaints_of(done))
    refuse_interrupted(store, run_id, done.outcome.end is MachineEnd.INTERRUPT)
    return run_id


def _conditions(power: PowerCycle, mode: Mode) -> Conditions:
    load = power.load_command
    return Conditions(
        mode=mode,
        hotplug_cycles=power.cycles,
        suspends=power.suspends,
        load=load,
        affinity=power.cpus or None,
        commands=(f"{load} &",) if load else (),
    )


def new_run(target: str, platform: str, cpus: int, conditions: Conditions, facts: tuple[tuple[str, str], ...]) -> Run:
    return Run(
        campaign=CAMPAIGN,
        target=target,
        platform=platform,
        topology=Topology((cpus,)),
        tick=Tick(Clock.TIME, 1.0),
        contents=PowerCycles(),
        conditions=conditions,
        started_utc=now_utc(),
        facts=facts,
    )


def _times_s(power: PowerCycle, able: PowerSurvey) -> tuple[float, float]:
    """How long it takes as a rule, and when it is given up."""
    expected_s = CYCLE_S * power.cycles + power.suspends * (power.alarm_s + 5)
    lost_s = LOST_CPU_S * len(able.cpus_of(power))
    return expected_s, 60 + 10 * expected_s + lost_s


def _expected(name: str, power: PowerCycle, able: PowerSurvey) -> str:
    cpus = ", ".join(map(str, able.cpus_of(power)))
    return f"{name}: {power.cycles} hotplug cycles of CPU {cpus} in turn, {power.suspends} suspends"


def _conclude(store: Store, run_id: str, run: Run, files: Mapping[str, bytes], complaints: tuple[str, ...]) -> None:
    """What the cycles lost comes before how the job ended."""
    store.update_metadata(run_id, run)
    store.checkpoint(run_id, files)
    try:
        sentences = [*problems_of(run, files), *complaints]
    except LatlabError as error:
        sentences = [*complaints, str(error)]
    finish(store, run_id, [Problem(0, sentence) for sentence in sentences])
