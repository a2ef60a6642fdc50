# SPDX-License-Identifier: BSD-3-Clause
"""Words of QEMU's command line that its machines share, and which of them QEMU splits at commas."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

Option = tuple[str, str]

HEADLESS: tuple[Option, ...] = (("-display", "none"), ("-monitor", "none"))
NO_NETWORK: Option = ("-nic", "none")
SEMIHOSTING: Option = ("-semihosting-config", "enable=on,target=native")


def escaped(value: Path | str) -> str:
    """For an option that QEMU splits at commas: two stand for one. It takes others as they are: -bios, -kernel, -dtb, -serial file:."""
    return str(value).replace(",", ",,")


def loaded(file: Path, address: int | None = None) -> Option:
    """A file in memory before the start: an ELF file where it says, any other as it is at the address."""
    place = "" if address is None else f",addr={address:#x},force-raw=on"
    return ("-device", f"loader,file={escaped(file)}{place}")


def words(address: int, values: Iterable[int], size: int = 8) -> tuple[Option, ...]:
    """Numbers of so many bytes in memory before the start, one behind the other."""
    return tuple(
        ("-device", f"loader,addr={address + size * place:#x},data={value:#x},data-len={size}") for place, value in enumerate(values)
    )


def serial_ports(second: Path) -> tuple[Option, Option]:
    """The first is the standard output, the second goes to a file."""
    return (("-serial", "stdio"), ("-serial", f"file:{second}"))


def clock(icount_shift: int | None) -> Option:
    """Where there is a shift, an instruction takes 2^shift ns and cores take turns; else each core runs on a thread of the host's."""
    return ("-accel", "tcg,thread=multi") if icount_shift is None else ("-icount", f"shift={icount_shift},sleep=off")


def line(program: Path, options: Iterable[Option], *flags: str) -> tuple[str, ...]:
    return (str(program), *(word for option in options for word in option), *flags)
