# SPDX-License-Identifier: BSD-3-Clause
"""Stretches of masked interrupts counted again, from a look at each instruction (stepped_masks.c), with rules of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latlab.calls.model.crossings import Arch, Masked
from latlab.calls.readers.decoder import Decoder
from latlab.core.targets.qemu.probe import find_probe
from support.places import ROOT

SOURCE = Path(__file__).with_suffix(".c")
TIMEOUT_S = 3600
LINES = 2
OPEN, MASKED = 0, 1
MACHINE, HYPERVISOR, SUPERVISOR = 3, 2, 1
EL3 = 3
SCR_NS, SCR_EEL2, SCR_NSE = 1 << 0, 1 << 18, 1 << 62
HCR_TGE, HCR_E2H = 1 << 27, 1 << 34
# Of IRQ and FIQ: the bit in PSTATE, in SCR_EL3 and in HCR_EL2.
BITS = ((1 << 7, 1 << 1, 1 << 4), (1 << 6, 1 << 2, 1 << 3))
PSTATE_BITS = 0xCC

State = tuple[int, int, int, int]
Masks = tuple[int, int]
# Line, mask, worlds where it began and ended; where it began, its link register, where it ended; from the start, to the end.
Key = tuple[int, int, int, int, int, int, int, bool, bool]
# How many, instructions of all and of the longest, and of each world.
Counts = tuple[int, int, int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Machine:
    """`has_el2` of RISC-V: it has the H extension."""

    arch: Arch
    has_el3: bool
    has_el2: bool

    def masks(self, state: State) -> Masks:
        if self.arch is Arch.ARMV8M:
            return int(state[2] != 0), int(state[2] != 0 or state[3] != 0)
        if self.arch is Arch.RISCV:
            return _of_riscv(state)
        first, second = (self._line(state, *bits) for bits in BITS)
        return first, second

    def world(self, state: State) -> int:
        if self.arch is Arch.ARMV8M:
            return state[0] | state[1] << 2
        if self.arch is Arch.RISCV:
            return HYPERVISOR if state[0] == SUPERVISOR and self.has_el2 else state[0]
        level = state[0] >> 2 & 3
        if not self.has_el3:
            return level
        if level == EL3 or not state[1] & SCR_NS:
            return level | 4
        return level | 8 if state[1] & SCR_NSE else level

    def before_exception(self, state: State, saved: int) -> State:
        """As it was at the instruction that the exception interrupted."""
        if self.arch is Arch.AARCH64:
            return saved & PSTATE_BITS, state[1], state[2], 0
        enable, previous, level = (3, 7, saved >> 11 & 3) if state[0] == MACHINE else (1, 5, saved >> 8 & 1)
        status = saved & 0xA & ~(1 << enable) | (saved >> previous & 1) << enable
        return level, status, state[2], 0

    def _line(self, state: State, pstate: int, scr_bit: int, hcr_bit: int) -> int:
        level, scr, hcr = state[0] >> 2 & 3, state[1] if self.has_el3 else SCR_NS, state[2]
        has_el2 = self.has_el2 and bool(scr & (SCR_NS | SCR_EEL2))
        target = EL3 if scr & scr_bit else 2 if has_el2 and hcr & (hcr_bit | HCR_TGE) else 1
        is_masked = int(bool(state[0] & pstate))
        if level > target:
            return MASKED
        if level == target or target == 1:
            return is_masked
        is_host = target == 2 and level == 0 and hcr & HCR_E2H and hcr & HCR_TGE
        return is_masked if is_host else OPEN


def _of_riscv(state: State) -> Masks:
    level, status = state[:2]
    if level == MACHINE:
        return int(not status & 8), MASKED
    return OPEN, int(level == SUPERVISOR and not status & 2)


@dataclass(frozen=True, slots=True)
class Event:
    """Of the instruction at `address`, the core's `at`-th; `is_exception`: one comes in with it."""

    core: int
    at: int
    address: int
    before: int
    code: int
    size: int
    link: int
    state: State
    is_exception: bool
    saved: int


@dataclass(slots=True)
class _Stretch:
    begin: int
    link: int
    world: int
    from_start: bool
    worlds: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Core:
    masks: list[int] = field(default_factory=lambda: [OPEN, OPEN])
    open: list[_Stretch | None] = field(default_factory=lambda: [None, None])
    world: int | None = None
    at: int = 0
    changed: int = 0


