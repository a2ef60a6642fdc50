# SPDX-License-Identifier: BSD-3-Clause
"""Generated walks through the worlds of a RISC-V hart: M, HS (or S), VS, U and VU, down by mret and sret, up by traps.

A seed is a walk, and which traps are delegated and made. What it runs in each world is computed while it is written."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from latlab.analysis.crossings.proof import prove
from latlab.formats.probe.decoder import Decoder
from latlab.model.crossings import NO_WORLD, Crossing
from latlab.targets.qemu.probe import find_probe
from support.adversaries import LIMIT_BYTES, TIMEOUT_S, changes, stretches

START = Path(__file__).with_name("adversaries_riscv.S")
START_AT, ROM_INSTRUCTIONS, CODE_BYTES = 0x80000000, 6, 4
U, S, HS, M, VU, VS = range(6)
GUESTS, CAUSES_AT = (VU, VS), 8
ILLEGAL, BREAKPOINT, LOAD, STORE, VIRTUAL = 2, 3, 5, 7, 22
ECALLS = {U: 8, VU: 8, S: 9, HS: 9, VS: 10, M: 11}
MACHINE_DELEGATES, GUEST_DELEGATES = (2, 3, 5, 7, 8, 9, 10, 22), (2, 3, 5, 7, 8)
TW, TVM, VTW, VTVM, CYCLES = 1 << 21, 1 << 20, 1 << 21, 1 << 20, 1
EVERYWHERE = {ILLEGAL: "csrrw zero, cycle, zero", BREAKPOINT: "ebreak", LOAD: "lw a5, (zero)", STORE: "sw a1, (zero)"}


@dataclass(frozen=True)
class Setting:
    """Harts of 64 or 32 `bits`, with the hypervisor extension or without, on an instruction clock or on threads."""

    bits: int = 64
    has_h: bool = True
    cores: int = 1
    has_clock: bool = True
    functions: bool = False
    masked: bool = False

    def __str__(self) -> str:
        words = f"rv{self.bits} {'h' if self.has_h else 'no h'} x{self.cores} {'clock' if self.has_clock else 'threads'}"
        return words + (" functions" if self.functions else "") + (" masked" if self.masked else "")

    @property
    def supervisor(self) -> int:
        return HS if self.has_h else S


SETTINGS = (
    Setting(),
    Setting(functions=True, masked=True),
    Setting(cores=4, functions=True),
    Setting(cores=4, masked=True),
    Setting(cores=4, has_clock=False),
    Setting(cores=4, has_clock=False, functions=True),
    Setting(32),
    Setting(32, cores=4, functions=True),
    Setting(has_h=False),
    Setting(32, has_h=False, cores=4),
)


@dataclass(frozen=True)
class Traps:
    """What is trapped, and who takes it."""

    medeleg: int = 0
    hedeleg: int = 0
    mstatus: int = 0
    hstatus: int = 0
    counters: tuple[bool, bool, bool] = (True, True, True)  # of M, of the hypervisor, of S

    def taken_by(self, world: int, cause: int, supervisor: int) -> int:
        if world == M or not self.medeleg >> cause & 1:
            return M
        return VS if world in GUESTS and self.hedeleg >> cause & 1 else supervisor


Cause = Callable[[int, Traps], int]


@dataclass(frozen=True)
class Crossed:
    """`cause` where the crossing carries one."""

    left: int
    entered: int
    instructions: int
    cause: int | None = None


def _of_level(*allowed: int) -> Cause:
    """Of a register or an instruction that HS may use, and of these worlds."""

    def cause(world: int, _: Traps) -> int:
        return 0 if world in (M, *allowed) else VIRTUAL if world in GUESTS and allowed else ILLEGAL

    return cause


def _supervisor(world: int, _: Traps) -> int:
    """In VU it is illegal by QEMU, virtual by the architecture."""
    return ILLEGAL if world in (U, VU) else 0


def _of_satp(world: int, traps: Traps) -> int:
    if world == VS and traps.hstatus & VTVM:
        return VIRTUAL
    return ILLEGAL if world in (S, HS) and traps.mstatus & TVM else _supervisor(world, traps)


def _of_fence(world: int, traps: Traps) -> int:
    return VIRTUAL if world == VU else _of_satp(world, traps)


def _of_guest_translation(world: int, traps: Traps) -> int:
    return ILLEGAL if world == HS and traps.mstatus & TVM else _of_level(HS)(world, traps)


def _of_cycles(world: int, traps: Traps) -> int:
    of_m, of_hypervisor, of_s = traps.counters
    if world == M:
        return 0
    if not of_m:
        return ILLEGAL
    if world in GUESTS:
        return 0 if of_hypervisor and (of_s or world == VS) else VIRTUAL
    return ILLEGAL if world == U and not of_s else 0


def _always(cause: int) -> Cause:
    return lambda world, traps: cause


def _of_ecall(world: int, _: Traps) -> int:
    return ECALLS[world]


def _never(world: int, _: Traps) -> int:
    return 0


_machine, _hypervisor = _of_level(), _of_level(HS)
PLAIN = (
    "addi a0, a0, 1", "add a1, a1, a0", "xor a2, a2, a1", "nop", "fence", "fence.i", "mul a3, a0, a1", "amoadd.w a4, a1, (gp)", "lw a5, (gp)",
    "sw a1, 8(gp)", "lw a5, 3(gp)", "lr.w a4, (gp)", "sc.w a4, a1, (gp)", "auipc a4, 0", "lbu a5, 5(s1)", "beq zero, zero, . + 4",
    "bne zero, zero, . + 8",
)  # fmt: skip
OPERATIONS: tuple[tuple[str, Cause], ...] = (
    *((each, _never) for each in PLAIN),
    *((each, _always(cause)) for cause, each in EVERYWHERE.items()),
    ("ecall", _of_ecall),
    ("csrr a5, mhartid", _machine),
    ("csrw mscratch, a1", _machine),
    ("csrr a5, sstatus", _supervisor),
    ("csrw sscratch, a1", _supervisor),
    ("csrr a5, satp", _of_satp),
    ("sfence.vma", _of_fence),
    ("csrr a5, cycle", _of_cycles),
)
OPERATIONS_OF_H: tuple[tuple[str, Cause], ...] = (
    ("csrr a5, hstatus", _hypervisor),
    ("csrr a5, htval", _hypervisor),
    ("csrw vsscratch, a1", _hypervisor),
    ("csrr a5, vsstatus", _hypervisor),
    ("csrr a5, hgatp", _of_guest_translation),
    (".insn r 0x73, 4, 0x34, a5, gp, x0", _hypervisor),  # hlv.w a5, (gp)
    (".insn r 0x73, 0, 0x11, x0, x0, x0", _hypervisor),  # hfence.vvma
    (".insn r 0x73, 0, 0x31, x0, x0, x0", _of_guest_translation),  # hfence.gvma
)
ADDI_A1 = 0x158593


@dataclass
class Walk:
    """Writes code and runs it in the mind. `pads` are the nops of the handlers of M, S and VS."""

    setting: Setting
    pads: tuple[int, int, int]
    world: int = M
    ran: int = 0
    lines: list[str] = field(default_factory=list)
    crossed: list[Crossed] = field(default_factory=list)
    traps: Traps = Traps()
    labels: int = 0

    def label(self) -> str:
        self.labels += 1
        return f".Llabel{self.labels}"

    def write(self, *lines: str) -> None:
        """Instructions that trap nothing, each a line."""
        self.lines += lines
        self.ran += len(lines)

    def address(self, register: str, label: str) -> None:
        here = self.label()
        self.lines.append(f"{here}:")
        self.write(f"auipc {register}, %pcrel_hi({label})", f"addi {register}, {register}, %pcrel_lo({here})")

    def run(self, cause: int) -> None:
        """One instruction, and the handler that steps over it."""
        self.ran += 1
        if cause:
            left, taker = self.world, self.traps.taken_by(self.world, cause, self.setting.supervisor)
            self.go(taker, cause)
            self.ran += self._pad(taker) + 5
            self.go(left)

    def go(self, world: int, cause: int | None = None) -> None:
        if world != self.world:
            is_own = cause is None or (self.world, world) in ((U, S), (U, HS), (VU, VS))
            self.crossed.append(Crossed(self.world, world, self.ran, None if is_own else cause))
        self.world = world

    def _pad(self, world: int) -> int:
        of_m, of_s, of_vs = self.pads
        return of_m if world == M else of_vs if world == VS else of_s

    def down(self, world: int) -> None:
        """By mret from M, else by sret."""
        behind = self.label()
        self._return(world, behind)
        self.lines.append(f"{behind}:")
        self.go(world)

    def interrupted(self, world: int, pending: str, taker: int) -> None:
        """Down, where an interrupt waits that another world takes before the first instruction."""
        behind = self.label()
        self.address("s9", behind)
        self.write(pending)
        self._return(world, behind)
        self.lines.append(f"{behind}:")
        self.go(taker)
        self.ran += self._pad(taker) + 4
        self.write("csrci sip, 2")

    def _return(self, world: int, to: str) -> None:
        self.address("a6", to)
        if self.world == M:
            self._as_machine(world)
        else:
            self._as_supervisor(world)

    def _as_machine(self, world: int) -> None:
        self.write("csrw mepc, a6", "lui a6, 2", "addi a6, a6, -2048", f"{'csrs' if world == M else 'csrc'} mstatus, a6")
        if world in (S, HS, VS):
            self.write("lui a6, 1", "addi a6, a6, -2048", "csrs mstatus, a6")
        if self.setting.has_h:
            set_or_clear = "csrs" if world in GUESTS else "csrc"
            if self.setting.bits == 64:
                self.write("li a6, 1", "slli a6, a6, 39", f"{set_or_clear} mstatus, a6")
            else:
                self.write("li a6, 0x80", f"{set_or_clear} 0x310, a6")
        self.write("mret")

    def _as_supervisor(self, world: int) -> None:
        self.write("csrw sepc, a6")
        if self.world == HS:
            self.write("li a6, 0x80", f"{'csrs' if world in GUESTS else 'csrc'} hstatus, a6")
        self.write("li a6, 0x100", f"{'csrs' if world in (S, HS, VS) else 'csrc'} sstatus, a6", "sret")

    def up(self, operation: str, cause: int) -> None:
        """By a trap, after which its taker goes on."""
        behind = self.label()
        self.address("s9", behind)
        self.write(operation)
        taker = self.traps.taken_by(self.world, cause, self.setting.supervisor)
        self.go(taker, cause)
        self.ran += self._pad(taker) + 4
        self.lines.append(f"{behind}:")


def _some(draw: random.Random, bits: Sequence[int]) -> int:
    return sum(1 << bit for bit in bits if draw.random() < 0.5)


def _traps(draw: random.Random, has_h: bool) -> Traps:
    """One of the causes that any world can have is M's, so that there is a way back."""
    kept = draw.choice(list(EVERYWHERE))
    return Traps(
        _some(draw, MACHINE_DELEGATES if has_h else MACHINE_DELEGATES[:6]) & ~(1 << kept),
        _some(draw, GUEST_DELEGATES) if has_h else 0,
        draw.choice((0, TW)) | draw.choice((0, TVM)),
        draw.choice((0, VTW)) | draw.choice((0, VTVM)) if has_h else 0,
        (draw.random() < 0.7, draw.random() < 0.5, draw.random() < 0.5),
    )


