# SPDX-License-Identifier: BSD-3-Clause
"""Where branches go, over the whole range of each, against three assemblers' own bytes."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from latlab.calls.analysis.opcodes import Flow, branch_target, flow_of
from latlab.calls.model.crossings import Arch

AT = 0x4000_0000
MANY = 40
ASSEMBLERS = {
    Arch.AARCH64: ("aarch64-linux-gnu-as", 4),
    Arch.ARMV8M: ("arm-none-eabi-as -mthumb -march=armv8-m.main", 2),
    Arch.RISCV: ("riscv64-linux-gnu-as -march=rv64gc -mno-relax", 2),
}
# The branch, with its target as {}, and how far it reaches, in bytes.
BRANCHES = {
    Arch.AARCH64: {
        "b {}": 1 << 27, "b.ne {}": 1 << 20, "cbz x3, {}": 1 << 20, "cbnz w4, {}": 1 << 20, "tbz x5, #33, {}": 1 << 15,
        "tbnz w6, #2, {}": 1 << 15,
    },
    Arch.ARMV8M: {"b.n {}": 1 << 10, "beq.n {}": 1 << 7},
    Arch.RISCV: {"bne a0, a1, {}": 1 << 12, "bgeu t0, t1, {}": 1 << 12, "c.beqz a0, {}": 1 << 8, "c.bnez a1, {}": 1 << 8},
}  # fmt: skip
OTHERS = {
    Arch.AARCH64: {
        "bl .+64": Flow.CALL, "blr x2": Flow.CALL, "br x2": Flow.LEAP, "ret": Flow.RETURN, "eret": Flow.EXCEPTION_RETURN,
        "ldr x0, [x1]": Flow.ON, "adr x0, .+64": Flow.ON, "svc #0": Flow.ON,
    },
    Arch.ARMV8M: {
        "blx r3": Flow.CALL, "bx lr": Flow.RETURN, "bx r3": Flow.LEAP, "pop {r4, pc}": Flow.RETURN, "mov pc, r3": Flow.LEAP,
        "svc #1": Flow.ON, "movs r0, #1": Flow.ON, "pop.w {r4, r8, pc}": Flow.RETURN, "tbb [pc, r0]": Flow.JUMP,
    },
    Arch.RISCV: {
        "jalr ra, 0(a5)": Flow.CALL, "jalr x0, 4(a5)": Flow.LEAP, "jalr x0, 4(ra)": Flow.RETURN, "c.jr ra": Flow.RETURN,
        "c.jr a5": Flow.LEAP, "c.jalr a5": Flow.CALL, "mret": Flow.EXCEPTION_RETURN, "sret": Flow.EXCEPTION_RETURN, "ecall": Flow.ON,
        "c.addi a0, 1": Flow.ON, "c.ebreak": Flow.ON,
    },
}  # fmt: skip


def offsets(reach: int, step: int, drawn: random.Random) -> list[int]:
    """Both ends, the steps beside nought, and many between. Forward a Thumb branch reaches from four bytes behind itself."""
    return [-reach + 8, -step, 2 * step, reach - step, *(drawn.randrange(-reach + 8, reach, step) for _ in range(MANY))]


def assembled(arch: Arch, lines: list[str], folder: Path) -> Iterator[bytes]:
    """The bytes of each line, in their order."""
    program, step = ASSEMBLERS[arch]
    words = program.split()
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not installed; `scripts/setup.sh dev` installs what a Debian machine has")
    source = folder / "code.s"
    source.write_text(
        f".text\n{'.syntax unified' if arch is Arch.ARMV8M else ''}\n"
        + "".join(f"at{i}:\n{line}\n" for i, line in enumerate(lines))
        + "end:\n"
    )
    subprocess.run([*words, "-o", folder / "code.o", source], check=True)
    with (folder / "code.o").open("rb") as file:
        elf = ELFFile(file)
        text, table = elf.get_section_by_name(".text"), elf.get_section_by_name(".symtab")
        assert text is not None and isinstance(table, SymbolTableSection)
        bytes_of, places = text.data(), {one.name: one["st_value"] & -step for one in table.iter_symbols()}
    ends = [places[f"at{i}"] for i in range(len(lines))] + [places["end"]]
    yield from (bytes_of[begin:end] for begin, end in pairwise(ends))


@pytest.mark.parametrize("arch", ASSEMBLERS)
def test_a_branch_goes_where_its_assembler_meant_it_to_over_its_whole_reach(arch: Arch, tmp_path: Path) -> None:
    drawn = random.Random(11)
    step = ASSEMBLERS[arch][1]
    wanted = [(form, offset) for form, reach in BRANCHES[arch].items() for offset in offsets(reach, step, drawn)]
    lines = [form.format(f".{offset:+d}") for form, offset in wanted]
    for (form, offset), code in zip(wanted, assembled(arch, lines, tmp_path), strict=True):
        assert branch_target(arch, AT, code) == AT + offset, (form, offset, code.hex())
        assert flow_of(arch, code) is Flow.JUMP, (form, offset, code.hex())


@pytest.mark.parametrize("arch", ASSEMBLERS)
def test_calls_returns_and_leaps_are_told_apart_and_name_no_target(arch: Arch, tmp_path: Path) -> None:
    for (line, flow), code in zip(OTHERS[arch].items(), assembled(arch, list(OTHERS[arch]), tmp_path), strict=True):
        assert flow_of(arch, code) is flow, (line, code.hex())
        assert branch_target(arch, AT, code) is None, line
