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
    assert "trng_call" in names and not any(name.startswith(("hold_", "thief_", "__wrap")) for name in names)


@pytest.mark.parametrize(
    ("folder", "symbol", "word"),
    [
        ("qemu_virt-hold", "__wrap_trng_call", b"trng-hold"),
        ("qemu_virt-thief", "thief_interrupt", b"thief"),
        ("qemu_virt-secure-counts", "__wrap_arch_features_init", b"secure-counts"),
    ],
)
def test_the_firmware_for_experiments_can_and_says_so(folder: str, symbol: str, word: bytes) -> None:
    assert symbol in _symbols(folder)
    assert word in (BUILD / folder / "firmware.bin").read_bytes()
    assert word not in (BUILD / "qemu_virt" / "firmware.bin").read_bytes()
