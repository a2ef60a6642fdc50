# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the rt campaign: wake-ups in the guest and on a Linux machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.run import Run
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import Qemu
from latlab.rt.campaign.following import NullObserver, Watcher
from latlab.rt.campaign.measurement import GUEST_PLATFORM, Measurement, measure_in_guest, measure_on_linux
from latlab.rt.campaign.results import CAMPAIGN, new_run, problems_of, workload_conditions, workload_facts
from latlab.rt.campaign.secure_world_options import of_drivers
from latlab.rt.campaign.workloads import bounds_of, expected
from latlab.rt.targets.guest.guest import GuestMachine, check_machine
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.linux import Chosen, check_module, check_survey, collected, fitted, notes, ready_recorder, run_linux, survey
from latlab.rt.targets.machine_inventory import read_collected
from latlab.rt.targets.machine_setup import advice
from latlab.rt.targets.rt_job import USUAL_DRIVERS, Drivers, Workload, guest_script

Say = Callable[[str], None]


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
    on_any = _measurement(workload, options.trace)
    measurement = replace(
        on_any, conditions=lambda mode: replace(on_any.conditions(mode), **of_drivers(options.drivers), trng_hold_us=options.hold_us)
    )
    job = guest_script(workload, options.drivers, options.hold_us, options.trace)
    return measure_in_guest(store, qemu, image, machine, measurement, job, limits, watcher, planned)


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
    chosen: Chosen = Chosen(),  # noqa: B008 - it has no state
) -> str:
    """One measurement on a Linux machine, wherever it is; the run's id. `platform` names the board where its address does not. What the
    user has not `chosen` is measured with the programs that the machine has."""
    machine_survey = survey(machine, workload.priority)
    fit = fitted(machine_survey, workload, chosen)
    workload = fit.workload
    check_survey(machine, machine_survey, workload)
    check_module(machine, machine_survey, smc_module)
    ready_recorder(machine_survey)
    inventory = collected(machine)
    bounds = bounds_of(workload, len(workload.affinity) or machine_survey.cpus)
    for note in filter(None, (fit.note, *notes(machine_survey), *advice(read_collected(inventory)), bounds)):
        say(f"{machine.name}: {note}")
    say(f"{machine.name}: {expected(workload)}")
    return measure_on_linux(
        store,
        machine,
        machine_survey,
        inventory,
        _measurement(workload, probes),
        lambda follower: run_linux(machine, machine_survey, workload, smc_module, probes, follower),
        watcher,
        platform,
        planned,
    )


def planned_run(workload: Workload, platform: str) -> Run:
    """What is known of a boot before its target has been asked anything; `platform` is empty for the guest."""
    mode, target = (Mode.REAL, "labgrid") if platform else (Mode.DETERMINISTIC, "guest")
    return new_run(CAMPAIGN, target, platform or GUEST_PLATFORM, 1, workload_conditions(workload, mode), workload_facts(workload))


def _measurement(workload: Workload, has_probes: bool) -> Measurement:
    conditions = partial(workload_conditions, workload, has_probes=has_probes)
    return Measurement(CAMPAIGN, WakeupCounts(), conditions, problems_of, workload_facts(workload), workload)