def _set(walk: Walk, traps: Traps) -> None:
    of_m, of_hypervisor, of_s = traps.counters
    registers = {"medeleg": traps.medeleg, "mcounteren": of_m, "scounteren": of_s}
    if walk.setting.has_h:
        registers |= {"hedeleg": traps.hedeleg, "hcounteren": of_hypervisor, "hstatus": traps.hstatus}
    for name, value in registers.items():
        _constant(walk, int(value))
        walk.write(f"csrw {name}, a6")
    _constant(walk, TW | TVM)
    walk.write("csrc mstatus, a6")
    _constant(walk, traps.mstatus)
    walk.write("csrs mstatus, a6")
    walk.traps = traps


def _constant(walk: Walk, value: int) -> None:
    low = (value & 0xFFF) - (0x1000 if value & 0x800 else 0)
    walk.write(f"lui a6, {(value - low) >> 12:#x}", f"addi a6, a6, {low}")


def _operation(walk: Walk, draw: random.Random, operations: Sequence[tuple[str, Cause]]) -> None:
    text, cause = draw.choice(operations)
    walk.lines.append(text)
    walk.run(cause(walk.world, walk.traps))


def _wait(walk: Walk) -> None:
    """Only where it is trapped: no interrupt would end it."""
    traps, world = walk.traps, walk.world
    if world in (S, HS, VS) and traps.mstatus & TW:
        cause = ILLEGAL
    elif not traps.mstatus & TW and (world == VU or (world == VS and traps.hstatus & VTW)):
        cause = VIRTUAL
    else:
        return
    walk.lines.append("wfi")
    walk.run(cause)


