# SPDX-License-Identifier: BSD-3-Clause
"""Generated code that a counter of blocks gets wrong: instructions that are trapped, fault or change code, in worlds that share it.

A seed is a piece of code and the worlds and traps with which it is entered. One boot runs many pieces on every core."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.calls.model.crossings import Crossing, Fragment, Profile, Record, Sleep, Wake
from latlab.calls.model.crossings import Path as Ran
from latlab.calls.readers.decoder import Decoder
from support.plugins import probe_here
from support.summed import instructions_of

START = Path(__file__).with_name("adversaries.S")
QEMU = "qemu-system-aarch64"
START_AT, IMAGE_AT, IMAGE32_AT = 0x60400000, 0x60000000, 0x60800000
JUMP = bytes.fromhex("40000058 00001fd6") + START_AT.to_bytes(8, "little")
LIMIT_BYTES = 64 << 20
TIMEOUT_S = 3600
WORLD_BITS = 0xC

PLAIN = (
    "add x0, x0, #1", "add x1, x1, x0", "mov x2, #7", "eor x3, x3, x1", "nop", "nop", "yield", "dsb sy", "isb", "dmb ish", "clrex", "sb",
    "esb", "csdb", "bti c", "dgh", "sev",
)  # fmt: skip
REGISTERS = (
    "mrs x4, id_aa64pfr0_el1", "mrs x4, id_aa64mmfr0_el1", "mrs x4, id_isar0_el1", "mrs x5, ctr_el0", "mrs x5, midr_el1",
    "mrs x5, dczid_el0", "mrs x5, clidr_el1", "mrs x4, actlr_el1", "msr actlr_el1, x4", "mrs x4, ttbr0_el1", "msr ttbr0_el1, x4",
    "msr contextidr_el1, x4", "msr tcr_el1, xzr", "mrs x4, s3_0_c15_c0_0", "msr s3_3_c11_c0_0, x4", "mrs x4, pmccntr_el0",
    "mrs x4, pmcr_el0", "mrs x4, cntvct_el0", "mrs x4, cntpct_el0", "mrs x4, mdscr_el1", "mrs x4, osdlr_el1", "mrs x4, fpcr",
    "msr fpsr, xzr", "mrs x4, zcr_el1", "mrs x4, tpidr_el0", "msr tpidr_el1, x4", "mrs x4, isr_el1", "mrs x4, lorid_el1",
    "mrs x4, apiakeylo_el1", "mrs x4, rndr", "mrs x4, hcr_el2", "mrs x4, scr_el3", "mrs x4, currentel", "mrs x4, nzcv", "msr nzcv, xzr",
    "msr daifset, #2", "msr daifclr, #4", "msr spsel, #1", "msr spsel, #0", "msr pan, #1", "msr ssbs, #0",
)  # fmt: skip
CACHES = (
    "dc civac, x25", "dc cvau, x25", "dc zva, x25", "dc isw, xzr", "dc cisw, xzr", "ic iallu", "ic ivau, x25", "tlbi vmalle1", "tlbi alle2",
    "tlbi vae1is, xzr", "at s1e1r, x25", "at s1e2r, x25",
)  # fmt: skip
MEMORY = (
    "ldr x6, [x25]", "str x1, [x25, #8]", "ldr x6, [x25, #3]", "ldp x6, x7, [x25, #16]", "ldr x6, [x24]", "ldr w6, [x23, #0x18]",
    "ldxr x6, [x25]", "stxr w6, x1, [x25]", "ldadd x1, x6, [x25]", "cas x1, x6, [x25]", "prfm pldl1keep, [x25]",
)  # fmt: skip
VECTORS = (
    "fadd d0, d1, d2", "fmov x6, d0", "ldr q0, [x25]", "str q0, [x25, #32]", "ld1 {v0.16b}, [x25]", "add v0.4s, v1.4s, v2.4s",
    "ptrue p0.b", "ld1b {z0.b}, p0/z, [x25]", "st1b {z0.b}, p0, [x25]", "ldff1b {z1.b}, p0/z, [x25, x2]", "add z0.b, z1.b, z2.b",
    "cntb x6", "rdvl x6, #1", "ldr z3, [x25]", "str z3, [x25, #1, mul vl]", "smstart", "smstop",
    "ptrue p0.b\n ld1b {z0.b}, p0/z, [x24]", "ptrue p0.b\n st1b {z0.b}, p0, [x24]", "ldr z3, [x24]", "str p0, [x24]",
)  # fmt: skip
POINTERS = (
    "paciasp", "autiasp", "pacia x7, x8", "autia x7, x8", "xpaci x7", "pacga x7, x8, x9", "irg x7, x8", "stg x25, [x25]", "ldg x7, [x25]",
)  # fmt: skip
# The last two are WFET X6 and WFIT XZR. Newer QEMUs sleep in a WFE that no event came before.
LEAVING = ("smc #1", "hvc #2", "svc #3", "udf #0", "brk #1", "wfi", "sevl\n wfe", "sevl\n .inst 0xd5031006", ".inst 0xd503103f")
FLOW = (
    "mov x10, #5\n1: sub x10, x10, #1\n cbnz x10, 1b",
    "mov x10, #4\n1: mrs x4, id_aa64pfr0_el1\n sub x10, x10, #1\n add x1, x1, #1\n cbnz x10, 1b",
    "cbz x0, 1f\n add x0, x0, #1\n1:",
    "b 1f\n nop\n1:",
    "bl 1f\n1:",
    "adr x9, 1f\n br x9\n1:",
)
REWRITES = "adr x9, 9f\n ldr w8, 8f\n str w8, [x9]\n add x1, x1, #1\n9: nop\n b 7f\n8: add x2, x2, #1\n7:"
A64 = (*PLAIN, *REGISTERS, *CACHES, *MEMORY, *VECTORS, *POINTERS, *LEAVING, *FLOW, REWRITES)
A32 = (
    "add r0, r0, #1", "eor r1, r1, r0", "nop", "ldr r2, [r12]", "str r1, [r12, #8]", "smc #1", "smc #2", "ldm r12, {r2, r3}",
    "mov r4, #5\n1: subs r4, r4, #1\n bne 1b", "b 1f\n nop\n1:", "dmb", "isb", "addeq r0, r0, #1", "strne r1, [r12]",
)  # fmt: skip
# Calls of, and traps to, an EL2 in AArch64.
A32_BELOW_EL2 = (
    "hvc #2", "mrc p15, 0, r5, c0, c1, 0", "mrc p15, 0, r5, c0, c0, 0", "mcr p15, 0, r5, c2, c0, 0", "mrc p15, 0, r5, c1, c0, 1",
)  # fmt: skip

HCR_TRAPS = (13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 28, 40, 41)
HCR_RW, SCR_RW, SCR_HCE, SCR_TWI, SCR_NS = 1 << 31, 1 << 10, 1 << 8, 1 << 12, 1
SPSR = {0: 0x3C0, 1: 0x3C5, 2: 0x3C9}
SPSR_SVC32 = 0x1D3


@dataclass(frozen=True)
class Setting:
    """`cores` on an instruction clock or on threads. `functions` as in the probe's option."""

    cpu: str = "max"
    cores: int = 1
    has_clock: bool = True
    functions: bool = False
    contexts: bool = False

    @property
    def has_aarch32(self) -> bool:
        return self.cpu in ("max", "cortex-a53", "cortex-a57", "cortex-a72")

    def __str__(self) -> str:
        return f"{self.cpu} x{self.cores} {'clock' if self.has_clock else 'threads'}{' functions' if self.functions else ''}"


