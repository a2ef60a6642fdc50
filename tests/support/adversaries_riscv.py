# SPDX-License-Identifier: BSD-3-Clause
"""Walks through the worlds of RISC-V under the probe, held against a count of each instruction and against what the walks do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from latlab.calls.analysis.proof import prove
from latlab.calls.model.crossings import NO_WORLD, Crossing, Mask, Masked
from latlab.calls.readers.decoder import Decoder
from support.adversaries import LIMIT_BYTES, TIMEOUT_S, changes, stretches
from support.plugins import probe_here
from support.riscv_masks import Begun, M, begun_of
from support.riscv_operations import ILLEGAL, VIRTUAL
from support.riscv_walks import PAD_MOST, STEP_OVER, Crossed, Setting, walk_of

START = Path(__file__).with_name("adversaries_riscv.S")
START_AT, ROM_INSTRUCTIONS, CODE_BYTES, CAUSES_AT = 0x80000000, 6, 4, 8
ASKED, MPV, CAUSE = Path(__file__).with_name("qemu_riscv.S"), 0x40, 0x3F
HANDLER_MOST = PAD_MOST + STEP_OVER


@dataclass(frozen=True)
class Made:
    """What a program does on each hart: its crossings; on all, by line and place, the stretches with interrupts masked; its symbols."""

    crossed: list[Crossed]
    masked: dict[tuple[int, str], Begun]
    symbols: dict[str, int]


def build(folder: Path, seeds: Sequence[int], setting: Setting) -> Made:
    """Writes program.elf, for this machine's QEMU."""
    writes_mpv, supervisor_in_vu = of_this_qemu()
    walk, routines = walk_of(seeds, replace(setting, writes_mpv=writes_mpv, supervisor_in_vu=supervisor_in_vu))
    of_m, of_s, of_vs = walk.pads
    head = f".equ HAS_H, {int(setting.has_h)}\n.equ HARTS, {setting.cores}\n.equ M_PAD, {of_m}\n.equ S_PAD, {of_s}\n.equ VS_PAD, {of_vs}\n"
    text = (head, START.read_text(), *(f"{line}\n" for line in walk.lines), "la t0, done\njr t0\n", *(f"{one.text}\n" for one in routines))
    (folder / "program.S").write_text("".join(text))
    symbols = _assemble(folder, setting.bits)
    before = ROM_INSTRUCTIONS + (symbols["m_trap"] - START_AT) // CODE_BYTES
    first = Crossed(NO_WORLD, M, 0)
    crossed = [first, *(Crossed(one.left, one.entered, before + one.instructions, one.cause) for one in walk.crossed)]
    return Made(crossed, walk.masks.of_harts(setting.cores, before), symbols)


