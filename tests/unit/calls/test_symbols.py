# SPDX-License-Identifier: BSD-3-Clause
"""Which symbols of an ELF file are functions: code of an assembler, linked here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from latlab.calls.readers.symbols import as_written, read_image, read_subject_image
from latlab.core.errors import UsageError
from latlab.core.model.symbols import Image

START = 0x1000_0000
SOURCE = """
    .syntax unified
    .thumb
    .text
    .globl __aeabi_call, sized, __mark
    .type __aeabi_call, %function
__aeabi_call:
    nop
panics:
    nop
__mark:
    nop
    .type sized, %function
sized:
    nop
inside:
    nop
    .size sized, . - sized
behind:
    nop
    .type _RNvNtCsf3tdCGyDWbX_3sbi3ipi8send_ipi, %function
_RNvNtCsf3tdCGyDWbX_3sbi3ipi8send_ipi:
    nop
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    folder = tmp_path_factory.mktemp("elf")
    (folder / "code.S").write_text(SOURCE)
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m33", "-c", "-o", folder / "code.o", folder / "code.S"], check=True)
    subprocess.run(["arm-none-eabi-ld", f"-Ttext={START:#x}", "-e", "sized", "-o", folder / "code.elf", folder / "code.o"], check=True)
    return read_image(folder / "code.elf")


def test_a_function_may_begin_as_a_linkers_mark_does_and_a_label_may_not(image: Image) -> None:
    """Gateways begin in `__acle_se_...`, helpers of the compiler are `__aeabi_...`; their code is not the label's before it."""
    here = [(start - START, name) for start, name in zip(image.starts, image.names, strict=True) if START <= start < START + 12]
    assert here == [(0, "__aeabi_call"), (2, "panics"), (6, "sized"), (10, "behind")]


def test_a_label_inside_of_a_function_that_says_its_size_is_a_place_in_it(image: Image) -> None:
    assert "inside" not in image.names and dict(zip(image.names, image.sizes, strict=True))["sized"] == 4


def test_a_function_of_rust_has_the_name_of_its_source(image: Image) -> None:
    assert "sbi::ipi::send_ipi" in image.names


@pytest.mark.parametrize(
    ("symbol", "written"),
    [
        ("_RNvNtCsf3tdCGyDWbX_3sbi3ipi8send_ipi", "sbi::ipi::send_ipi"),
        ("_RNvNtCsi8nttl2kQNJ_3sbi3ipi8send_ipi.llvm.4485206834", "sbi::ipi::send_ipi"),
        ("_ZN3sbi3ipi8send_ipi17h0123456789abcdefE", "sbi::ipi::send_ipi"),
        ("_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE", "core::ptr::drop_in_place<alloc::string::String>"),
    ],
)
def test_two_builds_of_rust_have_the_same_names(symbol: str, written: str) -> None:
    """Hashes of the compiler and the numbers of its copies are in the symbol and not in the source."""
    assert as_written(symbol) == written


@pytest.mark.parametrize("symbol", ["sbi_ecall_handler", "_R", "_Reset", "_ZN", "_ZN3foo3barEi", "__acle_se_call", "memcpy.constprop.0"])
def test_a_name_that_is_not_of_rust_stays_as_it_is(symbol: str) -> None:
    assert as_written(symbol) == symbol


def test_an_offset_that_is_no_number_is_refused_by_itself(tmp_path: Path) -> None:
    (tmp_path / "fw.elf").write_bytes(b"")
    with pytest.raises(UsageError, match=r"'0x10zz' behind the @ is no number of bytes; write one such as 0x80000000"):
        read_subject_image(tmp_path / "fw.elf@0x10zz")
