# SPDX-License-Identifier: BSD-3-Clause
"""What AArch32 instructions of a trace do to the flow of control; the opcodes are an assembler's."""

from __future__ import annotations

import pytest

from latlab.calls.analysis.opcodes import Flow, flow_of_fragment, is_aarch32
from latlab.calls.model.crossings import Arch, Context, Fragment


def fragment(opcode: int, context: Context, size: int = 4) -> Fragment:
    return Fragment(0, 0x1000, 1, 1, opcode.to_bytes(size, "little"), context)


@pytest.mark.parametrize(
    ("opcode", "flow"),
    [
        (0xEBFFFFFE, Flow.CALL),  # bl
        (0x1BFFFFFE, Flow.CALL),  # blne
        (0xFA000000, Flow.CALL),  # blx
        (0xE12FFF33, Flow.CALL),  # blx r3
        (0xE12FFF1E, Flow.RETURN),  # bx lr
        (0xE12FFF13, Flow.LEAP),  # bx r3
        (0xEAFFFFFE, Flow.JUMP),  # b
        (0xE8BD8010, Flow.RETURN),  # pop {r4, pc}
        (0xE49DF004, Flow.RETURN),  # pop {pc}
        (0xE591F000, Flow.LEAP),  # ldr pc, [r1]
        (0xE1A0F00E, Flow.RETURN),  # mov pc, lr
        (0xE1B0F00E, Flow.EXCEPTION_RETURN),  # movs pc, lr
        (0xE25EF004, Flow.EXCEPTION_RETURN),  # subs pc, lr, #4
        (0xE08FF000, Flow.LEAP),  # add pc, pc, r0
        (0xE8FD8001, Flow.EXCEPTION_RETURN),  # ldm sp!, {r0, pc}^
        (0xF8BD0A00, Flow.EXCEPTION_RETURN),  # rfeia sp!
        (0xE1500001, Flow.ON),  # cmp r0, r1
        (0xE310000F, Flow.ON),  # tst r0, #15
        (0xE1A00001, Flow.ON),  # mov r0, r1
        (0xE5910000, Flow.ON),  # ldr r0, [r1]
        (0xE92D4010, Flow.ON),  # push {r4, lr}
        (0xEF000000, Flow.ON),  # svc #0
    ],
)
def test_the_flow_of_a32(opcode: int, flow: Flow) -> None:
    assert flow_of_fragment(Arch.AARCH64, fragment(opcode, Context.AARCH32)) is flow


def test_t32_is_decoded_as_on_m_profile_and_a64_as_ever() -> None:
    thumb = Context.AARCH32 | Context.THUMB
    assert flow_of_fragment(Arch.AARCH64, fragment(0x4770, thumb, 2)) is Flow.RETURN
    assert flow_of_fragment(Arch.AARCH64, fragment(0xD65F03C0, Context(0))) is Flow.RETURN


def test_the_plugins_contexts_are_no_instruction_set() -> None:
    assert not is_aarch32(fragment(0xE12FFF1E, Context.TOLD | Context.AARCH32))
