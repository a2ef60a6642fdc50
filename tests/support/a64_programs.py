# SPDX-License-Identifier: BSD-3-Clause
"""Random programs of calls and loops in A64 code, and a model that executes them: what ran, and who called whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import strategies as st

from latlab.calls.model.crossings import LOOP, Fragment
from latlab.core.model.symbols import Image

NOP, RET = 0xD503201F, 0xD65F03C0
SPACING = 0x1000
Op = tuple[object, ...]


@dataclass
class Program:
    """`words` by address; `repeats` are the branches backwards and how often each is taken in a row."""

    words: dict[int, int] = field(default_factory=dict)
    repeats: dict[int, int] = field(default_factory=dict)
    functions: int = 0

    def image(self) -> Image:
        starts = tuple(base(number) for number in range(self.functions))
        code = b"".join(self.words.get(at, NOP).to_bytes(4, "little") for at in range(SPACING, base(self.functions), 4))
        return Image("program.elf", starts, (SPACING,) * len(starts), tuple(map(name, range(self.functions))), ((SPACING, code),))


@dataclass
class Ran:
    """`order` are numbers of fragments; `spent` are instructions by the functions on the stack, `entered` how often each was entered."""

    fragments: dict[int, Fragment]
    order: list[int]
    spent: Counter[tuple[str, ...]]
    entered: Counter[tuple[str, ...]]


def base(function: int) -> int:
    return SPACING * (function + 1)


def name(function: int) -> str:
    return f"f{function}"


def branch(opcode: int, at: int, to: int) -> int:
    return opcode | ((to - at) // 4 & 0x3FFFFFF)


def body(callees: list[int]) -> st.SearchStrategy[list[Op]]:
    work = st.tuples(st.just("work"), st.integers(1, 3))
    ops: st.SearchStrategy[Op] = st.one_of(work, st.tuples(st.just("call"), st.sampled_from(callees))) if callees else work
    loops = st.tuples(st.just("loop"), st.integers(1, 5), st.lists(ops, min_size=1, max_size=3))
    return st.lists(st.one_of(ops, loops), max_size=4)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Functions that call only later ones, so that each program ends; some end in a branch to another."""
    program = Program(functions=draw(st.integers(1, 5)))
    for number in range(program.functions):
        later = list(range(number + 1, program.functions))
        at = _emit(program, base(number), draw(body(later)))
        tail = draw(st.sampled_from([None, *later]))
        program.words[at] = RET if tail is None else branch(0x14000000, at, base(tail))
    return program


def _emit(program: Program, at: int, ops: list[Op]) -> int:
    for op in ops:
        if op[0] == "work":
            for _ in range(int(op[1])):  # type: ignore[call-overload]
                program.words[at] = NOP
                at += 4
        elif op[0] == "call":
            program.words[at] = branch(0x94000000, at, base(int(op[1])))  # type: ignore[call-overload]
            at += 4
        else:
            start = at
            at = _emit(program, at, op[2])  # type: ignore[arg-type]
            program.words[at] = 0xB5000000 | ((start - at) // 4 & 0x7FFFF) << 5
            program.repeats[at] = int(op[1]) - 1  # type: ignore[call-overload]
            at += 4
    return at


def execute(program: Program) -> Ran:
    """From the first function to its return."""
    ran, numbers = Ran({}, [], Counter(), Counter()), dict[tuple[int, int], int]()
    stack: tuple[str, ...] = (name(0),)
    resumes, counts = [-1], [dict[int, int]()]
    ran.entered[stack] += 1
    at = start = base(0)
    while resumes:
        word = program.words[at]
        ran.spent[stack] += 1
        following = at + 4
        if word == NOP:
            at = following
            continue
        if word == RET:
            following = resumes.pop()
            stack = stack[:-1]
            counts.pop()
        elif word >> 26 in (0x25, 0x05):
            offset = word & 0x3FFFFFF
            target = at + 4 * (offset - (1 << 26) if offset >> 25 else offset)
            if word >> 26 == 0x25:
                resumes.append(following)
            else:
                stack = stack[:-1]
                counts.pop()
            stack = (*stack, name(target // SPACING - 1))
            counts.append({})
            ran.entered[stack] += 1
            following = target
        else:
            left = counts[-1].setdefault(at, program.repeats[at])
            if left:
                counts[-1][at] -= 1
                following = at + 4 * ((word >> 5 & 0x7FFFF) - (1 << 19))
            else:
                del counts[-1][at]
        size = (at + 4 - start) // 4
        number = numbers.setdefault((start, size), len(numbers))
        code = b"".join(program.words[place].to_bytes(4, "little") for place in range(start, at + 4, 4))
        ran.fragments[number] = Fragment(number, start, size, 3, code)
        ran.order.append(number)
        at = start = following
    return ran


def folded(order: list[int], longest: int = 12) -> tuple[int, ...]:
    """Steps of a path in which whatever repeats is folded, the shortest period first."""
    steps: list[int] = []
    at = 0
    while at < len(order):
        for period in range(1, longest + 1):
            part = order[at : at + period]
            times = 1
            while order[at + times * period : at + (times + 1) * period] == part and len(part) == period:
                times += 1
            if times > 1:
                inner = folded(part, period - 1) if period > 1 else (part[0], 1)
                steps += (part[0], times) if period == 1 else (LOOP | len(inner) // 2, times, *inner)
                at += times * period
                break
        else:
            steps += (order[at], 1)
            at += 1
    return tuple(steps)
