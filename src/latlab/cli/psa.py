# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run psa`. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.cli.options import FirmwareOption, QemuOption, StoreOption
from latlab.cli.output import check_output, emit, err, show
from latlab.errors import UsageError

if TYPE_CHECKING:
    from latlab.campaigns.recording import Recorded


def register(run_app: typer.Typer) -> None:
    """Add the campaign to `latlab run`."""
    run_app.command()(psa)


def psa(
    build: Annotated[list[str] | None, typer.Option("--build", help="Only this build of the SPM; may be given several times.")] = None,
    machine: Annotated[str, typer.Option(help="QEMU's board: mps2-an521 or mps2-an505.")] = "mps2-an521",
    priority: Annotated[str, typer.Option(help="Priority of the sweep's interrupt, 0x00 to 0xE0; schedulers use 0xE0.")] = "0x00",
    timeout: Annotated[float, typer.Option(help="Seconds until the target is stopped.")] = 300,
    silence: Annotated[float, typer.Option(help="Seconds without output until the target is stopped.")] = 120,
    qemu: QemuOption = None,
    firmware: FirmwareOption = None,
    store: StoreOption = None,
    html: Annotated[Path | None, typer.Option(help="Also write charts of all builds to this file.")] = None,
) -> None:
    """Measure PSA calls on a Cortex-M33: what each costs by backend and isolation level, and how long interrupts wait."""
    from latlab.analysis.spans.psa_builds import BuildResult
    from latlab.campaigns.psa import CAMPAIGN_ITERATIONS, SYMBOLS_LOG, run_psa
    from latlab.campaigns.recording import verdict
    from latlab.cli.interrupt import Interrupts
    from latlab.cli.stores import open_store
    from latlab.report.progress import RunProgress
    from latlab.report.run.builds import screen
    from latlab.targets.qemu import mps2
    from latlab.targets.qemu.console import Limits
    from latlab.targets.qemu.qemu import find_qemu

    if not (timeout > 0 and silence > 0):
        raise UsageError("--timeout and --silence are seconds; use more than 0")
    try:
        level = int(priority, 0)
    except ValueError:
        raise UsageError(f"--priority {priority} is no number; use 0x00 to 0xE0") from None
    check_output(html)
    images = [mps2.find_psa_images(name, firmware) for name in build or mps2.BUILDS]
    program = find_qemu(qemu or Path(mps2.PROGRAM))
    opened = open_store(store)
    recorded: list[Recorded] = []
    with Interrupts() as interrupts:
        for image in images:
            with RunProgress(err(), f"{program}, {machine}, build {image.build}", CAMPAIGN_ITERATIONS) as progress:
                recorded.append(run_psa(opened, program, machine, image, Limits(timeout, silence), progress, interrupts.asked, level))
    results = [BuildResult(opened.load(r.run_id), mps2.parse_symbols(opened.logs(r.run_id)[SYMBOLS_LOG])) for r in recorded]
    show(screen(results))
    if html:
        from latlab.report.renderers.html import document
        from latlab.report.run.psa_guide import guide

        emit(document(guide(results)), html)
    for one in recorded:
        verdict(one)