def _loop(walk: Walk, draw: random.Random, operations: Sequence[tuple[str, Cause]]) -> None:
    times, again = draw.randint(2, 6), walk.label()
    body = [draw.choice(operations) for _ in range(draw.randint(1, 4))]
    walk.write(f"li t0, {times}")
    walk.lines += [f"{again}:", *(text for text, _ in body), "addi t0, t0, -1", f"bnez t0, {again}"]
    for _ in range(times):
        for _, cause in body:
            walk.run(cause(walk.world, walk.traps))
        walk.ran += 2


def _rewrite(walk: Walk) -> None:
    changed = walk.label()
    walk.address("a6", changed)
    walk.write(f"lui a7, {ADDI_A1 >> 12:#x}", f"addi a7, a7, {ADDI_A1 & 0x7FF}", "sw a7, (a6)", "fence.i")
    walk.lines.append(f"{changed}:")
    walk.write("nop")


def _as_another(walk: Walk) -> None:
    """M reads memory as a guest's user: its world is M."""
    if walk.world == M:
        walk.write("lui a6, 0x20", "csrs mstatus, a6", "lw a5, (gp)", "csrc mstatus, a6")


def _interrupt(walk: Walk, draw: random.Random) -> None:
    """Of S while M goes down, of VS while HS does."""
    if walk.world == M:
        walk.interrupted(draw.choice((U, VU, VS) if walk.setting.has_h else (U,)), "csrsi mip, 2", walk.setting.supervisor)
    elif walk.world == HS:
        walk.interrupted(VU, "csrsi hvip, 4", VS)


