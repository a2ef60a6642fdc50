# SPDX-License-Identifier: BSD-3-Clause
"""Random programs that mask and unmask interrupts in every way and at every level while some wait, for machines without a system."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.adversaries import JUMP

FOLDER = Path(__file__).parent
QUIET = ("-display", "none", "-monitor", "none", "-serial", "null", "-nic", "none", "-no-reboot")
SEMIHOSTING = ("-semihosting-config", "enable=on,target=native")
PIECES = 120
HANDLERS = 6
HCR_RW, HCR_TGE, HCR_E2H, HCR_IMO, HCR_FMO = 1 << 31, 1 << 27, 1 << 34, 1 << 4, 1 << 3
SCR_RW_HCE, SCR_NS, SCR_IRQ, SCR_FIQ = 0x500, 1, 2, 4
SPSR = (0, 5, 9)
MASK_BITS = (0, 0x40, 0x80, 0xC0, 0x3C0)
MPP = {"m": 3 << 11, "s": 1 << 11, "u": 0}

Draw = random.Random
Choice = tuple[float, Callable[[Draw], str]]


def _nops(draw: Draw) -> str:
    return "\n".join(["nop"] * draw.randint(1, 6))


def _body(draw: Draw, choices: tuple[Choice, ...], most: int) -> str:
    """Of so many choices each as often as its weight says; nops else, which weigh a quarter."""
    weights = [weight for weight, _ in choices]
    makers = [make for _, make in choices]
    return "\n".join(make(draw) for make in draw.choices([*makers, _nops], [*weights, sum(weights) / 3], k=draw.randint(2, most)))


def _a64_sgi(draw: Draw) -> str:
    return f"movz w11, #0x200, lsl #16\n movk w11, #{draw.choice((0x8000, 1, 0x8001, 0))}\n str w11, [x9, #0xf00]"


A64_PLAIN: tuple[Choice, ...] = (
    (18, lambda draw: f"msr daifset, #{draw.choice((1, 2, 3, 2, 1, 15, 4))}"),
    (18, lambda draw: f"msr daifclr, #{draw.choice((1, 2, 3, 2, 1, 15, 8))}"),
    (6, lambda draw: f"mov x12, #{draw.choice(MASK_BITS)}\n msr daif, x12"),
    (8, _a64_sgi),
    (3, lambda draw: "ldr w12, [x10, #0xc]\n str w12, [x10, #0x10]"),
    (3, lambda draw: "mrs x12, daif"),
    (3, lambda draw: f"mov x12, #{draw.randint(1, 6)}\n1: sub x12, x12, #1\n cbnz x12, 1b"),
    (2, lambda draw: "isb"),
)
A64_CALLS: tuple[Choice, ...] = ((5, lambda draw: "svc #1"), (3, lambda draw: "hvc #1"), (4, lambda draw: "smc #1"))
M_MASKS: tuple[Choice, ...] = (
    (16, lambda draw: "cpsie i"),
    (10, lambda draw: f"movs r0, #{draw.choice((0, 0x20, 0x40, 0x80, 0xC0))}\n msr basepri, r0"),
    (5, lambda draw: f"movs r0, #{draw.choice((0x20, 0x40, 0x80))}\n msr basepri_max, r0"),
    (2, lambda draw: "mrs r0, primask"),
)
M_ALL: tuple[Choice, ...] = (
    *M_MASKS,
    (14, lambda draw: "cpsid i"),
    (4, lambda draw: "cpsid f"),
    (6, lambda draw: "cpsie f"),
    (3, lambda draw: f"movs r0, #{draw.choice((0, 1))}\n msr primask, r0"),
    (14, lambda draw: f"movs r0, #{1 << draw.randint(0, 3)}\n str r0, [r4]"),
    (6, lambda draw: f"mov.w r0, #{draw.choice((0x10000000, 0x4000000)):#x}\n str r0, [r5]"),
)
RISCV_ANY: tuple[Choice, ...] = (
    (10, lambda draw: "csrsi sip, 2"),
    (4, lambda draw: "ecall"),
    (4, lambda draw: "unimp"),
    (4, lambda draw: f"li t1, {draw.randint(1, 5)}\n1: addi t1, t1, -1\n bnez t1, 1b"),
)
RISCV: dict[str, tuple[Choice, ...]] = {
    "u": RISCV_ANY,
    "s": (
        *RISCV_ANY,
        (14, lambda draw: "csrci sstatus, 2"),
        (16, lambda draw: "csrsi sstatus, 2"),
        (4, lambda draw: "csrrci t1, sstatus, 2"),
        (4, lambda draw: "csrr t1, sstatus"),
    ),
    "m": (
        *RISCV_ANY,
        (14, lambda draw: "csrci mstatus, 8"),
        (16, lambda draw: "csrsi mstatus, 8"),
        (6, lambda draw: f"{draw.choice(('csrsi', 'csrci'))} mstatus, 2"),
        (6, lambda draw: "li t1, 1\n sw t1, 0(s2)"),
        (3, lambda draw: "ld t1, 0(s4)\n addi t1, t1, 40\n sd t1, 0(s3)"),
    ),
}


def _a64_row(draw: Draw, number: int, has_host: bool) -> str:
    scr = SCR_RW_HCE | draw.choice((0, SCR_IRQ)) | draw.choice((0, SCR_FIQ)) | (SCR_NS if draw.random() < 0.75 else 0)
    level = draw.choice((0, 1, 1, 2)) if scr & SCR_NS else draw.choice((0, 1))
    hcr = HCR_RW | draw.choice((0, HCR_IMO)) | draw.choice((0, HCR_FMO))
    if scr & SCR_NS and level != 1:
        hcr |= draw.choice((0, 0, HCR_TGE)) | (draw.choice((0, 0, HCR_E2H)) if has_host else 0)
    return f".quad piece{number}, el3_{number}, {SPSR[level] | draw.choice(MASK_BITS)}, {scr}, {hcr}"


def _a64(draw: Draw, has_host: bool) -> str:
    pieces = [
        f"piece{number}:\n{_body(draw, A64_PLAIN + A64_CALLS, 40)}\n smc #77\n svc #77\n b .\n"
        f"el3_{number}:\n{_body(draw, A64_PLAIN, 8)}\n ret\n"
        for number in range(PIECES)
    ]
    rows = "\n".join(_a64_row(draw, number, has_host) for number in range(PIECES))
    return "".join(pieces) + f".balign 8\ntable:\n{rows}\n.quad 0, 0\n"


def _m(draw: Draw) -> str:
    end = "movs r0, #0\n msr basepri, r0"
    pieces = [
        f".thumb_func\n.type piece{number}, %function\npiece{number}:\n push {{r4, lr}}\n{_body(draw, M_ALL, 30)}\n {end}\n"
        " cpsie f\n cpsie i\n pop {r4, pc}\n"
        for number in range(PIECES)
    ]
    handlers = [
        f".thumb_func\n.type handler{number}, %function\nhandler{number}:\n push {{r4, lr}}\n{_body(draw, M_MASKS, 6)}\n"
        f"{draw.choice(('', ' cpsid i' + chr(10) + ' nop' + chr(10) + ' cpsie i' + chr(10)))} {end}\n pop {{r4, pc}}\n"
        for number in range(HANDLERS)
    ]
    calls = "\n".join(f" bl piece{number}" for number in range(PIECES))
    priorities = sum(draw.choice((0x20, 0x40, 0x80, 0xA0, 0xC0)) << 8 * number for number in range(4))
    of_kernel = 0xE0 << 16 | draw.choice((0x40, 0xE0)) << 24
    values = f".set priorities, {priorities}\n.set of_kernel, {of_kernel}\n.set tick, {draw.randint(50, 900)}\n"
    return f"{values}.thumb_func\nall_pieces:\n push {{r7, lr}}\n{calls}\n pop {{r7, pc}}\n" + "".join(pieces + handlers)


def _riscv(draw: Draw) -> str:
    pieces, rows = [], []
    for number in range(PIECES):
        mode = draw.choice("msu")
        status = MPP[mode] | draw.choice((0, 0x80)) | draw.choice((0, 2)) | draw.choice((0, 0x20))
        delegated, enabled = draw.choice((0, 2, 0x222)), draw.choice((0, 2, 10, 0x88, 0x8A, 0xA2A))
        pieces.append(f".balign 4\npiece{number}:\n{_body(draw, RISCV[mode], 35)}\n li a7, 77\n ecall\n j .\n")
        rows.append(f".quad piece{number}, {status}, {delegated}, {enabled}, {draw.choice((0, 0x100, 0x104, 4))}")
    table = "\n".join(rows)
    return "".join(pieces) + f".balign 8\ntable:\n{table}\n.quad 0\nvectored: .quad {draw.choice((0, 1))}\n"


def _linked(folder: Path, name: str, text: str, compiler: str, *options: str) -> Path:
    source, program = folder / f"{name}.S", folder / f"{name}.elf"
    if not shutil.which(compiler):
        pytest.skip(f"needs {compiler}")
    source.write_text((FOLDER / f"mask_programs_{name}.S").read_text() + text)
    words = (compiler, "-nostdlib", "-static", "-Wl,--build-id=none", *options, "-o", str(program), str(source))
    subprocess.run(words, check=True, capture_output=True)
    return program


def a64(folder: Path, seed: int, cores: int) -> tuple[str, ...]:
    """In EL0 to EL3, both security states and, with an odd seed, EL2 as a host."""
    has_host = bool(seed % 2)
    program = _linked(
        folder, "a64", _a64(random.Random(seed), has_host), "aarch64-linux-gnu-gcc", "-march=armv8.2-a", "-Wl,-Ttext=0x60400000"
    )
    (folder / "jump.bin").write_bytes(JUMP)
    return (
        *("qemu-system-aarch64", "-M", "virt,secure=on,virtualization=on,gic-version=2", "-m", "1024", "-smp", str(cores)),
        *("-cpu", "neoverse-n1" if has_host else "cortex-a57", "-bios", str(folder / "jump.bin"), "-device", f"loader,file={program}"),
        *("-icount", "shift=4,sleep=off", *SEMIHOSTING, *QUIET),
    )


def m_profile(folder: Path, seed: int) -> tuple[str, ...]:
    program = _linked(folder, "m", _m(random.Random(seed)), "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-Wl,-Ttext=0,-e,start")
    return ("qemu-system-arm", "-M", "mps2-an385", "-kernel", str(program), "-icount", "shift=6,sleep=off", *SEMIHOSTING, *QUIET)


def riscv(folder: Path, seed: int, cores: int) -> tuple[str, ...]:
    """In M, S and U; every other one on harts with the H extension, whose S is HS."""
    program = _linked(
        folder, "riscv", _riscv(random.Random(seed)), "riscv64-linux-gnu-gcc", "-march=rv64g", "-mabi=lp64", "-Wl,-Ttext=0x80000000"
    )
    cpu = "rv64,h=true" if seed % 2 else "rv64,h=false"
    return (
        *("qemu-system-riscv64", "-M", "virt", "-cpu", cpu, "-bios", "none", "-kernel", str(program), "-smp", str(cores)),
        *("-icount", "shift=4,sleep=off", *QUIET),
    )
