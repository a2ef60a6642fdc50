# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign: power downs and wake-ups, in QEMU, on a board's console and in virtual time."""

from __future__ import annotations

import io
from collections.abc import Callable

from latlab.core.errors import UsageError
from latlab.core.lifecycle.life import Progress, on_qemu, run_lifecycle
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Clock
from latlab.core.model.life import Left
from latlab.core.model.run import Build, Run, Tick, Topology
from latlab.core.readers.elf_build import with_build, with_image
from latlab.core.readers.event_table import event_table
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.core.targets.process import console as consoles
from latlab.core.targets.qemu import qemu as qemus
from latlab.core.targets.qemu.images import PLATFORM, check_events
from latlab.core.targets.scratch import scratch
from latlab.psci.campaign.recording import Recorded, Recorder, record_console
from latlab.psci.targets import virtual_program as virtual_times
from latlab.psci.targets.board import board_digest, board_text

CAMPAIGN = "psci"
CAMPAIGN_TESTS = 6
PAYLOAD = "psci_bench"
MOST_BOOTS = 1000


def run_psci(
    store: Store,
    qemu: qemus.Qemu,
    machine: qemus.QemuMachine,
    limits: consoles.Limits,
    progress: Progress,
    interrupted: Callable[[], bool] = lambda: False,
    boots: int = 1,
) -> Recorded:
    """Run the psci campaign in QEMU and store it: so many cold boots in one run, of which the limits hold for each.

    Raises before the start where firmware, QEMU and machine do not fit.
    """
    if not 1 <= boots <= MOST_BOOTS:
        raise UsageError(f"--boots {boots} is not a number of cold boots", f"use 1 to {MOST_BOOTS}", value=boots)
    check_events(machine.images.firmware_elf, event_table())
    qemus.check_machine(qemu, machine)
    clock = qemus.clock_of(machine.mode)
    with scratch() as folder:

        def boot(number: int) -> consoles.Console:
            secure_log = folder / f"secure-{number}.log"
            return consoles.Console(qemus.command_line(qemu, machine, secure_log), secure_log, limits, interrupted)

        console = consoles.ColdBoots(boot, boots, folder / "secure.log")
        command, tick = console.current.command, Tick(clock, 1.0)
        run = on_qemu(CAMPAIGN, qemu, command, PLATFORM, Build("unknown"), _conditions(machine, command), machine.images.topology, tick)
        return record_console(store, run, lambda hz: qemus.tick_of(clock, hz), console, progress, {}, Left(str(folder)))


def run_psci_console(store: Store, console: consoles.Lines, target: str, platform: str, progress: Progress) -> Recorded:
    """Store the psci campaign that a board's payload prints on its console. What the board is, it says itself."""
    run = Run(
        campaign=CAMPAIGN,
        target=target,
        platform=platform,
        topology=Topology(()),
        tick=Tick(Clock.TIME, 1.0),
        started_utc=now_utc(),
    )
    return record_console(store, run, lambda hz: qemus.tick_of(Clock.TIME, hz), console, progress, {})


def run_psci_virtual(store: Store, virtual: virtual_times.Virtual, progress: Progress) -> Recorded:
    """Run the psci campaign in virtual time and store it. What the program prints takes the path of every dump."""
    run = Run(
        campaign=CAMPAIGN,
        target=f"virtual:{virtual.board.name}",
        platform=virtual.board.name,
        topology=virtual.board.topology,
        tick=Tick(Clock.VIRTUAL, 1.0),
        started_utc=now_utc(),
        emulator=virtual_times.PROGRAM,
        command=virtual.command,
        conditions=Conditions(board_model=board_digest(virtual.board)),
        facts=virtual_times.facts(virtual.board),
    )
    with run_lifecycle(store, run) as run_id:
        progress.start(run_id)
        store.add(run_id, logs={"board": board_text(virtual.board).encode()})
        printed = virtual_times.run_program(virtual.program, virtual.board, virtual.command[2:])
        store.add(run_id, logs={"console": printed})
        recorder = Recorder(store, run_id, run, lambda hz: Tick(Clock.VIRTUAL, 1_000_000_000 / hz), bytes, progress)
        for _ in recorder.read(io.BytesIO(printed)):
            pass
        return recorder.finish()


def _conditions(machine: qemus.QemuMachine, command: tuple[str, ...]) -> Conditions:
    conditions = with_image(with_machine(Conditions(mode=machine.mode), command), [machine.images.firmware_bin])
    return with_build(conditions, machine.images.firmware_elf)
