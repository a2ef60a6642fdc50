# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run smc`. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from latlab.calls.verbs.subject_options import SubjectOptions, check_given, subject_of
from latlab.calls.verbs.watch import MaskedOption, WatchFormat, conclude
from latlab.core.cli.options import QemuOption, StoreOption, grouped
from latlab.core.errors import UsageError
from latlab.core.model.enums import Taker


def register(run_app: typer.Typer) -> None:
    run_app.command()(grouped(smc))


def smc(
    foreign: SubjectOptions,
    firmware: Annotated[Path | None, typer.Option(help="Image of the firmware; with --machine.", show_default="our own")] = None,
    iterations: Annotated[int, typer.Option(help="How often each call is made.")] = 20,
    sweep: Annotated[
        int,
        typer.Option(
            help="Also let an interrupt in at every instruction of some calls, for so many million instructions each; 1000 are all of most."
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
    """Measure SMC calls of any Arm firmware.

    The calls are PSCI, SMCCC, TRNG, SDEI, FF-A, and OP-TEE up to sessions and shared buffers.
    """
    from latlab.calls.campaign.smc import planned
    from latlab.calls.campaign.watching import Watch, check_counts
    from latlab.core.cli.plugins import probe_for
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.core.targets.scratch import scratch

    if firmware is not None and foreign.machine is None and foreign.subject is None:
        raise UsageError("--firmware FILE is for one machine; say which with --machine virt, raspi4b or sbsa-ref")
    check_given(foreign.subject, firmware, foreign.machine, iterations)
    subject, images = subject_of(foreign, firmware)
    check_counts(iterations, timeout)
    program = find_qemu(qemu)
    how = Watch((), probe_for(program.path, foreign.probe), True, images, timeout, has_masked=masked, has_classes=foreign.classes)
    with scratch() as folder:
        conclude(planned(subject, iterations, program, folder, how, sweep, interrupt), store, format)
