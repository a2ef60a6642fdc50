# SPDX-License-Identifier: BSD-3-Clause
"""`latlab doctor`. Heavy imports wait until they are needed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from latlab.core.cli.options import StoreOption, refuse_given
from latlab.core.cli.output import show
from latlab.core.errors import UsageError


class DoctorSubject(StrEnum):
    RT = "rt"


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(doctor)


def doctor(
    context: typer.Context,
    subject: Annotated[
        DoctorSubject | None, typer.Argument(help="rt: the set-up of a machine for real-time work.", show_default="what is installed")
    ] = None,
    host: Annotated[str | None, typer.Option(help="For rt: a machine that ssh reaches.", show_default="this machine")] = None,
    run: Annotated[str | None, typer.Option(help="For rt: the machine of this run, and whether its set-up mattered in the run.")] = None,
    qemu: Annotated[Path | None, typer.Option(help="The QEMU to check.", show_default="qemu-system-aarch64")] = None,
    store: StoreOption = None,
) -> None:
    """Check what is installed and what is missing.

    It lists the packages, QEMU and its modes, the compilers, the firmware images and the store. Then it lists, for each verb and target,
    what is missing and how to get it.

    `latlab doctor rt` checks how a machine is set up for real-time work: each point with its source and the command that changes it.
    """
    refused = ("qemu",) if subject is DoctorSubject.RT else ("host", "run")
    refuse_given(context, refused, "is not for this check; `latlab doctor -h` lists the options")
    if subject is DoctorSubject.RT:
        _print_setup(host, run, store)
        return
    from latlab.core.lifecycle.doctor import findings
    from latlab.core.report.doctor_tables import doctor_page
    from latlab.runs.campaign.verb_needs import verb_findings

    all_findings = [*findings(qemu, store), *verb_findings(qemu)]
    show(doctor_page(all_findings))
    if not all(finding.usable for finding in all_findings if finding.needed):
        raise UsageError("a part that `latlab run psci` needs is missing; the lines above have the commands")


def _print_setup(host: str | None, run: str | None, store: StoreOption) -> None:
    from latlab.core.cli.stores import open_existing
    from latlab.core.targets.linux.machine import Here, OverSsh
    from latlab.rt.campaign.machine_setup import setup_of_machine, setup_of_run
    from latlab.rt.pages.machine_setup import setup_page

    if run is not None:
        if host is not None:
            raise UsageError("--run has a machine of its own", "leave out --host")
        opened = open_existing(store)
        run_id = opened.resolve(run)
        show(setup_page(f"The machine of run {run_id}", setup_of_run(opened, run_id), is_of_run=True))
        return
    machine = OverSsh(host) if host else Here()
    show(setup_page(machine.name, setup_of_machine(machine), is_of_run=False))
