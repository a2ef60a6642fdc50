# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run calls`. Heavy imports wait until they are needed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import SubjectOptions, check_given, subject_of
from latlab.calls.verbs.watch import MaskedOption, WatchFormat, conclude
from latlab.core.cli.options import QemuOption, StoreOption, grouped, refuse_given
from latlab.core.errors import UsageError
from latlab.core.model.enums import Taker

if TYPE_CHECKING:
    from latlab.calls.campaign.watching import Watch


class Abi(StrEnum):
    SMC = "smc"
    SBI = "sbi"


OF_SMC = ("machine", "classes", "sweep", "interrupt", "masked")
OF_SBI = ("harts", "functions")


def register(run_app: typer.Typer) -> None:
    run_app.command()(grouped(calls))


def calls(
    context: typer.Context,
    foreign: SubjectOptions,
    abi: Annotated[
        Abi | None, typer.Option(help="The calls: smc of Arm firmware, sbi of RISC-V firmware.", show_default="that of --subject, or smc")
    ] = None,
    firmware: Annotated[
        Path | None, typer.Option(help="Image of the firmware; smc: with --machine.", show_default="smc: our own; sbi: Debian's opensbi")
    ] = None,
    iterations: Annotated[int, typer.Option(help="How often each call is made.")] = 20,
    harts: Annotated[int, typer.Option(help="sbi: harts of the machine, 1 to 8.")] = 4,
    functions: Annotated[bool, typer.Option("--functions", help="sbi: also count which code ran inside the calls, as smc does.")] = False,
    sweep: Annotated[
        int,
        typer.Option(
            help="smc: interrupts at every instruction of some calls, for so many million instructions each; 1000 are all of most."
        ),
    ] = 0,
    interrupt: Annotated[
        Taker, typer.Option(help="Of a sweep: the normal world's, or of firmware that is built for it the secure world's or EL3's.")
    ] = Taker.NORMAL,
    masked: MaskedOption = False,
    timeout: Annotated[float, typer.Option(help="Seconds until a boot of the machine is stopped.")] = 600,
    qemu: QemuOption = None,
    store: StoreOption = None,
    format: Annotated[WatchFormat, typer.Option(help="How the result is printed.")] = WatchFormat.TABLE,
) -> None:
    """Measure SMC or SBI calls of any firmware.

    SMC calls are those of PSCI, SMCCC, TRNG, SDEI, FF-A, and OP-TEE up to sessions and shared buffers. SBI calls are start, stop and
    suspend of harts, IPIs, the timer and base calls.
    """
    from latlab.calls.campaign import sbi, smc
    from latlab.calls.campaign.watching import Watch, check_counts
    from latlab.core.cli.plugins import probe_for
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.core.targets.scratch import scratch

    abi = abi or (Abi.SBI if foreign.subject is not None and sbi.is_subject(foreign.subject) else Abi.SMC)
    if abi is Abi.SBI:
        refuse_given(context, OF_SMC, "is for --abi smc; leave it out")
        conclude(_sbi(foreign, firmware, harts, iterations, functions, timeout, qemu), store, format)
        return
    refuse_given(context, OF_SBI, "is for RISC-V; leave it out or add --abi sbi")
    if firmware is not None and foreign.machine is None and foreign.subject is None:
        raise UsageError("--firmware FILE is for one machine", "say which with --machine virt, raspi4b or sbsa-ref, or add --abi sbi")
    check_given(foreign.subject, firmware, foreign.machine, iterations)
    subject, images = subject_of(foreign, firmware)
    check_counts(iterations, timeout)
    program = find_qemu(qemu)
    how = Watch((), probe_for(program.path, foreign.probe), True, images, timeout, has_masked=masked, has_classes=foreign.classes)
    with scratch() as folder:
        conclude(smc.planned(subject, iterations, program, folder, how, sweep, interrupt), store, format)


def _sbi(
    foreign: SubjectOptions, firmware: Path | None, harts: int, iterations: int, functions: bool, timeout: float, qemu: Path | None
) -> Watch:
    from latlab.calls.campaign.sbi import QEMU, load_subject, planned
    from latlab.calls.campaign.watching import check_counts
    from latlab.calls.readers.symbols import read_subject_image
    from latlab.core.cli.plugins import probe_for
    from latlab.core.targets.qemu.qemu import find_qemu

    if foreign.subject is not None and firmware is not None:
        raise UsageError("--subject says which firmware", "leave out --firmware")
    image, subject_symbols = load_subject(foreign.subject) if foreign.subject is not None else (firmware, ())
    images = tuple(read_subject_image(text, with_places=True) for text in (*subject_symbols, *(foreign.symbols or ())))
    check_counts(iterations, timeout)
    program = find_qemu(qemu or Path(QEMU)).path
    return planned(image, harts, iterations, probe_for(program, foreign.probe), program, functions or bool(images), images, timeout)
