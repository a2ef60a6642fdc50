# SPDX-License-Identifier: BSD-3-Clause
"""Generated code of EL3 whose instructions are counted by class twice: by the probe, and by QEMU's log of every address that ran.

The second count knows nothing of the first: what an instruction is says objdump, whether a branch was taken the next address, whether
caches and translation were on the generator, which wrote the constants, and whether a device was accessed the base register."""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.calls.analysis.classes import Classes
from latlab.calls.analysis.paths import runs_of
from latlab.calls.model.crossings import Arch, Crossing, Fragment, Profile, Stretch
from latlab.calls.model.crossings import Path as Ran
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.enums import InstructionClass as C
from support.plugins import probe_here

QEMU = "qemu-system-aarch64"
AT, JUMP_AT = 0x60000000, bytes.fromhex("40000058 00001fd6")
RES1, SWITCHES = 0x30C50830, {"M": 1, "C": 1 << 2, "I": 1 << 12}
TIMEOUT_S = 3600

PLAIN = ("add x0, x0, #1", "eor x3, x3, x1", "mov x2, #7", "nop", "yield", "adr x7, .", "cmp x0, x3", "csel x3, x0, x1, ne", "clz x1, x0",
         "hint #20", "fmov x6, d0", "fadd d0, d1, d2", "prfm pldl1keep, [x25]", "udiv x1, x0, x2", "msr nzcv, xzr")  # fmt: skip
SYSTEM = ("dsb sy", "dsb ishst", "dmb ish", "dmb sy", "isb", "clrex", "mrs x4, midr_el1", "mrs x4, nzcv", "mrs x4, sctlr_el3",
             "msr tpidr_el3, x4",
          "msr daifset, #2", "msr spsel, #1", "dc civac, x25", "dc cvau, x25", "dc cvac, x25", "dc ivac, x25", "dc isw, xzr", "dc csw, xzr",
          "dc cisw, xzr", "ic iallu", "ic ialluis", "ic ivau, x25", "tlbi alle3", "tlbi vae3is, xzr", "at s1e3r, x25",
          "sev\n sevl\n wfe")  # fmt: skip
MEMORY = ("ldr x6, [x25]", "str x1, [x25, #8]", "ldp x6, x7, [x25, #16]", "stp x6, x7, [x25, #32]", "ldr q0, [x25, #64]",
          "str q0, [x25, #80]", "ldrb w6, [x25, #1]", "strh w6, [x25, #2]", "ldrsw x6, [x25, #4]", "ldur x6, [x25, #8]",
          "stur w6, [x25, #12]", "ldar x6, [x25]", "stlr x1, [x25]", "ldxr x6, [x25]", "stxr w6, x1, [x25]", "ldaxp x6, x7, [x25]",
          "ldr x6, 9f\n b 8f\n .balign 8\n9: .quad 5\n8:", "ld1 {v0.16b}, [x25]", "st1 {v0.16b}, [x25]", "ldrb w6, [x25, x26]",
          "ldtr x6, [x25]", "ldnp x6, x7, [x25]", "ldr s1, [x25, #4]", "str d1, [x25, #8]")  # fmt: skip
