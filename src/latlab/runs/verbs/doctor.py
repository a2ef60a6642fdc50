# SPDX-License-Identifier: BSD-3-Clause
"""`latlab doctor`. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from latlab.core.cli.options import StoreOption
from latlab.core.cli.output import show
from latlab.core.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(doctor)


def doctor(
    qemu: Annotated[Path | None, typer.Option(help="The QEMU to check.", show_default="qemu-system-aarch64")] = None,
    store: StoreOption = None,
) -> None:
    """Check what is installed and what is missing.

    It lists the packages, QEMU and its modes, the compilers, the firmware images and the store. Then it lists, for each verb and target,
    what is missing and how to get it.
    """
    from latlab.core.lifecycle.doctor import findings
    from latlab.core.report.doctor_tables import doctor_page
    from latlab.runs.campaign.verb_needs import verb_findings

    all_findings = [*findings(qemu, store), *verb_findings(qemu)]
    show(doctor_page(all_findings))
    if not all(finding.usable for finding in all_findings if finding.needed):
        raise UsageError("a part that `latlab run psci` needs is missing; the lines above have the commands")