@dataclass(frozen=True)
class Routine:
    """Code that every world calls."""

    label: str
    operations: tuple[tuple[str, Cause], ...]

    @property
    def text(self) -> str:
        return "\n".join((f"{self.label}:", *(text for text, _ in self.operations), "ret"))


def _call(walk: Walk, routine: Routine) -> None:
    walk.write(f"jal {routine.label}")
    for _, cause in routine.operations:
        walk.run(cause(walk.world, walk.traps))
    walk.ran += 1


def _below(world: int, setting: Setting) -> Sequence[int]:
    """Where mret or sret lead from here; the own world is one of them."""
    if world == M:
        return (U, HS, M, VU, VS, VS, VU) if setting.has_h else (U, S, M)
    return {HS: (U, HS, VU, VS, VS), S: (U, S), VS: (VU, VU, VS)}.get(world, ())


def _step(walk: Walk, draw: random.Random, operations: Sequence[tuple[str, Cause]], routines: Sequence[Routine]) -> None:
    below = _below(walk.world, walk.setting)
    match draw.choices(("operation", "down", "up", "loop", "call", "wait", "rewrite", "another", "interrupt"), (20, 4, 3, 1, 4, 1, 0.3, 0.5, 1))[0]:
        case "operation":
            _operation(walk, draw, operations)
        case "down" if below:
            walk.down(draw.choice(below))
        case "up":
            walk.up("ecall", ECALLS[walk.world])
        case "loop":
            _loop(walk, draw, operations)
        case "call":
            _call(walk, draw.choice(routines))
        case "wait":
            _wait(walk)
        case "rewrite":
            _rewrite(walk)
        case "another":
            _as_another(walk)
        case "interrupt":
            _interrupt(walk, draw)


def _home(walk: Walk) -> None:
    """To M, by a cause that is its own."""
    if walk.world != M:
        cause = next(each for each in EVERYWHERE if not walk.traps.medeleg >> each & 1)
        walk.up(EVERYWHERE[cause], cause)


def walk_of(seeds: Sequence[int], setting: Setting) -> tuple[Walk, list[Routine]]:
    draw = random.Random(f"{seeds[0]} {setting}")
    operations = OPERATIONS + (OPERATIONS_OF_H if setting.has_h else ())
    routines = [Routine(f"routine{number}", tuple(draw.choices(operations, k=draw.randint(1, 8)))) for number in range(6)]
    walk = Walk(setting, (draw.randint(0, 5), draw.randint(0, 5), draw.randint(0, 5)))
    for seed in seeds:
        draw = random.Random(seed)
        _set(walk, _traps(draw, setting.has_h))
        for _ in range(draw.randint(10, 80)):
            _step(walk, draw, operations, routines)
        _home(walk)
    return walk, routines


