# SPDX-License-Identifier: BSD-3-Clause
"""Fragments to functions: what ran inside a call, by name where an image has one, by address where none has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from latlab.analysis.crossings.paths import runs_of
from latlab.model.crossings import Arch, Fragment, Stretch
from latlab.model.symbols import Image

PAGE_MASK = ~0xFFF
# A core with AArch64 may run AArch32 code below EL3.
ELF_MACHINES = {Arch.AARCH64: ("EM_AARCH64", "EM_ARM"), Arch.ARMV8M: ("EM_ARM",), Arch.RISCV: ("EM_RISCV",)}


class WrongImage(Exception):
    """One sentence: the symbols are of another build or another processor."""


def check_code(fragments: Iterable[Fragment], images: Sequence[Image], arch: Arch) -> None:
    """Raises WrongImage where an image is for another processor, or code that ran is not what the image has at its address."""
    for image in images:
        if image.machine and image.machine not in ELF_MACHINES[arch]:
            raise WrongImage(
                f"{image.name} is an ELF file for {image.machine.removeprefix('EM_')}, the machine's cores are {arch.name}; "
                "name that of the firmware"
            )
        compared = different = 0
        first = 0
        for fragment in fragments:
            held = image.bytes_at(fragment.address, len(fragment.code))
            if held is None:
                continue
            compared += 1
            if held != fragment.code:
                different += 1
                first = first or fragment.address
        if different:
            raise WrongImage(
                f"{image.name} is of another build: of {compared} pieces of code that ran at its addresses {different} differ, "
                f"the first at {first:#x}"
            )
        if not compared:
            raise WrongImage(f"{image.name} has nothing at the addresses that ran; if it was loaded elsewhere give FILE@OFFSET")


def function_of(fragment: Fragment, images: Sequence[Image]) -> str:
    for image in images:
        name = image.function(fragment.address)
        if name:
            return name
    return f"{fragment.address & PAGE_MASK:#x}+"


def place_of(fragment: Fragment, images: Sequence[Image]) -> str:
    """`file:line` of the function's source; empty where no image says it."""
    return next((image.place(fragment.address) for image in images if image.function(fragment.address)), "")


def instructions_by_function(stretches: Iterable[Stretch], fragments: Mapping[int, Fragment], images: Sequence[Image]) -> Counter[str]:
    """Instructions of each function in these stretches."""
    total: Counter[str] = Counter()
    for number, times in runs_of(stretches).items():
        fragment = fragments[number]
        total[function_of(fragment, images)] += fragment.instructions * times
    return total
