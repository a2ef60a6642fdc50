# SPDX-License-Identifier: BSD-3-Clause
"""Firmware of somebody else as the subject of a campaign. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.errors import UsageError

if TYPE_CHECKING:
    from latlab.calls.targets.subject import Subject
    from latlab.core.model.symbols import Image

SubjectOption = Annotated[
    Path | None,
    typer.Option(
        "--subject", help="TOML file of foreign firmware: images, machine, symbols; or one of those that `latlab identify` lists."
    ),
]
MachineOption = Annotated[
    str | None,
    typer.Option("--machine", help="virt, raspi4b or sbsa-ref: the machine of the image of --firmware, or of our own firmware without it."),
]
DEFAULT_MACHINE = "virt"
ProbeOption = Annotated[Path | None, typer.Option("--probe", help="The plugin to use.", show_default="build folder or package")]
SymbolsOption = Annotated[
    list[Path] | None, typer.Option("--symbols", help="ELF file of the firmware, located by its code that ran, or by FILE@OFFSET.")
]


ClassesOption = Annotated[
    bool, typer.Option("--classes", help="Also count instructions by class: device, uncached load, uncached branch, dsb, ...")
]


@dataclass(frozen=True, slots=True)
class SubjectOptions:
    """Firmware of somebody else."""

    subject: SubjectOption = None
    machine: MachineOption = None
    symbols: SymbolsOption = None
    probe: ProbeOption = None
    classes: ClassesOption = False


def check_given(subject: Path | None, firmware: Path | None, machine: str | None, iterations: int) -> None:
    """Raises UsageError where the options contradict each other, or for a number of iterations that no machine makes."""
    from latlab.core.targets.qemu.qemu import MAX_ITERATIONS

    if subject is not None and (firmware is not None or machine is not None):
        raise UsageError("--subject sets firmware and machine", "leave out --firmware and --machine")
    if not 1 <= iterations <= MAX_ITERATIONS:
        raise UsageError(f"--iterations {iterations}: use 1 to {MAX_ITERATIONS}", value=iterations)


def subject_of(options: SubjectOptions, firmware: Path | None) -> tuple[Subject, tuple[Image, ...]]:
    """The firmware that the options name, or our own, and its symbols."""
    from latlab.calls.readers.symbols import read_subject_image
    from latlab.calls.targets.subject import load_subject, own_subject, placed, subject_of_file

    if options.subject is not None:
        subject = placed(load_subject(options.subject), named_in=options.subject)
    elif firmware is not None:
        subject = placed(subject_of_file(firmware, options.machine or ""))
    else:
        subject = own_subject(options.machine or DEFAULT_MACHINE)
    return subject, tuple(read_subject_image(symbol_file, with_places=True) for symbol_file in (*subject.symbols, *(options.symbols or ())))
