# SPDX-License-Identifier: BSD-3-Clause
"""The TRNG experiment: boots of the guest that differ in what its random numbers cost. Our own EL3 holds each call for longer and longer; a
real secure world is asked for more and more, and built with and without what is advised against it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.campaigns.following import BootWatcher, GuestFollowing, NullObserver, Watcher
from latlab.campaigns.guest_worlds import seen_from_outside
from latlab.campaigns.life import refuse_interrupted, run_lifecycle
from latlab.campaigns.rt import GUEST_PLATFORM, complaints_of, logs_of, version_of, with_boot
from latlab.campaigns.rt_results import conclude, new_run, workload_conditions, workload_facts
from latlab.campaigns.secure_world_options import build_of
from latlab.campaigns.series import planned_series
from latlab.model.conditions import Dose, Mode, StackArm
from latlab.model.life import CUT_OFF, Left
from latlab.model.run import Run
from latlab.store.store import Store, part_of_environment
from latlab.targets.guest.guest import STREAM, GuestMachine, GuestRun, find_firmware, run_guest, stack_of, watched_from_outside
from latlab.targets.guest.guest_image import GuestImage
from latlab.targets.guest.secure_world import Stack
from latlab.targets.linux.rt_job import Drivers, RngNode, Workload, guest_script
from latlab.targets.process.console import Limits, MachineEnd
from latlab.targets.qemu.qemu import Qemu
from latlab.targets.scratch import scratch

CAMPAIGN = "rt-trng"
DOSES_US = (0, 50, 100, 200)
READ_BYTES = (0, 1, 4, 64)
WHOLE_LOG = "boots.txt"
"""A line for each boot that came to its end, which an experiment that goes on need not make again."""
AS_BUILT = "optee"
CAUSES_COST_US = 15
"""By so much later is every wake-up whose causes are kept, so that the same are called late."""


@dataclass(frozen=True, slots=True)
class DoseBoot:
    """One boot as it is made; `description` tells it from the others."""

    dose: Dose
    machine: GuestMachine
    workload: Workload
    drivers: Drivers
    description: str

    @property
    def job(self) -> str:
        return guest_script(self.workload, self.drivers, None if self.dose.stack else self.dose.dose_us)


def trng_doses(doses_us: tuple[int, ...] = DOSES_US) -> tuple[Dose, ...]:
    """The doses with the kernel's own caller alone; then the highest without it, with the other one, and with neither's absence."""
    highest = max(doses_us)
    return (*(_dose(us, True, False) for us in doses_us), _dose(highest, False, False), _dose(highest, False, True))


def stack_doses(read_bytes: tuple[int, ...] = READ_BYTES) -> tuple[Dose, ...]:
    """More and more bytes with each read, of OP-TEE as TF-A builds it; then the most of them where a call can end for Linux, with each half
    of the mitigation and with both; the kernel kept from asking by itself; and once more what both halves leave, with its causes. Without a
    node nobody can read, so that the load reads nothing of it."""
    most = max(read_bytes)
    arms = [StackArm(AS_BUILT, RngNode.OPTEE, count) for count in read_bytes]
    arms += [
        StackArm("optee,timer-switch=0", RngNode.OPTEE, most),
        StackArm("optee,prng", RngNode.NONE, 0),
        StackArm(AS_BUILT, RngNode.FIRMWARE, most),
        StackArm("optee,prng", RngNode.FIRMWARE, most),
        StackArm(AS_BUILT, RngNode.OPTEE, 0, quality=0),
        StackArm("optee,prng", RngNode.FIRMWARE, most, causes=True),
    ]
    return tuple(Dose(_name(arm), 0, True, arm.node is not RngNode.NONE, arm) for arm in arms)


def _dose(dose_us: int, kstack: bool, hwrng: bool) -> Dose:
    return Dose(f"{dose_us}-us-kstack-{_on(kstack)}-hwrng-{_on(hwrng)}", dose_us, kstack, hwrng)


def _name(arm: StackArm) -> str:
    words = [arm.world.replace(",", "-").replace("=", "-"), "numbers", arm.node, "bytes", str(arm.read_bytes)]
    words += ["quality", str(arm.quality)] if arm.quality is not None else []
    return "-".join((*words, *(["causes"] if arm.causes else [])))


def _on(value: bool) -> str:
    return "on" if value else "off"


def held_boots(doses_us: tuple[int, ...], workload: Workload, firmware: Path | None) -> tuple[DoseBoot, ...]:
    """On the firmware that can hold TRNG_RND. Raises UsageError where there is none."""
    return tuple(_held_boot(dose, workload, firmware) for dose in trng_doses(doses_us))


def _held_boot(dose: Dose, workload: Workload, firmware: Path | None) -> DoseBoot:
    machine = GuestMachine(kstack_randomised=dose.kstack_randomised, hold_firmware=True, firmware=firmware)
    find_firmware(machine)
    drivers = Drivers(RngNode.FIRMWARE if dose.hwrng_driver else RngNode.NONE)
    description = (
        f"injected delay of TRNG_RND {dose.dose_us} µs, kernel-stack randomisation {_on(dose.kstack_randomised)}, hwrng "
        f"{_on(dose.hwrng_driver)}"
    )
    return DoseBoot(dose, machine, workload, drivers, description)


def stack_boots(qemu: Qemu, read_bytes: tuple[int, ...], workload: Workload, world_in: Callable[[str], Path]) -> tuple[DoseBoot, ...]:
    """Above a real secure world, seen from outside; `world_in` has the folder of each that is built."""
    return tuple(_stack_boot(qemu, dose, dose.stack, workload, world_in) for dose in stack_doses(read_bytes) if dose.stack)


def _stack_boot(qemu: Qemu, dose: Dose, arm: StackArm, workload: Workload, world_in: Callable[[str], Path]) -> DoseBoot:
    machine = watched_from_outside(GuestMachine(firmware=world_in(arm.world)), qemu)
    source, count = ("hwrng", arm.read_bytes) if arm.read_bytes else ("zero", max(READ_BYTES))
    load = f"dd if=/dev/{source} of=/dev/null bs={count}"
    drivers = Drivers(RngNode(arm.node), True, arm.quality)
    description = f"{arm.world}, numbers of {arm.node}, {load}{', with causes' if arm.causes else ''}"
    outlier_us = workload.outlier_us + (CAUSES_COST_US if arm.causes else 0)
    return DoseBoot(dose, machine, replace(workload, load=load, causes=arm.causes, outlier_us=outlier_us), drivers, description)


def run_trng(
    store: Store,
    qemu: Qemu,
    image: GuestImage,
    boots: Sequence[DoseBoot],
    limits: Limits,
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
    is_new: bool = False,
) -> str:
    """Every boot of an experiment that is still to be made; the run's id. One that was cut off gives what it has to the one that goes on,
    and stays a run of its own."""
    run = _new_run(qemu, image, boots)
    planned, files, whole = ("", {}, []) if part_of_environment() else _begun(store, run, image, boots, is_new)
    complaints: list[str] = []
    done: GuestRun | None = None
    with scratch(persistent=True) as folder, run_lifecycle(store, run, Left(str(folder)), planned) as run_id:
        watcher.start(run_id)
        for boot, title in _still_to_do(boots, whole):
            watcher.phase(f"{title}: {boot.description}", None)
            done, boot_files, wrong = _booted(
                store, run_id, qemu, image, boot, limits, BootWatcher(watcher, title), folder / boot.dose.name
            )
            files |= {f"{boot.dose.name}/{name}": data for name, data in boot_files.items()}
            complaints += [f"{boot.dose.name}: {sentence}" for sentence in (*complaints_of(done), *wrong)]
            if done.outcome.end is MachineEnd.INTERRUPT:
                store.checkpoint(run_id, files)
                break
            whole += [] if complaints_of(done) else [boot.dose.name]
            files[WHOLE_LOG] = "".join(f"{name}\n" for name in whole).encode()
            store.checkpoint(run_id, files)
        run = with_boot(run, done, stack_of(boots[0].machine)) if done else run
        conclude(store, run_id, run, files, tuple(complaints))
        if len(whole) < len(boots):
            store.checkpoint(run_id, {}, CUT_OFF)
    refuse_interrupted(store, run_id, done is not None and done.outcome.end is MachineEnd.INTERRUPT)
    return run_id


def _new_run(qemu: Qemu, image: GuestImage, boots: Sequence[DoseBoot]) -> Run:
    workload, dose = boots[0].workload, boots[0].dose
    booted = replace(workload_conditions(workload, Mode.DETERMINISTIC), kernel=image.kernel_release, kernel_version=version_of(image))
    conditions = replace(booted, doses=tuple(boot.dose for boot in boots))
    facts = workload_facts(workload)
    if dose.stack:
        conditions = replace(conditions, load=None, commands=tuple(dict.fromkeys(_commands(boots))))
        stacks = {boot.dose.stack.world: stack_of(boot.machine) for boot in boots if boot.dose.stack}
        facts = (*facts, *((f"--secure-world {world}", _built_with(stack)) for world, stack in stacks.items() if stack))
    else:
        facts = (*facts, ("doses_us", ",".join(str(shown_dose.dose_us) for shown_dose in conditions.doses[:-2])))
    return new_run(CAMPAIGN, "guest", GUEST_PLATFORM, 1, conditions, facts, emulator=str(qemu))


def _commands(boots: Sequence[DoseBoot]) -> Iterator[str]:
    for boot in boots:
        yield from workload_conditions(boot.workload, Mode.DETERMINISTIC).commands


def _built_with(stack: Stack) -> str:
    build = build_of(stack)
    return ", ".join((build.firmware, *(f"{name}={value}" for name, value in build.options)))


def _begun(store: Store, run: Run, image: GuestImage, boots: Sequence[DoseBoot], is_new: bool) -> tuple[str, dict[str, bytes], list[str]]:
    """The run that goes on, with the files and the names of the boots that an earlier one of the same question had made whole."""
    question = (
        repr(run.conditions),
        repr(run.facts),
        run.emulator,
        str(image.folder),
        *(str(find_firmware(boot.machine)) for boot in boots),
    )
    series = planned_series(store, run, 1, question, is_new)
    (planned,) = series.planned
    earlier = [life.run_id for life in store.unfinished_runs(series=True) if life.part and life.part.series == series.name]
    for run_id in (earlier_run for earlier_run in reversed(earlier) if earlier_run != planned):
        files = store.logs(run_id)
        if whole := files.get(WHOLE_LOG, b"").decode("utf-8", "replace").split():
            return planned, {name: data for name, data in files.items() if name.partition("/")[0] in (*whole, WHOLE_LOG)}, whole
    return planned, {}, []


def _still_to_do(boots: Sequence[DoseBoot], whole: Sequence[str]) -> Iterator[tuple[DoseBoot, str]]:
    """Each with how far the experiment is, and how long it will still take by the boots that were made meanwhile."""
    before, began_s = len(whole), time.monotonic()
    for number, boot in enumerate(boots, 1):
        if boot.dose.name in whole:
            continue
        boots_done = len(whole) - before
        left_s = (time.monotonic() - began_s) / boots_done * (len(boots) - len(whole)) if boots_done else 0.0
        yield boot, f"boot {number} of {len(boots)}" + (f", some {max(1, round(left_s / 60))} min left" if boots_done else "")


def _booted(
    store: Store, run_id: str, qemu: Qemu, image: GuestImage, boot: DoseBoot, limits: Limits, watcher: Watcher, folder: Path
) -> tuple[GuestRun, dict[str, bytes], tuple[str, ...]]:
    """One boot, its files, and what is wrong with what was seen from outside, of which the run keeps the sum alone."""
    folder.mkdir()
    following = GuestFollowing(store, run_id, boot.workload, watcher, folder, f"{boot.dose.name}/")
    done = run_guest(qemu, boot.machine, image, boot.job, limits, following.line, folder, following.poll)
    if boot.machine.probe is None:
        return done, logs_of(done, folder), ()
    world_files, wrong = seen_from_outside(folder / STREAM, done.output.files)
    (folder / STREAM).unlink(missing_ok=True)
    return done, logs_of(done, folder) | world_files, wrong
