# SPDX-License-Identifier: BSD-3-Clause
"""Generated walks through the worlds of a RISC-V hart: M, HS (or S), VS, U and VU, down by mret and sret, up by traps.

A seed is a walk, and which traps are delegated and made. What it runs in each world is computed while it is written."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from support.riscv_masks import HS, VS, VU, M, Masks, S, U
from support.riscv_operations import (
    ECALLS,
    EVERYWHERE,
    GUESTS,
    ILLEGAL,
    OPERATIONS,
    OPERATIONS_OF_H,
    TVM,
    TW,
    VIRTUAL,
    VTVM,
    VTW,
    Cause,
    Traps,
)

PAD_MOST, STEP_OVER, LEAVE = 5, 5, 4
MACHINE_DELEGATES, GUEST_DELEGATES = (2, 3, 5, 7, 8, 9, 10, 22), (2, 3, 5, 7, 8)
ADDI_A1 = 0x158593
STEPS = {
    "operation": 20, "down": 4, "call": 4, "up": 3, "loop": 1, "wait": 1, "interrupt": 1, "another": 0.5, "rewrite": 0.3,
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """Harts of 64 or 32 `bits`, with the hypervisor extension or without, on an instruction clock or on threads.

    Two things differ between QEMUs. `writes_mpv`: M's own writes reach mstatus.MPV, as the privileged specification has it; in QEMU 10.0.13
    only traps and mret change it. `supervisor_in_vu` is the cause of a supervisor's register in VU."""

    bits: int = 64
    has_h: bool = True
    cores: int = 1
    has_clock: bool = True
    functions: bool = False
    masked: bool = False
    writes_mpv: bool = True
    supervisor_in_vu: int = ILLEGAL

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
    Setting(32, masked=True),
    Setting(32, cores=4, functions=True),
    Setting(has_h=False, masked=True),
    Setting(32, has_h=False, cores=4, masked=True),
)


@dataclass(frozen=True)
class Crossed:
    """`cause` where the crossing carries one."""

    left: int
    entered: int
    instructions: int
    cause: int | None = None


@dataclass
class Walk:
    """Writes code and runs it in the mind. `pads` are the nops of the handlers of M, S and VS."""

    setting: Setting
    pads: tuple[int, int, int]
    world: int = M
    ran: int = 0
    lines: list[str] = field(default_factory=list)
    crossed: list[Crossed] = field(default_factory=list)
    traps: Traps = field(default_factory=Traps)
    masks: Masks = field(default_factory=Masks)
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
            self.trapped(taker, cause)
            self.ran += self._pad(taker) + STEP_OVER
            self.returned(left)

    def trapped(self, taker: int, cause: int | None = None) -> None:
        self.masks.trapped(taker, self.ran)
        self._go(taker, cause)

    def returned(self, world: int) -> None:
        self.masks.returned(self.world, world, self.ran)
        self._go(world)

    def _go(self, world: int, cause: int | None = None) -> None:
        if world != self.world:
            is_own = cause is None or (self.world, world) in ((U, S), (U, HS), (VU, VS))
            self.crossed.append(Crossed(self.world, world, self.ran, None if is_own else cause))
        self.world = world

    def _pad(self, world: int) -> int:
        of_m, of_s, of_vs = self.pads
        return of_m if world == M else of_vs if world == VS else of_s

    def down(self, world: int) -> None:
        """By mret from M, else by sret."""
        self._leave_no_mpv(world)
        behind = self.label()
        self._return(world, behind)
        self.lines.append(f"{behind}:")
        self.returned(world)

    def interrupted(self, world: int, pending: str, taker: int) -> None:
        """Down, where an interrupt waits that another world takes before the first instruction."""
        self._leave_no_mpv(world)
        behind = self.label()
        self.address("s9", behind)
        self.write(pending)
        self._return(world, behind)
        self.lines.append(f"{behind}:")
        self.masks.returned(self.world, world, self.ran)
        self.trapped(taker)
        self.ran += self._pad(taker) + LEAVE
        self.write("csrci sip, 2")

    def _leave_no_mpv(self, world: int) -> None:
        """A trap of a guest has set MPV. An mret from M to M clears it, also where a write would not."""
        if self.setting.has_h and not self.setting.writes_mpv and self.world == M != world:
            self.down(M)

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
        if self.setting.has_h and self.setting.writes_mpv:
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
        self.trapped(taker, cause)
        self.ran += self._pad(taker) + LEAVE
        self.lines.append(f"{behind}:")


def _some(draw: random.Random, bits: Sequence[int]) -> int:
    return sum(1 << bit for bit in bits if draw.random() < 0.5)


def _traps(draw: random.Random, setting: Setting) -> Traps:
    """One of the causes that any world can have is M's, so that there is a way back."""
    kept, has_h = draw.choice(list(EVERYWHERE)), setting.has_h
    return Traps(
        _some(draw, MACHINE_DELEGATES if has_h else MACHINE_DELEGATES[:6]) & ~(1 << kept),
        _some(draw, GUEST_DELEGATES) if has_h else 0,
        draw.choice((0, TW)) | draw.choice((0, TVM)),
        draw.choice((0, VTW)) | draw.choice((0, VTVM)) if has_h else 0,
        (draw.random() < 0.7, draw.random() < 0.5, draw.random() < 0.5),
        setting.supervisor_in_vu,
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
    """Only where it is trapped: no interrupt would end it. Not at the end of a page: QEMU 10.0 would say that it was in the next one."""
    traps, world = walk.traps, walk.world
    if world in (S, HS, VS) and traps.mstatus & TW:
        cause = ILLEGAL
    elif not traps.mstatus & TW and (world == VU or (world == VS and traps.hstatus & VTW)):
        cause = VIRTUAL
    else:
        return
    behind = walk.label()
    walk.write(f"j {behind}")
    walk.lines += [".balign 8", f"{behind}:", "wfi"]
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
        worlds = (U, VU, VS) if walk.setting.has_h and walk.setting.writes_mpv else (U,)
        walk.interrupted(draw.choice(worlds), "csrsi mip, 2", walk.setting.supervisor)
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
    if world == M and setting.has_h and not setting.writes_mpv:
        return (U, HS, M, HS, HS)
    if world == M:
        return (U, HS, M, VU, VS, VS, VU) if setting.has_h else (U, S, M)
    return {HS: (U, HS, VU, VS, VS), S: (U, S), VS: (VU, VU, VS)}.get(world, ())


def _step(walk: Walk, draw: random.Random, operations: Sequence[tuple[str, Cause]], routines: Sequence[Routine]) -> None:
    below = _below(walk.world, walk.setting)
    match draw.choices(list(STEPS), list(STEPS.values()))[0]:
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
    walk = Walk(setting, (draw.randint(0, PAD_MOST), draw.randint(0, PAD_MOST), draw.randint(0, PAD_MOST)))
    for seed in seeds:
        draw = random.Random(seed)
        _set(walk, _traps(draw, setting))
        for _ in range(draw.randint(10, 80)):
            _step(walk, draw, operations, routines)
        _home(walk)
    return walk, routines
