# SPDX-License-Identifier: BSD-3-Clause
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from support.places import ROOT

pytestmark = pytest.mark.firmware

BUILD = ROOT / "build"


def _symbols(folder: str) -> set[str]:
    image = BUILD / folder / "firmware.elf"
    if not image.is_file():
        pytest.skip(f"{image.relative_to(ROOT)} is not built; run `make firmware`")
    with image.open("rb") as stream:
        tables = [section for section in ELFFile(stream).iter_sections() if isinstance(section, SymbolTableSection)]
        return {symbol.name for table in tables for symbol in table.iter_symbols()}


def test_no_release_firmware_can_hold_its_trng() -> None:
    names = _symbols("qemu_virt")
    assert "trng_call" in names and not any(name.startswith(("hold_", "__wrap")) for name in names)


def test_the_firmware_for_experiments_can_and_says_so() -> None:
    assert "__wrap_trng_call" in _symbols("qemu_virt-hold")
    assert b"trng-hold" in (BUILD / "qemu_virt-hold" / "firmware.bin").read_bytes()
