# SPDX-License-Identifier: BSD-3-Clause
"""Options that several verbs have, written once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from latlab.errors import UsageError

StoreOption = Annotated[
    str | None, typer.Option("--store", help="Where runs are kept: a file or a database URL.", show_default="user's data folder")
]
QemuOption = Annotated[Path | None, typer.Option(help="The QEMU to use.", show_default="the one for its machine in PATH")]
FirmwareOption = Annotated[Path | None, typer.Option(help="Folder with the firmware.", show_default="build folder or package")]


def refuse_given(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Raises UsageError with the first of these options that was written: it would have no effect."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"--{name.replace('_', '-')} {why}")
