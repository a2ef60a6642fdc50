# SPDX-License-Identifier: BSD-3-Clause
"""Firmware of somebody else as the subject of a campaign. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from latlab.campaigns.recording import Recorded
    from latlab.model.run import Run
    from latlab.model.symbols import Image

SubjectOption = Annotated[Path | None, typer.Option("--subject", help="TOML file of somebody else's firmware: images, machine, symbols.")]
OnOption = Annotated[str | None, typer.Option("--on", help="Machine of the firmware file that --firmware names: virt or raspi4b.")]
ProbeOption = Annotated[Path | None, typer.Option("--probe", help="The plugin to use.", show_default="build folder or package")]
SymbolsOption = Annotated[
    list[Path] | None, typer.Option("--symbols", help="ELF file of the firmware, FILE or FILE@OFFSET where it was loaded elsewhere.")
]


def run(
    store: str | None,
    err: Console,
    subject: Path | None,
    firmware: Path | None,
    on: str | None,
    symbols: list[Path] | None,
    probe: Path | None,
    qemu: Path | None,
    iterations: int,
    timeout_s: float,
    silence_s: float,
) -> tuple[Recorded, Run]:
    from latlab.campaigns.foreign import run_psci_subject
    from latlab.campaigns.psci import CAMPAIGN_TESTS
    from latlab.cli.interrupt import Interrupts
    from latlab.report.progress import RunProgress
    from latlab.store.store import open_store
    from latlab.targets.qemu.console import Limits
    from latlab.targets.qemu.probe import find_probe
    from latlab.targets.qemu.qemu import MAX_ITERATIONS, find_qemu
    from latlab.targets.qemu.subject import load_subject, subject_of_file

    if subject is not None and (firmware is not None or on is not None):
        raise UsageError("--subject says which firmware on which machine; leave out --firmware and --on")
    if not 1 <= iterations <= MAX_ITERATIONS:
        raise UsageError(f"--iterations {iterations}: use 1 to {MAX_ITERATIONS}")
    if subject is not None:
        found = load_subject(subject)
    elif firmware is None or on is None:
        raise UsageError("--on names the machine of a firmware file; give that with --firmware FILE")
    else:
        found = subject_of_file(firmware, on)
    images = tuple(image_of(each) for each in (*found.symbols, *(symbols or ())))
    opened, program = open_store(store), find_qemu(qemu)
    limits = Limits(timeout_s, silence_s)
    with Interrupts() as interrupts, RunProgress(err, f"{found.name}, {program}", iterations * CAMPAIGN_TESTS) as progress:
        recorded = run_psci_subject(opened, program, found, images, iterations, find_probe(probe), limits, progress, interrupts.asked)
    return recorded, opened.load(recorded.run_id)


def image_of(text: Path) -> Image:
    """An ELF file, or one that was loaded so many bytes above where it was linked: FILE@OFFSET."""
    from latlab.formats.symbols import read_image

    name, _, offset = str(text).rpartition("@")
    if not name:
        return read_image(text)
    try:
        return read_image(Path(name), int(offset, 0))
    except ValueError:
        return read_image(text)
