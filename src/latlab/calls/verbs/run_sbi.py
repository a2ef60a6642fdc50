# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run sbi`. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from latlab.calls.verbs.subject_options import ProbeOption, SubjectOption, SymbolsOption
from latlab.calls.verbs.watch import WatchFormat, conclude
from latlab.core.cli.options import QemuOption, StoreOption
from latlab.core.errors import UsageError


def register(run_app: typer.Typer) -> None:
    run_app.command()(sbi)


def sbi(
    harts: Annotated[int, typer.Option(help="Harts of the machine, 1 to 8.")] = 4,
    iterations: Annotated[int, typer.Option(help="How often each call is made.")] = 20,
    firmware: Annotated[Path | None, typer.Option(help="Image of the firmware.", show_default="Debian's package opensbi")] = None,
    subject: SubjectOption = None,
    symbols: SymbolsOption = None,
    functions: Annotated[bool, typer.Option("--functions", help="Also count which code ran inside the calls.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds until the machine is stopped.")] = 300,
    probe: ProbeOption = None,
    qemu: QemuOption = None,
    store: StoreOption = None,
    format: Annotated[WatchFormat, typer.Option(help="How the result is printed.")] = WatchFormat.TABLE,
) -> None:
    """Measure SBI calls of RISC-V firmware.

    The firmware is OpenSBI or another. The calls are start, stop and suspend of harts, IPIs, the timer and base calls.
    """
    from latlab.calls.campaign.sbi import QEMU, load_subject, planned
    from latlab.calls.campaign.watching import check_counts
    from latlab.calls.readers.symbols import read_subject_image
    from latlab.core.cli.plugins import probe_for
    from latlab.core.targets.qemu.qemu import find_qemu

    if subject is not None and firmware is not None:
        raise UsageError("--subject says which firmware; leave out --firmware")
    image, subject_symbols = load_subject(subject) if subject is not None else (firmware, ())
    images = tuple(read_subject_image(text, with_places=True) for text in (*subject_symbols, *(symbols or ())))
    check_counts(iterations, timeout)
    program = find_qemu(qemu or Path(QEMU)).path
    request = planned(image, harts, iterations, probe_for(program, probe), program, functions or bool(images), images, timeout)
    conclude(request, store, format)
