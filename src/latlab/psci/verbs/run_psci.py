# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run psci`, and the console of a board of labgrid as its target. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import SubjectOptions
from latlab.core.cli.options import (
    BoardOptions,
    FirmwareOption,
    Format,
    LimitOptions,
    QemuOption,
    StoreOption,
    TablesFormat,
    grouped,
    names_of,
    refuse_given,
)
from latlab.core.cli.output import err, say
from latlab.core.store.address import Place
from latlab.psci.verbs.foreign import run as run_subject
from latlab.psci.verbs.from_trace import TraceOptions, write_program
from latlab.psci.verbs.from_trace import run as run_trace

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.core.targets.process.console import Limits
    from latlab.psci.campaign.recording import Recorded

DEFAULT_TOPOLOGY = "2,4"
OF_TRACES = ("console", "platform", "firmware_name")


class ModeName(StrEnum):
    DETERMINISTIC = "deterministic"
    MULTI_THREAD = "multi-thread"


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """What the image in QEMU or in virtual time does."""

    topology: Annotated[
        str | None, typer.Option(help="Cores of each cluster.", show_default=f"{DEFAULT_TOPOLOGY}; virtual: the platform's")
    ] = None
    iterations: Annotated[int, typer.Option(help="Iterations of each test in one boot.")] = 20


@dataclass(frozen=True, slots=True)
class EmulatorOptions:
    """QEMU and the machine in it."""

    gic: Annotated[int, typer.Option(help="Version of the interrupt controller: 2 or 3.")] = 3
    el: Annotated[int, typer.Option(help="Exception level of the payload: 1 or 2.")] = 1
    boots: Annotated[int, typer.Option(help="Cold boots, each with all iterations: the sampling unit of every verdict.")] = 1
    mode: Annotated[ModeName, typer.Option(help="deterministic counts instructions; multi-thread is a functional check.")] = (
        ModeName.DETERMINISTIC
    )
    qemu: QemuOption = None
    firmware: FirmwareOption = None
    build: Annotated[str, typer.Option(help="Another build of the firmware, such as debug or hardened.", show_default="release")] = ""


def register(run_app: typer.Typer) -> None:
    """Add the verb to the command line."""
    run_app.command("psci")(grouped(psci))


