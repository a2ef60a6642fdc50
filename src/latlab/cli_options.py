"""Options that several verbs have, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StoreOption = Annotated[
    str | None, typer.Option("--store", help="Where runs are kept: a file or a database URL.", show_default="user's data folder")
]
QemuOption = Annotated[Path | None, typer.Option(help="The QEMU to use.", show_default="the one for its machine in PATH")]
FirmwareOption = Annotated[Path | None, typer.Option(help="Folder with the firmware.", show_default="build folder or package")]