def _some(draw: random.Random, bits: Sequence[int]) -> int:
    return sum(1 << bit for bit in bits if draw.random() < 0.4)


def _row(draw: random.Random, kind: str, label: str) -> str:
    hcr, scr = _some(draw, HCR_TRAPS), SCR_HCE | SCR_TWI | _some(draw, (11, 13, 14, 16, 17))
    spsr = SPSR_SVC32
    if kind == "a64":
        level, is_secure = draw.choice(((1, False), (2, False), (0, False), (1, True), (0, True)))
        scr |= SCR_RW | (0 if is_secure else SCR_NS)
        hcr |= HCR_RW
        spsr = SPSR[level]
    elif kind == "a32":
        scr, hcr = scr & ~SCR_HCE | draw.choice((0, SCR_NS)), 0
    else:
        scr |= SCR_RW | SCR_NS
    traps = (0x32FF | _some(draw, (8, 10, 31)), _some(draw, (16, 17, 20, 21)), _some(draw, (8, 10, 31)), _some(draw, (5, 6, 9, 10, 11)))
    return ".quad " + ", ".join((label, *(f"{each:#x}" for each in (spsr, scr, hcr, *traps))))


def _assemble(folder: Path, name: str, prefix: str, text: str, at: int, *options: str) -> str:
    """Writes NAME.bin for this address. Returns its symbols, as `nm` prints them."""
    (folder / f"{name}.S").write_text(text)
    for command in (
        (f"{prefix}gcc", "-c", f"{name}.S", "-o", f"{name}.o"),
        (f"{prefix}ld", *options, f"-Ttext={at:#x}", "-e", "0", "-o", f"{name}.elf", f"{name}.o"),
        (f"{prefix}objcopy", "-O", "binary", f"{name}.elf", f"{name}.bin"),
    ):
        subprocess.run(command, cwd=folder, check=True)
    return subprocess.run((f"{prefix}nm", f"{name}.elf"), cwd=folder, check=True, capture_output=True, text=True).stdout


