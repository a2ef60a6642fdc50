# SPDX-License-Identifier: BSD-3-Clause
"""The tables of opcodes against GNU's assemblers: every name that we know is assembled, and read back from the bytes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from latlab.calls.analysis.opcodes import (
    A64_BARRIERS,
    A64_CACHE,
    A64_HINTS,
    A64_PSTATE,
    A64_REGISTERS,
    A64_TLBI,
    M_REGISTERS,
    RISCV_CBO,
    RISCV_REGISTERS,
    operation_of,
)
from latlab.calls.model.crossings import Arch

A64_HEAD = ".arch armv8.7-a+sve+ssbs+sb"
RISCV_HEAD = ".option norvc\n.option arch, +zicbom, +zicsr"
THUMB_HEAD = ".syntax unified\n.thumb\n.arch armv8-m.main"
OF_ONE_MAKER = {"cpuactlr_el1": "s3_1_c15_c2_0", "cpuectlr_el1": "s3_1_c15_c2_1"}
"""Registers that belong to a processor: the assembler takes their numbers, which are in the manuals of the Cortex-A53 and A57."""


def assembled(prefix: str, head: str, lines: Iterable[str], where: Path) -> list[bytes]:
    """The code of each line, four bytes each; skips where the assembler is not installed."""
    if shutil.which(f"{prefix}-as") is None:
        pytest.skip(f"{prefix}-as is not installed")
    object_, raw = where / "code.o", where / "code.bin"
    text = head + "\n" + "\n".join(lines) + "\n"
    subprocess.run([f"{prefix}-as", "-o", object_, "-"], input=text, text=True, check=True)
    subprocess.run([f"{prefix}-objcopy", "-O", "binary", "-j", ".text", object_, raw], check=True)
    data = raw.read_bytes()
    return [data[at : at + 4] for at in range(0, len(data), 4)]


def names_of(arch: Arch, codes: Iterable[bytes]) -> list[str | None]:
    return [found.name if (found := operation_of(arch, code)) else None for code in codes]


def a64_lines() -> dict[str, str]:
    """By the name that we give, what the assembler is told."""
    lines = {f"msr {name}": f"msr {OF_ONE_MAKER.get(name, name)}, x0" for name in A64_REGISTERS.values() if name != "spsel"}
    lines |= {f"msr {name}": f"msr {name}, #1" for name in A64_PSTATE.values()}
    whole = ("ic iallu", "ic ialluis")
    lines |= {one.name: one.name if one.name in whole else f"{one.name}, x0" for one in A64_CACHE.values()}
    lines |= {f"tlbi {name}": f"tlbi {name}" + (", x0" if "va" in name or "asid" in name else "") for name in A64_TLBI.values()}
    lines |= {name: f"{name} sy" if name in ("dsb", "dmb") else name for name in A64_BARRIERS.values()}
    return lines | {name: name for name in A64_HINTS.values()} | {"wfet": "wfet x0", "wfit": "wfit x0"}


def test_names_of_a64_are_those_of_the_assembler(tmp_path: Path) -> None:
    lines = a64_lines()
    codes = assembled("aarch64-linux-gnu", A64_HEAD, lines.values(), tmp_path)
    assert names_of(Arch.AARCH64, codes) == list(lines)


def test_every_field_of_the_processor_state_that_may_be_set_has_its_name() -> None:
    assert set(A64_PSTATE.values()) == {"daifset", "daifclr", "spsel", "pan", "uao", "ssbs", "dit"}


def test_the_stack_pointer_select_is_one_register_by_both_of_its_forms(tmp_path: Path) -> None:
    codes = assembled("aarch64-linux-gnu", A64_HEAD, ["msr spsel, x0", "msr spsel, #1"], tmp_path)
    assert names_of(Arch.AARCH64, codes) == ["msr spsel"] * 2


def test_names_of_risc_v_are_those_of_the_assembler(tmp_path: Path) -> None:
    lines = {f"csrw {name}": f"csrw {name}, a0" for name in RISCV_REGISTERS.values()}
    lines |= {name: f"{name} (a0)" for name in RISCV_CBO.values()}
    codes = assembled("riscv64-linux-gnu", RISCV_HEAD, lines.values(), tmp_path)
    assert names_of(Arch.RISCV, codes) == list(lines)


def test_names_of_thumb_are_those_of_the_assembler(tmp_path: Path) -> None:
    lines = {f"msr {name}": f"msr {name}, r0" for name in M_REGISTERS.values()}
    lines |= {"dsb": "dsb sy", "dmb": "dmb sy", "isb": "isb sy", "clrex": "clrex"}
    lines |= {"ldrex": "ldrex r0, [r1]", "strex": "strex r0, r2, [r1]"}
    codes = assembled("arm-none-eabi", THUMB_HEAD, lines.values(), tmp_path)
    assert names_of(Arch.ARMV8M, codes) == list(lines)


@pytest.mark.parametrize("size", ["b", "h"])
def test_exclusives_of_every_size_are_known(size: str, tmp_path: Path) -> None:
    lines = [f"ldrex{size} r0, [r1]", f"strex{size} r0, r2, [r1]"]
    assert names_of(Arch.ARMV8M, assembled("arm-none-eabi", THUMB_HEAD, lines, tmp_path)) == ["ldrex", "strex"]
