# SPDX-License-Identifier: BSD-3-Clause
"""Parts of EL3's entry that only a larger machine than the emulator's would show."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.a64 import Core, macro
from support.places import ROOT

ENTRY = ROOT / "firmware" / "el3" / "arch" / "aarch64" / "include" / "entry.inc"
UNIPROCESSOR_AND_RES1 = 3 << 30


@given(aff0=st.integers(0, 255), aff1=st.integers(0, 255), above=st.integers(0, 2**40 - 1))
def test_a_core_is_numbered_by_its_place_in_a_group_of_sixteen(aff0: int, aff1: int, above: int) -> None:
    mpidr = UNIPROCESSOR_AND_RES1 | aff0 | aff1 << 8 | (above & 0xFF) << 16 | (above >> 8) << 32
    core = Core(macro(ENTRY, "core_index"), {"mpidr_el1": mpidr})
    core.run("core_index", 0)
    assert core.x[20] == aff1 * 16 + aff0