def build(folder: Path, seeds: Sequence[int], setting: Setting) -> None:
    rows, code, code32 = [], [], []
    for seed in seeds:
        draw, label = random.Random(seed), f"piece{seed}"
        kind = draw.choices(("a64", "a32", "a32_below_el2"), (10, 1, 1))[0] if setting.has_aarch32 else "a64"
        chosen = {"a64": A64, "a32": A32, "a32_below_el2": A32 + A32_BELOW_EL2}[kind]
        body = "\n".join(draw.choice(chosen) for _ in range(draw.randint(5, 70)))
        if kind == "a64":
            code.append(f".balign 4\n{label}:\n{body}\n smc #77\n svc #77\n b .\n")
        else:
            code32.append(f".balign 4\n{label}:\n{body}\n mov r11, #77\n smc #0\n b .\n")
        rows += [_row(draw, kind, label) for _ in range(draw.randint(1, 4))]
    text32 = ".text\n.arm\n.arch armv8-a\n.arch_extension sec\n.arch_extension virt\n" + "".join(code32)
    symbols = _assemble(folder, "image32", "arm-none-eabi-", text32, IMAGE32_AT)
    labels = [f"--defsym={line[2]}=0x{line[0]}" for line in map(str.split, symbols.splitlines()) if line[2].startswith("piece")]
    table = "\n".join((f".quad {setting.cores}", *rows, ".quad 0, 0"))
    text = f".text\n{table}\n.arch armv9-a+sve+sve2+memtag+rng+sme+ssbs\n" + "".join(code)
    _assemble(folder, "image", "aarch64-linux-gnu-", text, IMAGE_AT, *labels)
    _assemble(folder, "start", "aarch64-linux-gnu-", START.read_text(), START_AT)
    (folder / "jump.bin").write_bytes(JUMP)


def run(folder: Path, seeds: Sequence[int], setting: Setting, log: Path | None = None) -> tuple[bytes, bytes]:
    """The streams of the probe as it is used, and of one that counts every instruction by a call of its own, of one machine."""
    build(folder, seeds, setting)
    copy, usual, each = folder / "copy.so", folder / "usual", folder / "each"
    shutil.copy(probe_here(), copy)
    memory = [f"loader,file={name}.bin,addr={at:#x},force-raw=on" for name, at in (("start", START_AT), ("image", IMAGE_AT))]
    if (folder / "image32.bin").stat().st_size:
        memory.append(f"loader,file=image32.bin,addr={IMAGE32_AT:#x},force-raw=on")
    contexts = ",contexts=on" if setting.contexts else ""
    command = (
        *(QEMU, "-M", f"virt,secure=on,virtualization=on,gic-version=3{',mte=on' if setting.cpu == 'max' else ''}", "-m", "1024"),
        *("-cpu", setting.cpu, "-smp", str(setting.cores), "-bios", "jump.bin", "-nic", "none", "-display", "none", "-monitor", "none"),
        *("-serial", "null", "-semihosting-config", "enable=on,target=native"),
        *(word for device in memory for word in ("-device", device)),
        *(("-icount", "shift=4,sleep=off") if setting.has_clock else ()),
        *(("-d", "int", "-D", str(log)) if log else ()),
        *(
            "-plugin",
            f"{probe_here()},out={usual},limit={LIMIT_BYTES},functions={'on' if setting.functions else 'off'}{contexts}",
        ),
        *("-plugin", f"{copy},out={each},limit={LIMIT_BYTES},each=on"),
    )
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return usual.read_bytes(), each.read_bytes()


def changes(stream: bytes) -> dict[int, list[Record]]:
    """Crossings, sleeps and wakes of each core."""
    found: dict[int, list[Record]] = {}
    for record in Decoder().feed(stream):
        if isinstance(record, Crossing | Sleep | Wake):
            found.setdefault(record.core, []).append(record)
    return found


def _is_measured(world: int) -> bool:
    return world <= 0xF and world & WORLD_BITS != 0


def stretches(stream: bytes, is_measured: Callable[[int], bool] = _is_measured) -> Iterator[tuple[Crossing, int, int, int]]:
    """Each stretch of a measured world that no sleep divides: the crossing that ends it, how many instructions it had by the counts,
    how many by its functions, and how many of these have no name."""
    sizes: dict[int, int] = {}
    ran: dict[int, int] = {}
    steps: dict[int, tuple[int, ...]] = {}
    unlisted: dict[int, int] = {}
    since: dict[int, int] = {}
    for record in Decoder().feed(stream):
        match record:
            case Fragment():
                sizes[record.number] = record.instructions
            case Ran():
                steps[record.core] = steps.get(record.core, ()) + record.steps  # a loop may go on in the next record
            case Profile():
                unlisted[record.core] = unlisted.get(record.core, 0) + record.unlisted_instructions
                listed = sum(sizes[fragment] * times for fragment, times in record.runs)
                ran[record.core] = ran.get(record.core, 0) + listed + record.unlisted_instructions
            case Sleep():
                since.pop(record.core, None)
            case Crossing():
                if record.core in since and is_measured(record.left_world):
                    total = ran.get(record.core, 0) + instructions_of(steps.get(record.core, ()), sizes)
                    yield record, record.instructions - since[record.core], total, unlisted.get(record.core, 0)
                ran[record.core] = unlisted[record.core] = 0
                steps[record.core] = ()
                since[record.core] = record.instructions