class Recount:
    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._cores: dict[int, _Core] = {}
        self._found: dict[Key, list[tuple[int, dict[int, int]]]] = {}

    def see(self, event: Event) -> None:
        core = self._cores.setdefault(event.core, _Core())
        world, is_first = self._machine.world(event.state), core.world is None
        self._ran(core, event.at)
        if event.is_exception:
            before = self._machine.masks(self._machine.before_exception(event.state, event.saved))
            self._change(core, event, before, event.before, world)
        address = event.address if is_first or event.is_exception or not self._has_masked(event) else event.before
        self._change(core, event, self._machine.masks(event.state), address, world)
        if core.world != world:
            core.changed = event.at
        core.world = world

    def counts(self) -> dict[Key, Counts]:
        """What had not ended counts up to its core's last change."""
        for core in self._cores.values():
            for line in range(LINES):
                self._cut_off(core, line)
        return {key: _summed(each) for key, each in self._found.items()}

    def _has_masked(self, event: Event) -> bool:
        """Whether the instruction before was one that changes masks. On M-profile an exception's return may, too."""
        if self._machine.arch is not Arch.ARMV8M:
            return True
        if event.size == 2:
            return event.code & 0xFFE8 == 0xB660
        return event.code & 0xD000FFE0 == 0x8000F380

    def _ran(self, core: _Core, at: int) -> None:
        for each in core.open:
            if each is not None and core.world is not None:
                each.worlds[core.world] = each.worlds.get(core.world, 0) + at - core.at
        core.at = at

    def _change(self, core: _Core, event: Event, masks: Masks, address: int, world: int) -> None:
        for line in range(LINES):
            if core.masks[line] == masks[line]:
                continue
            self._end(core, line, address, world)
            if masks[line] != OPEN:
                core.open[line] = _Stretch(address, event.link, world, core.world is None)
            core.masks[line] = masks[line]
            core.changed = event.at

    def _end(self, core: _Core, line: int, address: int, world: int, to_end: bool = False) -> None:
        stretch = core.open[line]
        if stretch is None:
            return
        key = (line, core.masks[line], stretch.world, world, stretch.begin, stretch.link, address, stretch.from_start, to_end)
        self._found.setdefault(key, []).append((sum(stretch.worlds.values()), stretch.worlds))
        core.open[line] = None

    def _cut_off(self, core: _Core, line: int) -> None:
        stretch = core.open[line]
        if stretch is None or core.world is None:
            return
        stretch.worlds[core.world] = stretch.worlds.get(core.world, 0) - (core.at - core.changed)
        self._end(core, line, 0, core.world, to_end=True)


def _summed(stretches: Sequence[tuple[int, dict[int, int]]]) -> Counts:
    worlds: dict[int, int] = {}
    for _, each in stretches:
        for world, count in each.items():
            worlds[world] = worlds.get(world, 0) + count
    lengths = [length for length, _ in stretches]
    return len(lengths), sum(lengths), max(lengths), tuple(sorted((world, count) for world, count in worlds.items() if count))


def recounted(lines: Iterable[str]) -> dict[Key, Counts]:
    whole = iter(lines)
    arch, has_el3, has_el2 = (int(word) for word in next(whole).split()[1:])
    recount = Recount(Machine(Arch(arch), bool(has_el3), bool(has_el2)))
    for event in _events(whole):
        recount.see(event)
    return recount.counts()


def _events(lines: Iterable[str]) -> Iterator[Event]:
    for line in lines:
        core, at, address, before, code, size, link, s0, s1, s2, s3, is_exception, saved = (int(word, 16) for word in line.split()[1:])
        yield Event(core, at, address, before, code, size, link, (s0, s1, s2, s3), bool(is_exception), saved)


def told(stream: bytes) -> dict[Key, Counts]:
    """The same of the probe's stream."""
    found: dict[Key, Counts] = {}
    for one in Decoder().feed(stream):
        if isinstance(one, Masked):
            key = (
                *(one.line, int(one.mask), one.begin_world, one.end_world, one.begin, one.link, one.end),
                *(one.from_start, one.to_end),
            )
            assert key not in found
            worlds = tuple(sorted((world, total) for world, total, _ in one.worlds if total))
            found[key] = one.count, one.instructions, one.longest, worlds
    return found


def both(command: Sequence[str], folder: Path) -> tuple[dict[Key, Counts], dict[Key, Counts]]:
    """What the probe says of a machine on an instruction clock, and the recount of a second run of it."""
    if not all(shutil.which(tool) for tool in (command[0], "gcc", "pkg-config")):
        pytest.skip(f"needs {command[0]}, gcc and pkg-config")
    plugin, stream, lines = folder / "stepped.so", folder / "stream", folder / "lines"
    flags = subprocess.run(("pkg-config", "--cflags", "glib-2.0"), check=True, capture_output=True, text=True).stdout.split()
    words = ("gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'probe'}", *flags)
    taken = find_probe(Path(command[0]))
    words = (
        *words,
        f"-DQEMU_INTERFACE_VERSION={taken.interface}",
        str(ROOT / "probe" / "interface.c"),
        str(ROOT / "probe" / f"interface_by_{'data' if taken.interface > 6 else 'id'}.c"),
    )
    subprocess.run((*words, str(SOURCE), "-o", str(plugin)), check=True)
    for options in (f"{taken.path},masked=on,out={stream}", f"{plugin},out={lines}"):
        done = subprocess.run((*command, "-plugin", options), capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode in (0, 1), done.stderr
    with lines.open() as told_lines:
        return told(stream.read_bytes()), recounted(told_lines)
