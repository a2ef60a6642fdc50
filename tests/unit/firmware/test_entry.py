# SPDX-License-Identifier: BSD-3-Clause
"""Parts of EL3's entry that only a larger machine than the emulator's would show."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from support.a64 import Core, macro
from support.places import ROOT

ENTRY = ROOT / "firmware" / "el3" / "arch" / "aarch64" / "include" / "entry.inc"
STARTS = ENTRY.parents[1] / "entry.S"
ADDRESSES = {"percpus": 0x0E04_0000, "vectors": 0x0E00_0800, "SCTLR_EL3_OFF": 0x30C5_0830, "PERCPU_BYTES": 0x1000}
STACK_POINTER = 28
UNIPROCESSOR_AND_RES1 = 3 << 30


@given(shift=st.integers(0, 8), aff0=st.integers(0, 255), aff1=st.integers(0, 255), above=st.integers(0, 2**40 - 1))
def test_a_core_is_numbered_by_its_place_in_a_group_of_its_platforms_size(shift: int, aff0: int, aff1: int, above: int) -> None:
    mpidr = UNIPROCESSOR_AND_RES1 | aff0 | aff1 << 8 | (above & 0xFF) << 16 | (above >> 8) << 32
    core = Core(f"#define AFF1_SHIFT {shift}\n" + macro(ENTRY, "core_index"), {"mpidr_el1": mpidr})
    core.run("core_index", 0)
    assert core.x[20] == (aff1 << shift) + aff0


@given(core=st.integers(0, 255))
def test_the_stack_of_a_core_begins_at_the_end_of_its_own_words(core: int) -> None:
    text = re.sub(r"ldr (x\d+), =", r"mov \1, #", macro(STARTS, "core_setup")).replace("sp,", f"x{STACK_POINTER},")
    started = Core(re.sub("|".join(ADDRESSES), lambda name: str(ADDRESSES[name[0]]), text), {})
    started.x[20] = core
    started.run("core_setup", 0)
    own = ADDRESSES["percpus"] + core * ADDRESSES["PERCPU_BYTES"]
    assert (started.system["tpidr_el3"], started.x[STACK_POINTER]) == (own, own + ADDRESSES["PERCPU_BYTES"])


def scrubbed() -> str:
    """What runs before the first instruction of a normal world, with the assembler's repetition written out."""
    body = re.search(r"^arch_eret_scrubbed:\n(.*?)^    eret$", STARTS.read_text(), re.DOTALL | re.MULTILINE)
    assert body
    repeated = re.compile(r"^    \.irp n, (.*?)\n(.*?)^    \.endr\n", re.DOTALL | re.MULTILINE)
    text = repeated.sub(lambda match: "".join(match[2].replace("\\n", n.strip()) for n in match[1].split(",")), body[1])
    return text.replace("sp,", "x31,").replace("PERCPU_BYTES", str(ADDRESSES["PERCPU_BYTES"]))


@given(left=st.lists(st.integers(1, 2**64 - 1), min_size=31, max_size=31))
def test_a_normal_world_begins_with_its_argument_and_no_other_register_of_el3(left: list[int]) -> None:
    core = Core(f"eret:\n{scrubbed()}ret\n", {"tpidr_el3": ADDRESSES["percpus"]})
    core.x.update(enumerate(left))
    core.run("eret", left[0])
    assert [core.x[n] for n in range(31)] == [left[0]] + [0] * 30


def test_the_stack_is_empty_where_the_normal_world_is_entered() -> None:
    body = re.search(r"^arch_eret_scrubbed:\n(.*?)^    \.irp ", STARTS.read_text(), re.DOTALL | re.MULTILINE)
    assert body
    text = body[1].replace("sp,", f"x{STACK_POINTER},").replace("PERCPU_BYTES", str(ADDRESSES["PERCPU_BYTES"]))
    core = Core(f"eret:\n{text}ret\n", {"tpidr_el3": ADDRESSES["percpus"]})
    core.x[STACK_POINTER] = 1
    core.run("eret", 0)
    assert core.x[STACK_POINTER] == ADDRESSES["percpus"] + ADDRESSES["PERCPU_BYTES"]