DEVICE = ("ldr w6, [x20, #0x18]", "ldrh w6, [x20, #0x30]", "str w6, [x20, #0x38]", "ldr w6, [x20, #0x38]", "ldp w6, w7, [x20, #0x30]")
FLOW = (
    "mov x10, #5\n1: sub x10, x10, #1\n cbnz x10, 1b",
    "mov x10, #3\n1: mov x11, #4\n2: sub x11, x11, #1\n ldr x6, [x25]\n cbnz x11, 2b\n sub x10, x10, #1\n dsb sy\n cbnz x10, 1b",
    "mov x10, #6\n1: tbz x10, #0, 2f\n add x0, x0, #1\n2: subs x10, x10, #1\n b.ne 1b",
    "cbz x0, 1f\n add x0, x0, #1\n1:",
    "tst x0, #1\n b.eq 1f\n add x0, x0, #3\n1:",
    "b 1f\n nop\n1:",
    "b 1f\n1:",
    "bl callee",
    "adr x9, callee\n blr x9",
    "adr x9, 1f\n br x9\n nop\n1:",
    "adr x9, 1f\n br x9\n1:",
    "svc #3",
    "smc #1",
    "mov x10, #50\n1: bl callee\n sub x10, x10, #1\n cbnz x10, 1b",
)
NAMED = {
    "dmb": C.DMB, "dsb": C.DSB, "isb": C.ISB, "sb": C.BARRIER, "tlbi": C.TLBI, "ic": C.IC, "at": C.SYSTEM, "mrs": C.MRS, "msr": C.MSR,
    "wfi": C.WAIT, "wfe": C.WAIT, "clrex": C.EXCLUSIVE,
}  # fmt: skip
START = """
.text
.globl _start
_start:
    mrs x26, mpidr_el1
    and x26, x26, #0xff
    adr x0, vectors
    msr vbar_el3, x0
    ldr x25, =0x61000000
    add x25, x25, x26, lsl #12
    ldr x20, =0x09000000
    add x0, x25, #0x1000
    mov sp, x0
    adr x0, tables
    msr ttbr0_el3, x0
    ldr x0, =0x80823519
    msr tcr_el3, x0
    ldr x0, =0xff00
    msr mair_el3, x0
    mov x0, #0x401
    msr scr_el3, x0
    mov x0, #0x3c5
    msr spsr_el3, x0
    adr x0, done
    mov x27, x0
    isb
"""
END = """
    mov x0, #0x3c5
    msr spsr_el3, x0
    msr elr_el3, x27
leave: eret
callee: add x1, x1, #1
    cbz x1, 1f
    ret
1:  ret
done:
    ldr x0, =0x60ffff00
1:  ldaxr w2, [x0]
    add w2, w2, #1
    stlxr w3, w2, [x0]
    cbnz w3, 1b
    cmp w2, #CORES
    b.ne 4f
    mov w0, #0x18
    adr x1, exit
    hlt #0xf000
4:  wfi
    b 4b
    .balign 8
exit: .quad 0x20026, 0
    .ltorg
    .balign 2048
vectors:
    .rept 16
    .balign 128
    mrs x28, elr_el3
    ubfx x29, x28, #3, #1
    cbz x29, 1f
    add x29, x29, #1
1:  msr spsr_el3, x22
    eret
    .endr
    .balign 4096
tables:
    .quad 0x0000000000000401
    .quad 0x0000000040000705
    .fill 510, 8, 0
"""


@dataclass(frozen=True)
class Program:
    """`names` are its instructions as objdump prints them, `switches` what each write of SCTLR_EL3 sets, by address."""

    elf: Path
    names: dict[int, tuple[str, str]]
    switches: dict[int, int]
    leave: int


def build(folder: Path, seed: int, cores: int) -> Program:
    draw = random.Random(seed)
    body: list[str] = ["mov x22, #0x3cd"]
    values: list[int] = []
    for number in range(draw.randint(40, 120)):
        kind = draw.choices((PLAIN, SYSTEM, MEMORY, DEVICE, FLOW, ()), (4, 3, 4, 2, 4, 2))[0]
        if kind:
            body.append(draw.choice(kind))
            continue
        values.append(RES1 | sum(bit for bit in SWITCHES.values() if draw.random() < 0.5))
        body.append(f"ldr x9, ={values[-1]:#x}\nswitch{number}_{values[-1]:x}: msr sctlr_el3, x9\n isb\n b 5f\n .ltorg\n5:")
    (folder / "p.S").write_text(START + " " + "\n ".join(body) + END.replace("CORES", str(cores)))
    for command in (
        ("aarch64-linux-gnu-gcc", "-c", "p.S", "-o", "p.o"),
        ("aarch64-linux-gnu-ld", f"-Ttext={AT:#x}", "-o", "p.elf", "p.o"),
        ("aarch64-linux-gnu-objcopy", "-O", "binary", "p.elf", "p.bin"),
    ):
        subprocess.run(command, cwd=folder, check=True)
    (folder / "jump.bin").write_bytes(JUMP_AT + AT.to_bytes(8, "little"))
    said = subprocess.run(("aarch64-linux-gnu-objdump", "-D", "-z", "p.elf"), cwd=folder, check=True, capture_output=True, text=True).stdout
    lines = (re.match(r"\s+([0-9a-f]+):\t[0-9a-f]{8} \t(\S+)\s*(.*)", line) for line in said.splitlines())
    names = {int(line[1], 16): (line[2], line[3]) for line in lines if line}
    symbols = subprocess.run(("aarch64-linux-gnu-nm", "p.elf"), cwd=folder, check=True, capture_output=True, text=True).stdout
    marks = {word[2]: int(word[0], 16) for word in map(str.split, symbols.splitlines())}
    switches = {at: int(name.rpartition("_")[2], 16) for name, at in marks.items() if name.startswith("switch")}
    return Program(folder / "p.elf", names, switches, marks["leave"])


