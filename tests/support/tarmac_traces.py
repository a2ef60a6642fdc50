# SPDX-License-Identifier: BSD-3-Clause
"""Tarmac of made-up programs, in three dialects, with the counts that a reader must find: it runs nothing of latlab.

Cores in EL1 call EL3 by SMC. Code is laid out once, so that an address has one opcode; what a core executes is counted while it is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from random import Random

EL1_AT, EL3_AT, HANDLERS_AT, HANDLER_BYTES = 0x40080000, 0x8000, 0x9000, 0x100
SMC_VECTOR = EL3_AT + 0x400
FUNCTION = 0xC2000100
NOP, SMC, ERET, RET, WFI = 0xD503201F, 0xD4000003, 0xD69F03E0, 0xD65F03C0, 0xD503207F
LOAD_X9 = 0xF9400149
PSCI_VERSION, CPU_SUSPEND, PSCI_FEATURES = 0x84000000, 0xC4000001, 0x8400000A
MARK_BEGIN, MARK_END = 0x4C4D0001, 0x4C4D0002
SUSPEND_TEST, PSCI_VERSION_TEST = 3, 5
"""Numbers of cpu_susp_serial and psci_version_parallel."""
HANDLERS = 4


class Dialect(StrEnum):
    FAST_MODELS = "fast models"
    GEM5 = "gem5"
    ES = "es"


@dataclass(frozen=True)
class MadeCall:
    """One call: its instructions and ticks from the first one in EL3 to the first one back."""

    core: int
    function: int
    instructions: int
    ticks: int


@dataclass
class MadeTrace:
    """`lines` of each core, in the order of time; instructions by world (1 EL1, 7 EL3) of all cores."""

    lines: list[tuple[int, str]]
    calls: list[MadeCall]
    instructions: Counter[int]
    cores: int
    switches: int

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for _, line in self.lines)

    def of_core(self, core: int) -> str:
        return "".join(f"{line}\n" for number, line in self.lines if number == core)


def movz(register: int, value: int) -> int:
    return 0xD2800000 | value << 5 | register


def movk_16(register: int, value: int) -> int:
    return 0xF2A00000 | value << 5 | register


def add_one(register: int) -> int:
    return 0x91000400 | register << 5 | register


def sub_one(register: int) -> int:
    return 0xD1000400 | register << 5 | register


def branch(at: int, to: int, is_call: bool = False) -> int:
    return (0x94000000 if is_call else 0x14000000) | (to - at >> 2 & 0x3FFFFFF)


def cbnz(register: int, words_back: int) -> int:
    return 0xB5000000 | (-words_back & 0x7FFFF) << 5 | register


@dataclass
class _Core:
    """`start` is the first instruction in EL3 of the last call, in instructions and ticks."""

    number: int
    random: Random
    dialect: Dialect
    lines: list[tuple[int, str]] = field(default_factory=list)
    calls: list[MadeCall] = field(default_factory=list)
    instructions: Counter[int] = field(default_factory=Counter)
    world: int = 1
    serial: int = 0
    now: int = 0
    ticks: int = 0
    start: tuple[int, int] | None = None
    function: int = 0
    switches: int = 0
    behind: int = 0
    spans: tuple[tuple[int, int], tuple[int, int] | None] = ((0, 0), None)

    def execute(self, address: int, opcode: int, text: str = "NOP", **registers: int) -> None:
        """One instruction, with the values of the registers that it wrote."""
        self.serial += 1
        self.ticks = 1 if self.dialect is Dialect.FAST_MODELS else self.random.randint(1, 9)
        self.now += self.ticks
        if self.world == 7 and self.start is None:
            self.start = self.instructions.total(), self.now
        self.instructions[self.world] += 1
        self._line(address, opcode, text)
        for name, value in registers.items():
            self._register(name, value)

    def enter_el3(self, back: int) -> None:
        self._exception(back)
        self.world = 7
        self.switches += 1
        self.start = None

    def leave_el3(self) -> None:
        """At the first instruction back, whose time is not known before it is written."""
        self.world = 1
        self.switches += 1

    def count_call(self) -> None:
        assert self.start is not None
        instructions, ticks = self.start
        done = self.instructions.total() - 1
        self.calls.append(MadeCall(self.number, self.function, done - instructions, self.now - ticks))

    def _put(self, line: str) -> None:
        self.lines.append((self.now, line))

    @property
    def _mode(self) -> str:
        mode = {1: "EL1h_ns", 7: "EL3h_s"}[self.world]
        return mode.lower() if self.dialect is Dialect.ES else mode

    def _line(self, address: int, opcode: int, text: str) -> None:
        match self.dialect:
            case Dialect.FAST_MODELS:
                name = f"cluster0.cpu{self.number} "
                self._put(f"{self.now} clk {name}IT ({self.serial}) {address:08x}:{address:012x} {opcode:08x} O {self._mode} : {text}")
            case Dialect.GEM5:
                self._put(
                    f"{self.now} clk cpu{self.number} IT ({self.serial}) {address:08x} {opcode:08x} O {self._mode} :   {text.upper()}"
                )
            case Dialect.ES:
                if self.behind not in (0, address):
                    self._put(f"                    BR ({address:016x}) O")
                self.behind = address + 4
                self._put(f"{self.now:10} tic ES  ({address:016x}:{opcode:08x}) O {self._mode}:         {text}")

    def _register(self, name: str, value: int) -> None:
        match self.dialect:
            case Dialect.FAST_MODELS:
                self._put(f"{self.now} clk cluster0.cpu{self.number} R {name} {value:016x}")
            case Dialect.GEM5:
                self._put(f"{self.now} clk cpu{self.number} R {name} {value:016x}")
            case Dialect.ES:
                self._put(f"                    R {name} {value:016x}")

    def _exception(self, back: int) -> None:
        match self.dialect:
            case Dialect.FAST_MODELS:
                self._put(f"{self.now} clk cluster0.cpu{self.number} E {back - 4:08x} 00000088 CoreEvent_LOWER_64_SYNC")
                self._register("ESR_EL3", 0x5E000000)
                self._register("ELR_EL3", back)
            case Dialect.GEM5:
                return
            case Dialect.ES:
                self._put("                    EXC [0x400] Synchronous Lower EL using AArch64")


def make_trace(seed: int, dialect: Dialect, cores: int = 2, calls: int = 6, extra: int = 0) -> MadeTrace:
    """A program by its seed. `extra` are turns of its loop that the last handler makes more: a regression."""
    made = [_run(seed, number, dialect, calls, extra) for number in range(cores)]
    return _together(made, dialect)


def _together(made: list[_Core], dialect: Dialect) -> MadeTrace:
    in_order = sorted(((now, core.number, at, line) for core in made for at, (now, line) in enumerate(core.lines)))
    lines = [(number, line) for _, number, _, line in in_order]
    return MadeTrace(
        numbered_together(lines) if dialect is Dialect.GEM5 else lines,
        [call for core in made for call in core.calls],
        sum((core.instructions for core in made), Counter()),
        len(made),
        sum(core.switches for core in made),
    )


@dataclass(frozen=True)
class MadePsciCall:
    """A marked call: instructions and ticks down to the sleep and up from it; of one without a sleep all is `down`, and `up` is None."""

    test: int
    core: int
    iteration: int
    down: tuple[int, int]
    up: tuple[int, int] | None


def make_psci_trace(seed: int, dialect: Dialect, cores: int = 2, iterations: int = 3) -> tuple[MadeTrace, list[MadePsciCall]]:
    """As of `psci_calls`: each call between two marks, of PSCI_VERSION, which does not sleep, and of CPU_SUSPEND, which does."""
    made, calls = [], []
    for number in range(cores):
        core = _Core(number, Random(f"{seed} {number}"), dialect)
        at = EL1_AT + number * 0x10000
        for test, function in ((PSCI_VERSION_TEST, PSCI_VERSION), (SUSPEND_TEST, CPU_SUSPEND)):
            for iteration in range(iterations):
                at = _smc(core, at, (PSCI_FEATURES, MARK_BEGIN, test, iteration))
                at = _smc(core, at, (function, 0, 0, 0), sleeps=function == CPU_SUSPEND)
                calls.append(MadePsciCall(test, number, iteration, *core.spans))
                at = _smc(core, at, (PSCI_FEATURES, MARK_END, test, iteration))
        core.execute(at, NOP)
        made.append(core)
    return _together(made, dialect), calls


def _smc(core: _Core, at: int, arguments: tuple[int, int, int, int], sleeps: bool = False) -> int:
    for number, value in enumerate(arguments):
        core.execute(at, 0xF9400140 | number, f"LDR x{number},[x10]", **{f"X{number}": value})
        at += 4
    core.execute(at, SMC, "SMC #0")
    core.enter_el3(at + 4)
    core.execute(SMC_VECTOR, NOP)
    start = core.instructions.total() - 1, core.now
    if sleeps:
        core.execute(SMC_VECTOR + 4, WFI, "WFI")
        asleep = core.instructions.total(), core.now
        core.now += 1000
        core.execute(SMC_VECTOR + 8, NOP)
        awake = core.instructions.total() - 1, core.now
    core.execute(SMC_VECTOR + (12 if sleeps else 4), branch(SMC_VECTOR + (12 if sleeps else 4), HANDLERS_AT), "B out")
    core.execute(HANDLERS_AT, movz(0, 0), "MOV x0,#0", X0=0)
    core.execute(HANDLERS_AT + 4, ERET, "ERET")
    core.leave_el3()
    core.execute(at + 4, NOP)
    end = core.instructions.total() - 1, core.now
    core.spans = (_between(start, asleep), _between(awake, end)) if sleeps else (_between(start, end), None)
    return at + 8


def _between(begin: tuple[int, int], end: tuple[int, int]) -> tuple[int, int]:
    return end[0] - begin[0], end[1] - begin[1]


def numbered_together(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """As gem5 numbers instructions: those of all cores in one sequence."""
    numbers = count(1)
    return [(core, re.sub(r"(?<= IT )\(\d+\)", lambda match: f"({next(numbers)})", line)) for core, line in lines]


def _run(seed: int, number: int, dialect: Dialect, calls: int, extra: int) -> _Core:
    core = _Core(number, Random(f"{seed} {number}"), dialect)
    if dialect is Dialect.ES:
        core._put("         0 tic ES  EXC Reset")
    at = EL1_AT + number * 0x10000
    for _ in range(calls):
        at = _call(core, at, extra)
    core.execute(at, NOP)
    return core


def _call(core: _Core, at: int, extra: int) -> int:
    """Some code, then a call and the first instruction behind it."""
    for _ in range(core.random.randint(0, 5)):
        core.execute(at, NOP)
        at += 4
    which = core.random.randrange(HANDLERS)
    core.function = FUNCTION + which
    core.execute(at, movz(0, core.function & 0xFFFF), "MOV x0,#1", X0=core.function & 0xFFFF)
    core.execute(at + 4, movk_16(0, core.function >> 16), "MOVK x0,#1,LSL #16", X0=core.function)
    core.execute(at + 8, movz(1, 7), "MOV x1,#7", X1=7)
    core.execute(at + 12, SMC, "SMC #0")
    core.enter_el3(at + 16)
    _serve(core, which, extra if which == HANDLERS - 1 else 0)
    core.leave_el3()
    core.execute(at + 16, NOP)
    core.count_call()
    return at + 20


def _serve(core: _Core, which: int, extra: int) -> None:
    """The vector, the handler of this function, a loop in a function that it calls, the answer."""
    handler, loop = HANDLERS_AT + which * HANDLER_BYTES, HANDLERS_AT + which * HANDLER_BYTES + 0x80
    turns = core.random.randint(1, 6) + extra
    core.execute(SMC_VECTOR, 0xD61F0140, "BR x10")
    core.execute(handler, LOAD_X9, "LDR x9,[x10]", X9=turns)
    core.execute(handler + 4, branch(handler + 4, loop, is_call=True), "BL loop", X30=handler + 8)
    for turn in range(turns):
        core.execute(loop, sub_one(9), "SUB x9,x9,#1", X9=turns - turn - 1)
        core.execute(loop + 4, cbnz(9, 1), "CBNZ x9,loop")
    core.execute(loop + 8, RET, "RET")
    core.execute(handler + 8, movz(0, 0), "MOV x0,#0", X0=0)
    core.execute(handler + 12, ERET, "ERET")


def mutants(trace: MadeTrace, seed: int, number: int) -> Iterator[tuple[str, str]]:
    """Damaged texts, each with what was done: lines cut out, exchanged, of another core, of another dialect, cut short."""
    random = Random(seed)
    lines = [line for _, line in trace.lines]
    for _ in range(number):
        damaged = list(lines)
        at, other = random.randrange(len(lines)), random.randrange(len(lines))
        kind = random.choice(("cut out", "exchanged", "neighbours", "other core", "other dialect", "cut short", "doubled", "letter"))
        match kind:
            case "cut out":
                del damaged[min(at, other) : max(at, other)]
            case "exchanged":
                damaged[at], damaged[other] = damaged[other], damaged[at]
            case "neighbours":
                damaged[at : at + 2] = damaged[at : at + 2][::-1]
            case "other core":
                damaged[at] = damaged[at].replace("cpu0", "cpuX").replace("cpu1", "cpu0").replace("cpuX", "cpu1")
            case "other dialect":
                damaged.insert(at, "   812 tic ES  (0000000000008400:d61f0140) O el3h_s:     BR x10")
            case "cut short":
                damaged = damaged[: at + 1]
                damaged[-1] = damaged[-1][: random.randrange(len(damaged[-1]) + 1)]
            case "doubled":
                damaged.insert(at, damaged[at])
            case _:
                line = damaged[at]
                place = random.randrange(len(line))
                damaged[at] = line[:place] + random.choice("0123456789abcdefx: ") + line[place + 1 :]
        yield kind, "".join(f"{line}\n" for line in damaged)[: -1 if kind == "cut short" else None]
