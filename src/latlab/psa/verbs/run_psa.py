# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run psa`. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import ProbeOption, SubjectOption, SymbolsOption
from latlab.core.cli.options import FirmwareOption, LimitOptions, QemuOption, StoreOption, grouped, names_of, refuse_given
from latlab.core.cli.output import check_output, emit, err, show
from latlab.core.errors import UsageError
from latlab.core.store.address import Place

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.core.targets.process.console import Limits
    from latlab.psci.campaign.recording import Recorded


BUILD_HELP = "Only this build of the SPM, repeatable: sfn_l1, ipc_l1, ipc_l2, ipc_l3, classic_l1 or classic_l2."


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """latlab's own SPM."""

    build: Annotated[list[str] | None, typer.Option("--build", help=BUILD_HELP)] = None
    machine: Annotated[str, typer.Option(help="QEMU's board: mps2-an521, mps2-an505 or mps3-an547.")] = "mps2-an521"
    firmware: FirmwareOption = None


@dataclass(frozen=True, slots=True)
class PsaSubjectOptions:
    """Somebody else's SPM, such as a build of TF-M. --subject names it, the others go with it."""

    subject: SubjectOption = None
    iterations: Annotated[int, typer.Option(help="With --subject: iterations of each call in one boot.")] = 20
    shots: Annotated[
        int, typer.Option(help="With --subject: the most interrupts in one call; longer calls get one at every n-th instruction.")
    ] = 10_000
    symbols: SymbolsOption = None
    probe: ProbeOption = None


@dataclass(frozen=True, slots=True)
class PsaLimitOptions(LimitOptions):
    silence: Annotated[float, typer.Option(help="Seconds without output until the target is stopped.")] = 120


def register(run_app: typer.Typer) -> None:
    """Add the campaign to `latlab run`."""
    run_app.command()(grouped(psa))


def psa(
    context: typer.Context,
    build_options: BuildOptions,
    foreign: PsaSubjectOptions,
    limit: PsaLimitOptions,
    priority: Annotated[str, typer.Option(help="Priority of the sweep's interrupt, 0x00 to 0xE0; schedulers use 0xE0.")] = "0x00",
    basepri: Annotated[str, typer.Option(help="What the sweep's calls are masked by, 0x20 to 0xE0; 0x00 masks nothing.")] = "0x00",
    qemu: QemuOption = None,
    store: StoreOption = None,
    html: Annotated[Path | None, typer.Option(help="Also write charts of all builds to this file.")] = None,
) -> None:
    """Measure PSA calls on a Cortex-M33 or M55.

    It prints the cost by backend and isolation level, and how long interrupts wait.
    """
    from latlab.core.cli.stores import open_store

    limits = limit.limits()
    level, mask = _number("--priority", priority), _number("--basepri", basepri)
    check_output(html)
    if foreign.subject is not None:
        refuse_given(context, (*names_of(BuildOptions), "basepri"), "has no effect with --subject; leave it out")
        opened = open_store(store)
        recorded = [_subject(opened, foreign, foreign.subject, qemu, level, limits)]
    else:
        refuse_given(context, names_of(PsaSubjectOptions), "goes with --subject FILE")
        opened, recorded = _own_builds(build_options, qemu, (level, mask), limits, store)
    _conclude(opened, recorded, html)


def _number(option: str, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise UsageError(f"{option} {text} is no number", "use 0x00 to 0xE0") from None


def _conclude(store: Store, recorded: list[Recorded], html: Path | None) -> None:
    from latlab.core.report.facts import problem_items
    from latlab.core.report.renderers.terminal import print_block
    from latlab.psa.analysis.builds import BuildResult
    from latlab.psa.campaign.measure import load_symbols
    from latlab.psa.pages.builds import screen
    from latlab.psci.campaign.recording import verdict

    results = [BuildResult(store.load(r.run_id), load_symbols(store, r.run_id)) for r in recorded]
    show(screen(results))
    if html:
        from latlab.core.report.renderers.html import document
        from latlab.psa.pages.guide import guide

        emit(document(guide(results)), html)
    for recorded_run in recorded:
        print_block(err(), problem_items(recorded_run.problems, marked=True))
        verdict(recorded_run)


def _own_builds(
    build_options: BuildOptions, qemu: Path | None, priorities: tuple[int, int], limits: Limits, store: Place | None
) -> tuple[Store, list[Recorded]]:
    """`priorities`: of the sweep's interrupt, and what masks its calls."""
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.stores import open_store
    from latlab.core.report.progress import RunProgress
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.psa.campaign.measure import CAMPAIGN_ITERATIONS, run_psa
    from latlab.psa.targets import mps2

    builds = build_options.build or mps2.board_of(build_options.machine).builds
    images = [mps2.find_psa_images(name, build_options.firmware, build_options.machine) for name in builds]
    program = find_qemu(qemu or Path(mps2.PROGRAM))
    opened = open_store(store)
    recorded: list[Recorded] = []
    with Interrupts() as interrupts:
        for image in images:
            with RunProgress(err(), f"{program}, {build_options.machine}, build {image.build}", CAMPAIGN_ITERATIONS) as progress:
                recorded.append(run_psa(opened, program, build_options.machine, image, limits, progress, interrupts.asked, *priorities))
    return opened, recorded


def _subject(store: Store, foreign: PsaSubjectOptions, path: Path, qemu: Path | None, level: int, limits: Limits) -> Recorded:
    from latlab.calls.readers.symbols import read_subject_image
    from latlab.calls.verbs.subject_options import check_given
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.plugins import probe_for
    from latlab.core.report.progress import RunProgress
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.psa.campaign.foreign import BOOTS, Asked, run_psa_subject
    from latlab.psa.targets.mps2 import PROGRAM
    from latlab.psa.targets.psa_subject import load_psa_subject

    check_given(path, None, None, foreign.iterations)
    if foreign.shots < 1:
        raise UsageError(f"--shots {foreign.shots} sweeps nothing", "use 1 or more", value=foreign.shots)
    subject = load_psa_subject(path)
    images = tuple(read_subject_image(symbol_file, with_places=True) for symbol_file in (*subject.symbols, *(foreign.symbols or ())))
    program = find_qemu(qemu or Path(PROGRAM))
    plugin = probe_for(program.path, foreign.probe)
    psa_options = Asked(foreign.iterations, level, foreign.shots)
    with Interrupts() as interrupts, RunProgress(err(), f"{subject.name}, {program}", len(BOOTS) * len(subject.calls)) as progress:
        return run_psa_subject(store, program, subject, images, psa_options, plugin, limits, progress, interrupts.asked)