def _command(folder: Path, cores: int, cpu: str) -> tuple[str, ...]:
    return (
        *(QEMU, "-M", "virt,secure=on,gic-version=3", "-m", "1024", "-cpu", cpu, "-smp", str(cores), "-bios", "jump.bin", "-nic", "none"),
        *("-device", f"loader,file=p.bin,addr={AT:#x},force-raw=on", "-display", "none", "-monitor", "none", "-serial", "null"),
        *("-semihosting-config", "enable=on,target=native"),
    )


def _run(folder: Path, command: Sequence[str]) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr


def by_probe(folder: Path, cores: int, cpu: str, has_clock: bool = True) -> dict[int, tuple[int, Counter[C]]]:
    """Of each core, by its Aff0: instructions until it left EL3, and the same by class."""
    clock = ("-icount", "shift=4,sleep=off") if has_clock else ("-accel", "tcg,thread=multi")
    _run(folder, (*_command(folder, cores, cpu), *clock, "-plugin", f"{probe_here()},out=stream,contexts=on"))
    return dict(first_stretches((folder / "stream").read_bytes()))


def first_stretches(stream: bytes) -> Iterator[tuple[int, tuple[int, Counter[C]]]]:
    records = list(Decoder().feed(stream))
    classes = Classes(Arch.AARCH64, {one.number: one for one in records if isinstance(one, Fragment)})
    names: dict[int, int] = {}
    steps: dict[int, tuple[int, ...]] = {}
    rest: dict[int, Profile] = {}
    for record in records:
        match record:
            case Ran():
                steps[record.core] = steps.get(record.core, ()) + record.steps
            case Profile():
                rest[record.core] = record
            case Crossing() if record.core in steps and record.core not in names:
                names[record.core] = 1
                more = rest[record.core].runs if record.core in rest else ()
                told = classes.with_branches((Stretch(steps[record.core], more),))
                found: Counter[C] = Counter()
                for number, times in runs_of(told).items():
                    for name, count in classes.of[number].items():
                        found[name] += count * times
                yield record.core, (record.instructions, found)


def by_log(folder: Path, program: Program, cores: int, cpu: str) -> dict[int, Counter[C]]:
    """The same by QEMU's log of each instruction's address. One that an interrupt held up is in the log twice, the first time with a line
    behind it that says so."""
    slow = ("-accel", "tcg,one-insn-per-tb=on,thread=single", "-d", "exec,nochain", "-D", "log")
    _run(folder, (*_command(folder, cores, cpu), *slow))
    ran: dict[int, list[int]] = {}
    core = 0
    for line in (folder / "log").read_text().splitlines():
        found = re.match(r"Trace (\d+): 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/", line)
        if found:
            core = int(found[1])
            ran.setdefault(core, []).append(int(found[2], 16))
        elif line.startswith("Stopped execution of TB chain before"):
            ran[core].pop()
    return {core: _counted(program, addresses) for core, addresses in ran.items()}


def _counted(program: Program, addresses: list[int]) -> Counter[C]:
    found: Counter[C] = Counter()
    sctlr = 0
    for here, behind in zip(addresses, [*addresses[1:], 0], strict=True):
        name, operands = program.names.get(here, ("ldr", "x0, literal") if here == 0 else ("br", "x0"))
        found[_class(name, operands, sctlr, behind != here + 4)] += 1
        sctlr = program.switches.get(here, sctlr)
        if here == program.leave:
            return found
    raise AssertionError("the core never left EL3")


def _class(name: str, operands: str, sctlr: int, goes_away: bool) -> C:
    is_fetched_cached = bool(sctlr & SWITCHES["I"])
    has_data_cache = sctlr & SWITCHES["C"] and sctlr & SWITCHES["M"]
    if "[x20" in operands:
        return C.DEVICE
    if re.match(r"(ld|st)a?l?x[rp]|cas|swp", name):
        return C.EXCLUSIVE
    if re.match(r"ld|st", name) and not has_data_cache:
        return C.UNCACHED_LOAD if name.startswith("ld") else C.UNCACHED_STORE
    if name == "dc":
        return C.DC_SET_WAY if operands.split(",")[0].endswith("sw") else C.DC_LINE
    if name in NAMED:
        return NAMED[name]
    if is_fetched_cached:
        return C.CACHED
    is_branch = name in ("b", "bl", "blr", "br", "ret", "eret", "svc", "smc", "cbz", "cbnz", "tbz", "tbnz") or name.startswith("b.")
    return C.UNCACHED_BRANCH if is_branch and goes_away else C.UNCACHED_FETCH