@cache
def of_this_qemu() -> tuple[bool, int]:
    """Whether M's writes reach mstatus.MPV, and the cause of a supervisor's register in VU: a program ends the machine with both."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(ASKED, folder / "program.S")
        _assemble(folder, 64)
        code = subprocess.run(machine(folder, Setting()), capture_output=True, timeout=TIMEOUT_S, check=False).returncode
    assert code & CAUSE in (ILLEGAL, VIRTUAL), code
    return bool(code & MPV), code & CAUSE


def _assemble(folder: Path, bits: int) -> dict[str, int]:
    abi, emulation = ("lp64", "elf64lriscv") if bits == 64 else ("ilp32", "elf32lriscv")
    for command in (
        ("as", f"-march=rv{bits}ima_zicsr_zifencei", f"-mabi={abi}", "program.S", "-o", "program.o"),
        ("ld", "-m", emulation, f"-Ttext={START_AT:#x}", "-e", "0", "-o", "program.elf", "program.o"),
    ):
        subprocess.run((f"riscv64-linux-gnu-{command[0]}", *command[1:]), cwd=folder, check=True, capture_output=True)
    listed = subprocess.run(("riscv64-linux-gnu-nm", "program.elf"), cwd=folder, check=True, capture_output=True, text=True).stdout
    return {line.split()[2]: int(line.split()[0], 16) for line in listed.splitlines()}


def machine(folder: Path, setting: Setting) -> tuple[str, ...]:
    return (
        *(f"qemu-system-riscv{setting.bits}", "-M", "virt", "-cpu", f"rv{setting.bits},h={'true' if setting.has_h else 'false'}"),
        *("-smp", str(setting.cores), "-m", "64", "-bios", "none", "-kernel", str(folder / "program.elf")),
        *("-nic", "none", "-display", "none", "-monitor", "none", "-serial", "null", "-no-reboot"),
        *(("-icount", "shift=4,sleep=off") if setting.has_clock else ()),
    )


def run(folder: Path, seeds: Sequence[int], setting: Setting) -> tuple[bytes, bytes, Made]:
    """The streams of the probe as it is used, and of one that counts every instruction by a call of its own, of one machine; and what the
    program does."""
    made = build(folder, seeds, setting)
    copy, usual, each, on = folder / "copy.so", folder / "usual", folder / "each", ("off", "on")
    shutil.copy(probe_here(), copy)
    command = (
        *machine(folder, setting),
        *("-plugin", f"{probe_here()},out={usual},limit={LIMIT_BYTES},functions={on[setting.functions]},masked={on[setting.masked]}"),
        *("-plugin", f"{copy},out={each},limit={LIMIT_BYTES},each=on"),
    )
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, b"")
    return usual.read_bytes(), each.read_bytes(), made


def faults(folder: Path, seeds: Sequence[int], setting: Setting) -> list[str]:
    """Where the probe's count is not that of each instruction, or not what the program does; an empty list where all agree."""
    usual, each, made = run(folder, seeds, setting)
    proof = prove(Decoder().feed(usual), Decoder().feed(each), setting.has_clock)
    found = [*proof.differences, *proof.behind, *_wrong_crossings(usual, made, setting)]
    if setting.functions:
        found += [f"functions up to {one[0]}" for one in stretches(usual, lambda world: world == M) if one[1] != one[2] or one[3]]
    if setting.masked:
        found += _wrong_masks(usual, made)
    return found


def _wrong_crossings(usual: bytes, made: Made, setting: Setting) -> list[str]:
    harts = crossed(usual)
    found = [f"{len(harts)} harts"] if len(harts) != setting.cores else []
    for hart, told in harts.items():
        wrong = next((pair for pair in zip_longest(told, made.crossed) if pair[0] != pair[1]), None)
        found += [f"hart {hart}: told {wrong[0]}, made {wrong[1]}"] if wrong else []
    return found + [f"a return to {to:#x}, behind a trap at {at:#x}" for at, to in _steps(usual) if to != at + CODE_BYTES]


def _steps(usual: bytes) -> Iterator[tuple[int, int]]:
    """Where a trap says that it was taken, and where its handler went back to; on another way it has more instructions."""
    for records in changes(usual).values():
        crossings = [each for each in records if isinstance(each, Crossing)]
        for up, down in pairwise(crossings):
            is_back = down.entered == up.left_world and down.instructions - up.instructions <= HANDLER_MOST
            if is_back and len(up.registers) > CAUSES_AT:
                yield up.registers[CAUSES_AT + 1], down.address


def _wrong_masks(usual: bytes, made: Made) -> list[str]:
    masked = [each for each in Decoder().feed(usual) if isinstance(each, Masked)]
    told = begun_of(masked, {made.symbols[name]: name for name in ("m_trap", "s_trap")})
    unknown = [f"not known whether masked: {each}" for each in masked if each.mask is not Mask.MASKED]
    places = sorted(told.keys() | made.masked.keys())
    return unknown + [
        f"masked {at}: told {told.get(at)}, made {made.masked.get(at)}" for at in places if told.get(at) != made.masked.get(at)
    ]


def crossed(stream: bytes) -> dict[int, list[Crossed]]:
    """What each hart crossed."""
    found: dict[int, list[Crossed]] = {}
    for core, records in changes(stream).items():
        found[core] = [_crossed(each) for each in records if isinstance(each, Crossing)]
    return found


def _crossed(crossing: Crossing) -> Crossed:
    cause = crossing.registers[CAUSES_AT] if len(crossing.registers) > CAUSES_AT else None
    return Crossed(crossing.left_world, crossing.entered, crossing.instructions, cause)