def psci(
    context: typer.Context,
    image: ImageOptions,
    emulator: EmulatorOptions,
    limits: LimitOptions,
    board: BoardOptions,
    foreign: SubjectOptions,
    traced: TraceOptions,
    target: Annotated[
        str, typer.Option(help="Where it runs: qemu, virtual:PLATFORM in virtual time, or labgrid: a board's console.")
    ] = "qemu",
    store: StoreOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Measure PSCI power-down and wake-up of each core.

    The calls are CPU_SUSPEND to the deepest level and to level 0, CPU_OFF and PSCI_VERSION.
    """
    from latlab.core.cli.stores import open_store

    if traced.trace or traced.program_out is not None:
        _traced(context, traced, foreign, store, format)
        return
    refuse_given(context, OF_TRACES, "is for a trace; it needs --trace FILE")
    allowed = limits.limits()
    if foreign.subject is not None or foreign.machine is not None:
        without_effect = ("target", "topology", "gic", "el", "boots", "mode", "build", *names_of(BoardOptions))
        refuse_given(context, without_effect, "has no effect with --subject or --machine; leave it out")
        opened, recorded = run_subject(foreign, emulator.firmware, emulator.qemu, image.iterations, allowed, store)
        conclude(opened, recorded, format)
        return
    refuse_given(context, names_of(SubjectOptions), "is for the probe; it needs --subject FILE or --machine MACHINE")
    if target == "labgrid":
        without_effect = (*names_of(ImageOptions), *names_of(EmulatorOptions))
        refuse_given(context, without_effect, "has no effect on a board, whose firmware is in its flash")
        opened = open_store(store)
        recorded = record_console_of(board, opened, allowed)
    elif target == "qemu":
        refuse_given(context, names_of(BoardOptions), "is for a board; it needs --target labgrid")
        opened, recorded = _in_qemu(image, emulator, allowed, store)
    else:
        other = (*names_of(EmulatorOptions), *names_of(BoardOptions), *names_of(LimitOptions))
        refuse_given(context, other, "has no effect in virtual time; leave it out")
        opened, recorded = _in_virtual_time(target, image, store)
    conclude(opened, recorded, format)


def _traced(context: typer.Context, traced: TraceOptions, foreign: SubjectOptions, store: Place | None, format: Format) -> None:
    other = (*names_of(ImageOptions), *names_of(EmulatorOptions), *names_of(BoardOptions), *names_of(LimitOptions))
    of_probe = ("target", "subject", "probe", "classes")
    refuse_given(context, (*other, *of_probe), "has no effect on a machine elsewhere; leave it out")
    if traced.program_out is not None:
        refuse_given(context, ("trace", *OF_TRACES, "symbols"), "has no effect with --program-out; leave it out")
        say(f"{write_program(traced, foreign)}: written; run it as the normal world's first program, and trace it")
        return
    refuse_given(context, ("machine",), "has no effect on a trace; leave it out")
    opened, recorded, clock_run = run_trace(traced, foreign, store)
    if clock_run:
        say(f"run {clock_run}: the same calls by the clock of the trace")
    conclude(opened, recorded, format)


def conclude(store: Store, recorded: Recorded, format: Format) -> None:
    """Print what was measured, then what is wrong with it."""
    from latlab.core.cli.showing import print_run
    from latlab.core.report.facts import problem_items
    from latlab.core.report.renderers.terminal import print_block
    from latlab.psci.campaign.recording import verdict

    run = store.load(recorded.run_id)
    if run.samples:
        print_run(store, run, format)
    if format is not Format.TABLE or not run.samples:
        print_block(err(), problem_items(recorded.problems, marked=True))
    say(f"run {recorded.run_id}: {recorded.samples} samples")
    verdict(recorded)


def _in_qemu(image: ImageOptions, emulator: EmulatorOptions, limits: Limits, store: Place | None) -> tuple[Store, Recorded]:
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.stores import open_store
    from latlab.core.model.conditions import Mode
    from latlab.core.report.progress import RunProgress
    from latlab.core.targets.qemu.images import find_images
    from latlab.core.targets.qemu.qemu import QemuMachine, find_qemu
    from latlab.psci.campaign.measure import CAMPAIGN_TESTS, PAYLOAD, run_psci
    from latlab.psci.campaign.virtual_target import topology_of

    topology = topology_of(DEFAULT_TOPOLOGY if image.topology is None else image.topology)
    images = find_images(topology, PAYLOAD, emulator.firmware, emulator.build)
    machine = QemuMachine(images, PAYLOAD, Mode(emulator.mode.value), emulator.gic, emulator.el, image.iterations)
    program = find_qemu(emulator.qemu)
    opened = open_store(store)
    description = f"{program}, topology {images.topology}"
    with Interrupts() as interrupts, RunProgress(err(), description, emulator.boots * image.iterations * CAMPAIGN_TESTS) as progress:
        return opened, run_psci(opened, program, machine, limits, progress, interrupts.asked, emulator.boots)


def _in_virtual_time(target: str, image: ImageOptions, store: Place | None) -> tuple[Store, Recorded]:
    from latlab.core.cli.stores import open_store
    from latlab.core.report.progress import RunProgress
    from latlab.psci.campaign.measure import CAMPAIGN_TESTS, run_psci_virtual
    from latlab.psci.campaign.virtual_target import virtual_of

    virtual = virtual_of(target, image.topology, image.iterations)
    opened = open_store(store)
    with RunProgress(err(), f"virtual time, platform {virtual.board.name}", image.iterations * CAMPAIGN_TESTS) as progress:
        return opened, run_psci_virtual(opened, virtual, progress)


def record_console_of(board: BoardOptions, store: Store, limits: Limits) -> Recorded:
    """Follow the board's console from before it is switched on."""
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.report.progress import RunProgress
    from latlab.core.targets.linux.labgrid_board import opened, prepare
    from latlab.psci.campaign.measure import run_psci_console
    from latlab.psci.targets.labgrid_console import LabgridConsole

    name = board.target_name
    with (
        opened(board.config, name) as target,
        Interrupts() as interrupts,
        RunProgress(err(), f"the console of labgrid target {name!r}", None) as progress,
    ):
        console = LabgridConsole(target, limits, interrupts.asked)
        console.open()
        prepare(target, board.state, board.power_cycle)
        return run_psci_console(store, console, f"labgrid:{name}", name, progress)
