# SPDX-License-Identifier: BSD-3-Clause
"""Symbols follow the code: an image is found where its code ran, and one that did not run is refused."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.analysis.load_address import WrongImage, placed
from latlab.calls.analysis.symbolize import function_of
from latlab.calls.model.crossings import Arch, Fragment
from latlab.core.model.symbols import Image

FUNCTIONS, FUNCTION_BYTES = 40, 64
LINKED = 0x1000
pages = st.integers(1, 1 << 30).map(lambda page: page << 12)


def image(seed: int, name: str = "fw.elf", linked: int = LINKED) -> Image:
    code = random.Random(seed).randbytes(FUNCTIONS * FUNCTION_BYTES)
    starts = tuple(linked + FUNCTION_BYTES * number for number in range(FUNCTIONS))
    return Image(name, starts, (FUNCTION_BYTES,) * FUNCTIONS, tuple(f"f{number}" for number in range(FUNCTIONS)), ((linked, code),))


def ran(of: Image, offset: int = 0, numbers: range = range(FUNCTIONS)) -> list[Fragment]:
    """Three pieces of each function."""
    ((start, code),) = of.code
    return [
        Fragment(3 * number + part, start + offset + at, 5, 3, code[at : at + 20])
        for number in numbers
        for part in range(3)
        for at in (FUNCTION_BYTES * number + 20 * part,)
    ]


def one_by_one(pieces: list[Fragment]) -> list[Fragment]:
    """As on RISC-V, where every instruction is a piece."""
    return [Fragment(10 * one.number + at, one.address + at, 1, 3, one.code[at : at + 4]) for one in pieces for at in range(0, 20, 4)]


def names(fragments: list[Fragment], images: tuple[Image, ...]) -> list[str]:
    return [function_of(one, images) for one in fragments]


OWN = [f"f{number}" for number in range(FUNCTIONS) for _ in range(3)]


@given(pages)
def test_an_image_is_found_at_any_page_that_it_was_loaded_to(offset: int) -> None:
    pieces = ran(image(1), offset)
    assert names(pieces, placed(pieces, [image(1)], Arch.RISCV)) == OWN
    assert set(names(pieces, placed(one_by_one(pieces), [image(1)], Arch.RISCV))) == set(OWN)


@given(pages, pages)
def test_an_image_that_moves_itself_is_named_before_and_after(first: int, second: int) -> None:
    pieces = [*ran(image(1), numbers=range(4)), *ran(image(1), first), *ran(image(1), first + second)]
    assert names(pieces, placed(pieces, [image(1)], Arch.AARCH64)) == [*OWN[:12], *OWN, *OWN]


def test_code_of_another_program_at_the_addresses_where_it_was_linked_says_nothing_against_an_image_that_was_moved() -> None:
    rom = ran(image(2), numbers=range(3))
    pieces = [*rom, *ran(image(1), 0x80000000)]
    assert names(pieces, placed(pieces, [image(1)], Arch.RISCV)) == [f"{LINKED:#x}+"] * len(rom) + OWN


def test_two_images_at_one_address_one_after_the_other_name_each_its_own_code() -> None:
    first, second = image(1, "bl1.elf"), image(2, "bl31.elf")
    pieces = [*ran(first), *ran(second)]
    assert placed(pieces, [first, second], Arch.AARCH64) == (first, second)
    assert names(pieces, (first, second)) == OWN + OWN


@pytest.mark.parametrize("offset", [0, 0x80000000])
def test_an_image_that_differs_in_one_instruction_is_refused(offset: int) -> None:
    ((start, code),) = image(1).code
    other = Image("old.elf", image(1).starts, image(1).sizes, image(1).names, ((start, code[:900] + b"\0\0\0\0" + code[904:]),))
    with pytest.raises(WrongImage, match=r"old\.elf is of another build: of 120 pieces .* 1 differ"):
        placed(ran(image(1), offset), [other], Arch.AARCH64)


@pytest.mark.parametrize("shift", [4, 20, 64])
def test_an_image_whose_code_lies_some_instructions_further_on_is_of_another_build(shift: int) -> None:
    ((start, code),) = image(1).code
    other = Image("old.elf", image(1).starts, image(1).sizes, image(1).names, ((start, b"\0" * shift + code),))
    with pytest.raises(WrongImage, match=r"old\.elf is of another build"):
        placed(ran(image(1)), [other], Arch.AARCH64)


@pytest.mark.parametrize("offset", [0, 0x80000000])
def test_another_program_is_refused(offset: int) -> None:
    with pytest.raises(
        WrongImage, match=r"(other\.elf is of another build: )?none of the executed code is in (it|other\.elf), at any address"
    ):
        placed(ran(image(1), offset), [image(2, "other.elf")], Arch.AARCH64)


def test_an_old_build_beside_the_right_one_is_refused() -> None:
    ((start, code),) = image(1).code
    old = Image("old.elf", image(1).starts, image(1).sizes, image(1).names, ((start, code[:900] + b"\0\0\0\0" + code[904:]),))
    with pytest.raises(
        WrongImage, match=r"old\.elf is of another build: none of the executed code is in it and in no other of these files"
    ):
        placed(ran(image(1)), [image(1), old], Arch.AARCH64)
