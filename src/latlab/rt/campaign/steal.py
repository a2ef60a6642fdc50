# SPDX-License-Identifier: BSD-3-Clause
"""The steal campaign: what firmware and secure world take of each CPU of a Linux machine, as it is and under a load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from latlab.core.errors import DataError, UsageError
from latlab.core.model.amounts import Amounts
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.run import Run
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import Qemu
from latlab.rt.campaign.following import NullObserver, Watcher
from latlab.rt.campaign.measurement import Measurement, measure_in_guest, measure_on_linux
from latlab.rt.campaign.results import kernel_warnings
from latlab.rt.campaign.secure_world_options import of_drivers
from latlab.rt.campaign.steal_results import CAMPAIGN, TOOL, problems_of
from latlab.rt.targets.guest.guest import GuestMachine
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.linux import MachineJob, collected, run_job, survey
from latlab.rt.targets.recorder_binary import meter_for
from latlab.rt.targets.rt_job import Drivers
from latlab.rt.targets.steal_job import Watch, guest_script, script

Say = Callable[[str], None]
PRIORITY = 90
FACTS = (("tool", TOOL),)


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
    job = MachineJob(((meter, "latlab-steal"),), lambda folder: script(watch, f"{folder}/latlab-steal"), *_times_s(watch))
    measurement = Measurement(CAMPAIGN, Amounts(), lambda mode: _conditions(watch, mode), lambda run, files: problems_of(files), FACTS)
    return measure_on_linux(
        store,
        machine,
        machine_survey,
        collected(machine),
        measurement,
        lambda follower: run_job(machine, machine_survey, job, follower),
        watcher,
        platform,
    )


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
    measurement = Measurement(
        CAMPAIGN, Amounts(), lambda mode: replace(_conditions(watch, mode), **of_drivers(drivers)), _problems_in_guest, FACTS
    )
    return measure_in_guest(store, qemu, image, machine, measurement, guest_script(watch, drivers), limits, watcher)


def _refuse_kind(name: str, kind: str) -> None:
    if kind.startswith("arm"):
        raise DataError(f"time in firmware is not measurable with its 32-bit kernel ({kind})", "boot a 64-bit one, aarch64", place=name)
    if kind.startswith("riscv"):
        raise DataError(
            f"time in firmware is not measurable: it is {kind}, and latlab knows no RISC-V machine whose cycle counters stop at "
            "different privilege levels",
            place=name,
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


def _times_s(watch: Watch) -> tuple[float, float]:
    expected_s = (watch.duration_s + 2) * len(watch.phases)
    return expected_s, 2 * expected_s + 60


def _problems_in_guest(run: Run, files: Mapping[str, bytes]) -> list[str]:
    """The guest's kernel is latlab's own, so its warnings count."""
    return [*kernel_warnings(files.get("kernel.log", b"")), *problems_of(files)]