def build(folder: Path, seeds: Sequence[int], setting: Setting) -> list[Crossed]:
    """Writes program.elf. Returns the crossings that it makes."""
    walk, routines = walk_of(seeds, setting)
    of_m, of_s, of_vs = walk.pads
    head = f".equ HAS_H, {int(setting.has_h)}\n.equ HARTS, {setting.cores}\n.equ M_PAD, {of_m}\n.equ S_PAD, {of_s}\n.equ VS_PAD, {of_vs}\n"
    text = (head, START.read_text(), *(f"{line}\n" for line in walk.lines), "la t0, done\njr t0\n", *(f"{one.text}\n" for one in routines))
    (folder / "program.S").write_text("".join(text))
    abi, emulation = ("lp64", "elf64lriscv") if setting.bits == 64 else ("ilp32", "elf32lriscv")
    for command in (
        ("as", f"-march=rv{setting.bits}ima_zicsr_zifencei", f"-mabi={abi}", "program.S", "-o", "program.o"),
        ("ld", "-m", emulation, f"-Ttext={START_AT:#x}", "-e", "0", "-o", "program.elf", "program.o"),
    ):
        subprocess.run((f"riscv64-linux-gnu-{command[0]}", *command[1:]), cwd=folder, check=True, capture_output=True)
    before = ROM_INSTRUCTIONS + _instructions_before_begin(folder)
    first = Crossed(NO_WORLD, M, 0)
    return [first, *(Crossed(one.left, one.entered, before + one.instructions, one.cause) for one in walk.crossed)]


def _instructions_before_begin(folder: Path) -> int:
    symbols = subprocess.run(("riscv64-linux-gnu-nm", "program.elf"), cwd=folder, check=True, capture_output=True, text=True).stdout
    places = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines()}
    return (places["m_trap"] - START_AT) // CODE_BYTES


def machine(folder: Path, setting: Setting) -> tuple[str, ...]:
    return (
        *(f"qemu-system-riscv{setting.bits}", "-M", "virt", "-cpu", f"rv{setting.bits},h={'true' if setting.has_h else 'false'}"),
        *("-smp", str(setting.cores), "-m", "64", "-bios", "none", "-kernel", str(folder / "program.elf")),
        *("-nic", "none", "-display", "none", "-monitor", "none", "-serial", "null", "-no-reboot"),
        *(("-icount", "shift=4,sleep=off") if setting.has_clock else ()),
    )


def run(folder: Path, seeds: Sequence[int], setting: Setting) -> tuple[bytes, bytes, list[Crossed]]:
    """The streams of the probe as it is used, and of one that counts every instruction by a call of its own, of one machine; and what
    each hart crosses."""
    expected = build(folder, seeds, setting)
    copy, usual, each, on = folder / "copy.so", folder / "usual", folder / "each", ("off", "on")
    shutil.copy(find_probe(), copy)
    command = (
        *machine(folder, setting),
        *("-plugin", f"{find_probe()},out={usual},limit={LIMIT_BYTES},functions={on[setting.functions]},masked={on[setting.masked]}"),
        *("-plugin", f"{copy},out={each},limit={LIMIT_BYTES},each=on"),
    )
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, b"")
    return usual.read_bytes(), each.read_bytes(), expected


def faults(folder: Path, seeds: Sequence[int], setting: Setting) -> list[str]:
    """Where the probe's count is not that of each instruction, or not what the program does; an empty list where all agree."""
    usual, each, expected = run(folder, seeds, setting)
    proof = prove(Decoder().feed(usual), Decoder().feed(each), setting.has_clock)
    found = [*proof.differences, *proof.behind]
    harts = crossed(usual)
    if len(harts) != setting.cores:
        found.append(f"{len(harts)} harts")
    for hart, made in harts.items():
        wrong = next((pair for pair in zip_longest(made, expected) if pair[0] != pair[1]), None)
        found += [f"hart {hart}: told {wrong[0]}, made {wrong[1]}"] if wrong else []
    if setting.functions:
        found += [f"functions up to {one[0]}" for one in stretches(usual, lambda world: world == M) if one[1] != one[2] or one[3]]
    return found


def crossed(stream: bytes) -> dict[int, list[Crossed]]:
    """What each hart crossed."""
    found: dict[int, list[Crossed]] = {}
    for core, records in changes(stream).items():
        found[core] = [_crossed(each) for each in records if isinstance(each, Crossing)]
    return found


def _crossed(crossing: Crossing) -> Crossed:
    cause = crossing.registers[CAUSES_AT] if len(crossing.registers) > CAUSES_AT else None
    return Crossed(crossing.left, crossing.entered, crossing.instructions, cause)
