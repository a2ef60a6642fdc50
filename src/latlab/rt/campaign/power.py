# SPDX-License-Identifier: BSD-3-Clause
"""Runs of power cycles under Linux: CPU hotplug and suspend, in the guest, on this machine, over SSH and on a board of labgrid."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from latlab.core.model.conditions import Conditions, Mode
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import Qemu
from latlab.rt.campaign.following import NullObserver, Watcher
from latlab.rt.campaign.measurement import Measurement, measure_in_guest, measure_on_linux
from latlab.rt.campaign.power_results import CAMPAIGN, problems_of
from latlab.rt.model.power_steps import PowerCycles
from latlab.rt.targets.guest.guest import GuestMachine
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.linux import MachineJob, check_module, check_programs, collected, run_job, survey
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
    module = f"/{smc_module.name}" if smc_module else ""
    programs = ((timed_write, "latlab-timed-write"), *(((smc_module, smc_module.name),) if smc_module else ()))
    job = MachineJob(programs, lambda folder: linux_script(power, folder, module and folder + module), *_times_s(power, able))
    say(_expected(machine.name, power, able))
    return measure_on_linux(
        store,
        machine,
        machine_survey,
        collected(machine),
        _measurement(power),
        lambda follower: run_job(machine, machine_survey, job, follower),
        watcher,
        platform,
    )


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
    return measure_in_guest(store, qemu, image, machine, _measurement(power), guest_script(power), limits, watcher)


def _measurement(power: PowerCycle) -> Measurement:
    """What the cycles lost comes before how the job ended."""
    return Measurement(CAMPAIGN, PowerCycles(), partial(_conditions, power), problems_of, is_findings_first=True)


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


def _times_s(power: PowerCycle, able: PowerSurvey) -> tuple[float, float]:
    """How long it takes as a rule, and when it is given up."""
    expected_s = CYCLE_S * power.cycles + power.suspends * (power.alarm_s + 5)
    lost_s = LOST_CPU_S * len(able.cpus_of(power))
    return expected_s, 60 + 10 * expected_s + lost_s


def _expected(name: str, power: PowerCycle, able: PowerSurvey) -> str:
    cpus = ", ".join(map(str, able.cpus_of(power)))
    return f"{name}: {power.cycles} hotplug cycles of CPU {cpus} in turn, {power.suspends} suspends"
