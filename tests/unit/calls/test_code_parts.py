# SPDX-License-Identifier: BSD-3-Clause
"""What instructions are for, by their opcodes, against an assembler's own bytes; and the parts that they make of a span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.analysis.opcodes import Flow, branch_target, flow_of, operation_of
from latlab.calls.analysis.span_functions import CodeParts
from latlab.calls.model.crossings import Arch, Fragment
from latlab.core.model.enums import CodePart

NOP, SUBS, DC_CISW, DC_CIVAC, DSB, MSR_SCR = 0xD503201F, 0xF1000421, 0xD5087E40, 0xD50B7E20, 0xD5033F9F, 0xD51E1100


def code(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


def back(words: int) -> int:
    """b.ne to so many words before."""
    return 0x54000001 | (-words & 0x7FFFF) << 5


A64 = {
    0xD5087E40: "dc cisw", 0xD5087A40: "dc csw", 0xD5087640: "dc isw", 0xD50B7E20: "dc civac", 0xD50B7A20: "dc cvac",
    0xD508751F: "ic iallu", 0xD50E871F: "tlbi alle3", 0xD508831F: "tlbi vmalle1is", 0xD5033F9F: "dsb", 0xD5033BBF: "dmb",
    0xD5033FDF: "isb", 0xD503205F: "wfe", 0xD503207F: "wfi", 0xC85F7C20: "ldxr", 0xC8027C20: "stxr", 0x885FFC20: "ldxr",
    0xC8A07C41: "cas", 0xF8200041: "atomic", 0xF8208041: "swp", 0xD51E1100: "msr scr_el3", 0xD51EC000: "msr vbar_el3",
    0xD50342DF: "msr daifset", 0xD503201F: None, 0xF9400020: None, 0xD53E1100: None,
    0x88DFFC20: None, 0x8B020020: None,
}  # fmt: skip
RISCV = {
    0x0FF0000F: "fence", 0x0000100F: "fence.i", 0x12000073: "sfence.vma", 0x10500073: "wfi", 0x100523AF: "lr", 0x18B523AF: "sc",
    0x00B523AF: "amo", 0x30551073: "csrw mtvec", 0x30002573: None, 0x3A051073: "csrw pmpcfg0", 0x00000073: None, 0x00A50513: None,
}  # fmt: skip
THUMB = {
    "bff34f8f": "dsb", "bff35f8f": "dmb", "bff36f8f": "isb", "30bf": "wfi", "20bf": "wfe", "80f30888": "msr msp", "80f31088": "msr primask",
    "51e8003f": "ldrex", "41e80032": "strex", "62b6": "cps", "00bf": None, "41e800f2": None,
}  # fmt: skip


@pytest.mark.parametrize(("bits", "name"), A64.items())
def test_instructions_of_a64_are_known_by_their_opcodes(bits: int, name: str | None) -> None:
    found = operation_of(Arch.AARCH64, code(bits))
    assert (found.name if found else None) == name


@pytest.mark.parametrize(("bits", "name"), RISCV.items())
def test_instructions_of_risc_v_are_known_by_their_opcodes(bits: int, name: str | None) -> None:
    found = operation_of(Arch.RISCV, code(bits))
    assert (found.name if found else None) == name


@pytest.mark.parametrize(("text", "name"), THUMB.items())
def test_instructions_of_thumb_are_known_by_their_opcodes(text: str, name: str | None) -> None:
    found = operation_of(Arch.ARMV8M, bytes.fromhex(text))
    assert (found.name if found else None) == name


def test_a_register_without_a_name_has_its_numbers() -> None:
    found = operation_of(Arch.AARCH64, code(0xD51BE700))
    assert found is not None and found.name == "msr s3_3_c14_c7_0"


@given(st.sampled_from(Arch), st.binary(max_size=4))
def test_no_bytes_make_the_tables_fail(arch: Arch, data: bytes) -> None:
    operation_of(arch, data)
    flow_of(arch, data)
    branch_target(arch, 0x1000, data)


def test_branches_are_told_from_calls_and_returns() -> None:
    words = {
        0x94000001: Flow.CALL,
        0xD63F0020: Flow.CALL,
        0xD65F03C0: Flow.RETURN,
        0xD61F0020: Flow.LEAP,
        0xD69F03E0: Flow.EXCEPTION_RETURN,
    }
    words |= {0x14000001: Flow.JUMP, 0x54000001: Flow.JUMP, 0xB4000020: Flow.JUMP, 0x37000020: Flow.JUMP, NOP: Flow.ON, DC_CISW: Flow.ON}
    words |= {0xD65F0BFF: Flow.RETURN, 0xD73F0821: Flow.CALL}
    for bits, flow in words.items():
        assert flow_of(Arch.AARCH64, code(bits)) is flow, hex(bits)


THUMB_FLOWS = {
    "7047": Flow.RETURN, "9847": Flow.CALL, "1847": Flow.LEAP, "00bd": Flow.RETURN, "10bc": Flow.ON, "9f46": Flow.LEAP, "9e46": Flow.ON,
    "fed0": Flow.JUMP, "00df": Flow.ON, "fee7": Flow.JUMP, "08b1": Flow.JUMP, "08bb": Flow.JUMP, "00bf": Flow.ON,
    "00f000f8": Flow.CALL, "00f000b8": Flow.JUMP, "00f00080": Flow.JUMP, "80f31088": Flow.ON, "dfe800f0": Flow.JUMP,
    "bde81080": Flow.RETURN, "bde81000": Flow.ON, "5df804fb": Flow.RETURN, "5df8044b": Flow.ON,
}  # fmt: skip


@pytest.mark.parametrize(("text", "flow"), THUMB_FLOWS.items())
def test_thumb_goes_where_its_opcodes_say(text: str, flow: Flow) -> None:
    """bx lr, blx, bx, pop with and without pc, mov to pc and lr, b, svc, cbz, cbnz, nop; bl, b.w, tbb, msr, pop.w, ldr from the stack."""
    assert flow_of(Arch.ARMV8M, bytes.fromhex(text)) is flow


def test_a_short_store_of_risc_v_is_not_taken_for_the_branch_that_thumb_has_in_its_place() -> None:
    store, branch = bytes.fromhex("00e0"), bytes.fromhex("11e0")
    assert branch_target(Arch.ARMV8M, 0x1000, store) == 0x1004
    assert branch_target(Arch.RISCV, 0x1000, store) is None
    assert branch_target(Arch.RISCV, 0x1000, branch) == 0x1004


def test_the_cache_flush_is_the_innermost_loop_around_maintenance_by_set_and_way() -> None:
    """An outer loop of sets around an inner one of ways, and a branch far back over both: the inner one counts, three instructions."""
    fragments = {
        0: Fragment(0, 0x1000, 2, 3, code(NOP, NOP)),
        1: Fragment(1, 0x1008, 1, 3, code(DC_CISW)),
        2: Fragment(2, 0x100C, 2, 3, code(SUBS, back(2))),
        3: Fragment(3, 0x1014, 1, 3, code(back(4))),
        4: Fragment(4, 0x1018, 3, 3, code(DSB, MSR_SCR, NOP)),
    }
    parts = CodeParts(Arch.AARCH64, fragments)
    runs = {0: 8, 1: 32, 2: 32, 3: 8, 4: 1}
    found = parts.parts(runs)
    assert found[CodePart.CACHE_FLUSH] == 32 * 3
    assert (found[CodePart.BARRIERS], found[CodePart.REGISTERS], found[CodePart.OTHER]) == (1, 1, 8 * 2 + 8 + 1)
    assert found.total() == sum(fragments[number].instructions * times for number, times in runs.items())
    assert parts.operations(runs) == {"dc cisw": 32, "dsb": 1, "msr scr_el3": 1}


def test_maintenance_without_a_short_loop_counts_for_itself() -> None:
    words = [NOP] * 20
    fragments = {0: Fragment(0, 0x1000, 22, 3, code(DC_CIVAC, *words, back(21)))}
    found = CodeParts(Arch.AARCH64, fragments).parts({0: 5})
    assert found == {CodePart.LINES: 5, CodePart.OTHER: 5 * 21}


def test_code_that_was_cut_off_is_counted_as_other_code() -> None:
    found = CodeParts(Arch.AARCH64, {0: Fragment(0, 0x1000, 10, 3, code(DSB))}).parts({0: 2})
    assert found == {CodePart.BARRIERS: 2, CodePart.OTHER: 18}
