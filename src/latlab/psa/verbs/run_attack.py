# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run attack`. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import SubjectOption
from latlab.core.cli.options import FirmwareOption, QemuOption, StoreOption, grouped, names_of, refuse_given
from latlab.core.cli.output import err, show
from latlab.core.errors import DataError, TestFailed, UsageError
from latlab.psa.model import AttackOutcome, Family

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.psa.campaign.attack import Attacked
    from latlab.psa.targets.attack_subject import AttackSubject


@dataclass(frozen=True, slots=True)
class OwnOptions:
    """latlab's own SPM, with its test partitions."""

    build: Annotated[list[str] | None, typer.Option("--build", help="Only this build of the SPM; may be given several times.")] = None
    machine: Annotated[str, typer.Option(help="QEMU's board: mps2-an521 or mps2-an505.")] = "mps2-an521"
    firmware: FirmwareOption = None


def register(run_app: typer.Typer) -> None:
    """Add the campaign to `latlab run`."""
    run_app.command()(grouped(attack))


def attack(
    context: typer.Context,
    build_options: OwnOptions,
    subject: SubjectOption = None,
    family: Annotated[
        list[Family] | None, typer.Option("--family", help="Only attacks of this family; may be given several times.")
    ] = None,
    witness: Annotated[Path | None, typer.Option(help="The plugin that watches.", show_default="build folder or package")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds until a machine is stopped.")] = 3600,
    silence: Annotated[float, typer.Option(help="Seconds without output until a machine is stopped.")] = 600,
    qemu: QemuOption = None,
    store: StoreOption = None,
) -> None:
    """Attack a secure partition manager.

    The attacks come from the non-secure side and from a partition of latlab's. It prints the result of each.
    """
    from latlab.core.cli.stores import open_store

    if not (timeout > 0 and silence > 0):
        raise UsageError("--timeout and --silence are seconds", "use more than 0")
    if subject is not None:
        refuse_given(context, names_of(OwnOptions), "has no effect with --subject; leave it out")
    subjects = _own_subjects(build_options) if subject is None else [_foreign(subject)]
    opened = open_store(store)
    families = frozenset(attack_family.value for attack_family in family or ())
    _conclude(opened, [_attacked(opened, attack_target, families, witness, (timeout, silence), qemu) for attack_target in subjects])


def _own_subjects(build_options: OwnOptions) -> list[AttackSubject]:
    from latlab.psa.targets.attack_subject import BUILDS, own_subject
    from latlab.psa.targets.mps2 import MACHINES

    if build_options.machine not in MACHINES:
        raise UsageError(
            f"--machine {build_options.machine} does not support attacks", f"use one of {', '.join(MACHINES)}", value=build_options.machine
        )
    return [own_subject(build, build_options.firmware, build_options.machine) for build in build_options.build or BUILDS]


def _foreign(path: Path) -> AttackSubject:
    from latlab.psa.targets.attack_subject import attack_subject
    from latlab.psa.targets.psa_subject import load_psa_subject

    return attack_subject(load_psa_subject(path))


def _attacked(
    store: Store, subject: AttackSubject, families: frozenset[str], witness: Path | None, limits: tuple[float, float], qemu: Path | None
) -> Attacked:
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.plugins import plugin_for
    from latlab.core.report.progress import RunProgress
    from latlab.core.targets.process.console import Limits
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.psa.campaign.attack import run_attack
    from latlab.psa.targets.attack_params import WITNESS
    from latlab.psa.targets.mps2 import PROGRAM

    program = find_qemu(qemu or Path(PROGRAM))
    plugin = plugin_for(WITNESS, program.path, witness)
    with Interrupts() as interrupts, RunProgress(err(), f"{subject.psa.name}, {program}", None) as progress:
        return run_attack(store, program, subject, plugin, Limits(*limits), progress, interrupts.asked, families)


def _conclude(store: Store, attacked: list[Attacked]) -> None:
    from latlab.core.report.page import Page, Section
    from latlab.psa.campaign.attack import with_attacks
    from latlab.psa.pages.attack_pages import beside, screen

    runs = [with_attacks(store, store.load(outcome.run_id)) for outcome in attacked]
    for run in runs:
        show(screen(run))
    if len(runs) > 1:
        show(Page("", sections=(Section("", (beside(runs),)),)))
    _verdict(attacked)


def _verdict(attacked: list[Attacked]) -> None:
    """1 where something is broken, 3 where it could not be told."""
    broken = [(outcome.run_id, result) for outcome in attacked for result in outcome.results if result.outcome is AttackOutcome.BROKEN]
    if broken:
        run, first = broken[0]
        raise TestFailed(f"{len(broken)} attacks broke the isolation, first in {run}: {first.name}: {first.sentence}")
    for attacked_run in attacked:
        if attacked_run.problems:
            raise DataError(
                f"{attacked_run.run_id} is partial: {attacked_run.problems[0].message}",
                f"`latlab show {attacked_run.run_id} --log console` has its lines",
            )
        unknown = [result for result in attacked_run.results if result.outcome is AttackOutcome.INCONCLUSIVE]
        if unknown:
            raise DataError(f"of {len(unknown)} attacks the outcome is unknown, first of {unknown[0].name}", place=attacked_run.run_id)
