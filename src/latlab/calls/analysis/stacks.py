# SPDX-License-Identifier: BSD-3-Clause
"""Who called whom: the paths of a span walked with a stack, by what the code at the end of each fragment does.

A call pushes, a return to an address that is waited for pops, a branch into another function takes the place of the one that branched.
Code that goes on elsewhere without a branch took an exception. A stretch that does not go on where its core was left begins a new stack.
What a fragment executed belongs to the function in which it stands, so the sums are exact whatever is thought of the calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial

from latlab.calls.analysis.opcodes import Flow, flow_of_fragment, is_aarch32
from latlab.calls.analysis.paths import body_end
from latlab.calls.analysis.symbolize import Names
from latlab.calls.model.crossings import LOOP, Arch, Fragment, Stretch
from latlab.core.comparison.call_trees import ROOT, Tree
from latlab.core.model.run import Frame

MOST_DEPTH = 100
WITHOUT_ORDER = "(order unknown)"
UNLISTED = "(not listed)"


class Why(Enum):
    """How a function was entered."""

    CALLED = auto()
    EXCEPTION = auto()


@dataclass(frozen=True, slots=True)
class Active:
    """A function that has not returned: its node in the tree, and where its caller goes on, -1 where that is not known."""

    node: int
    resume: int
    why: Why
    row: int = field(default=-1, compare=False)


@dataclass(slots=True)
class FunctionRow:
    """One call on the time line, in instructions from the span's beginning."""

    depth: int
    name: str
    start: int
    end: int = -1


@dataclass(frozen=True, slots=True)
class Code:
    """What the walk asks of a fragment: `final` is its last instruction, `behind` the one that follows where nothing branches."""

    name: str
    address: int
    final: int
    behind: int
    instructions: int
    level: int
    flow: Flow


def codes_of(arch: Arch, fragments: Mapping[int, Fragment], names: Names) -> dict[int, Code]:
    return {
        number: Code(
            names[number],
            fragment.address,
            fragment.address + (len(fragment.code) - 4 if arch is Arch.AARCH64 and not is_aarch32(fragment) else 0),
            fragment.address + len(fragment.code),
            fragment.instructions,
            fragment.level,
            flow_of_fragment(arch, fragment),
        )
        for number, fragment in fragments.items()
    }


class Walk:
    """Feed it the stretches of one span after another; a walk has one tree. `rows_wanted` bounds the time line, 0 for none."""

    def __init__(self, codes: Mapping[int, Code], tree: Tree, rows_wanted: int = 0) -> None:
        self.rows: list[FunctionRow] = []
        self.now = 0
        self._codes = codes
        self._tree = tree
        self._wanted = rows_wanted
        self._left: dict[int, tuple[tuple[Active, ...], Code]] = {}  # by level, where code was left
        self._stack: tuple[Active, ...] = ()
        self._last: Code | None = None
        self._ran: Counter[int] = Counter()
        self._entered: Counter[int] = Counter()

    def span(self, stretches: Iterable[Stretch], times: int = 1) -> None:
        """One span, its stretches in their order; `times` like it go into the tree."""
        self._left = {}
        for stretch in stretches:
            self._begin(stretch)
            self._steps(stretch.steps, 0, len(stretch.steps))
            if self._last is not None:
                self._left[self._last.level] = self._stack, self._last
            self._rest(stretch)
        self._replace_stack(())
        for sums, counter in ((self._tree.own, self._ran), (self._tree.calls, self._entered)):
            for node, count in counter.items():
                sums[node] += count * times
        self._ran, self._entered = Counter(), Counter()

    def _begin(self, stretch: Stretch) -> None:
        first = next((number for number in stretch.steps[::2] if number < LOOP), None)
        if first is None:
            return
        code = self._codes[first]
        stack, last_code = self._left.get(code.level, ((), None))
        goes_on = last_code is not None and code.address in (last_code.behind, last_code.final)
        if not goes_on or stack != self._stack:
            self._replace_stack(())
        self._last = None
        if goes_on and stack:
            if not self._stack:
                self._reopen(stack)
            self._last = last_code

    def _reopen(self, stack: tuple[Active, ...]) -> None:
        """Functions that another world interrupted go on: on the time line they begin again."""
        self._stack = ()
        for active in stack:
            self._push(active.node, active.resume, active.why, is_new=False)

    def _rest(self, stretch: Stretch) -> None:
        """What is known without its order stands beside the functions whose order is known."""
        if not stretch.runs and not stretch.unlisted_instructions:
            return
        self._replace_stack(())
        self._last = None
        self._left = {}
        top = self._tree.child(ROOT, WITHOUT_ORDER)
        self._entered[top] += 1
        start = self.now
        for number, times in stretch.runs:
            self._add(self._tree.child(top, self._codes[number].name), self._codes[number].instructions * times)
        if stretch.unlisted_instructions:
            self._add(self._tree.child(top, UNLISTED), stretch.unlisted_instructions)
        if self._wanted > len(self.rows):
            self.rows.append(FunctionRow(0, WITHOUT_ORDER, start, self.now))

    def _steps(self, steps: tuple[int, ...], at: int, end: int) -> None:
        while at < end:
            if steps[at] >= LOOP:
                first, behind = at + 2, body_end(steps, at)
                self._repeat(steps[at + 1], partial(self._steps, steps, first, behind))
                at = behind
            else:
                self._repeat(steps[at + 1], partial(self._run, self._codes[steps[at]]))
                at += 2

    def _repeat(self, times: int, run: Callable[[], None]) -> None:
        """As soon as a run leaves the stack as it found it, and no row behind, all later ones are like it and are multiplied."""
        if times == 1:
            run()
            return
        done = 0
        while done < times:
            state, began = (self._stack, self._last, len(self.rows)), self.now
            ran, entered = self._ran, self._entered
            self._ran, self._entered = Counter(), Counter()
            run()
            done += 1
            factor = 1
            if state == (self._stack, self._last, len(self.rows)):
                factor += times - done
                self.now += (self.now - began) * (times - done)
                done = times
            for sums, counter in ((ran, self._ran), (entered, self._entered)):
                for node, count in counter.items():
                    sums[node] += count * factor
            self._ran, self._entered = ran, entered

    def _run(self, code: Code) -> None:
        if self._last is None:
            if not self._stack:
                self._push(self._tree.child(ROOT, code.name), -1, Why.CALLED)
        else:
            self._go(self._last, code)
        self._last = code
        self._add(self._stack[-1].node, code.instructions)

    def _go(self, last: Code, code: Code) -> None:
        is_second_try = last.flow is Flow.ON and code.address == last.final  # as a device's register may need it
        if code.address == last.behind or is_second_try:
            self._become(code.name)
        elif last.flow is Flow.CALL:
            self._call(code.name, last.behind, Why.CALLED)
        elif last.flow is Flow.ON:
            self._call(code.name, -1, Why.EXCEPTION)
        elif last.flow is Flow.EXCEPTION_RETURN:
            self._return_to(next((at for at in reversed(range(len(self._stack))) if self._stack[at].why is Why.EXCEPTION), 0), code.name)
        elif last.flow is not Flow.JUMP or last.name != code.name:
            self._return_to(next((at for at in reversed(range(len(self._stack))) if self._stack[at].resume == code.address), 0), code.name)

    def _return_to(self, depth: int, name: str) -> None:
        """The function at `depth` and all above it are over; the lowest one never is."""
        if depth > 0:
            self._replace_stack(self._stack[:depth])
        self._become(name)

    def _become(self, name: str) -> None:
        """The function on top goes over into another."""
        top = self._stack[-1]
        if self._tree.names[top.node] == name:
            return
        self._replace_stack(self._stack[:-1])
        self._push(self._tree.child(self._tree.parents[top.node], name), top.resume, top.why)

    def _call(self, name: str, resume: int, why: Why) -> None:
        if len(self._stack) >= MOST_DEPTH:
            self._become(name)
            return
        self._push(self._tree.child(self._stack[-1].node, name), resume, why)

    def _push(self, node: int, resume: int, why: Why, is_new: bool = True) -> None:
        row = -1
        if len(self.rows) < self._wanted:
            row = len(self.rows)
            self.rows.append(FunctionRow(len(self._stack), self._tree.names[node], self.now))
        self._stack = (*self._stack, Active(node, resume, why, row))
        if is_new:
            self._entered[node] += 1

    def _replace_stack(self, stack: tuple[Active, ...]) -> None:
        """A stack that is the beginning of this one, or empty: the rows of what is above it end now."""
        for active in self._stack[len(stack) :]:
            if active.row >= 0:
                self.rows[active.row].end = self.now
        self._stack = stack

    def _add(self, node: int, instructions: int) -> None:
        self.now += instructions
        self._ran[node] += instructions


def frames_of(spans: Mapping[tuple[Stretch, ...], int], codes: Mapping[int, Code]) -> tuple[Frame, ...]:
    """The call tree of all these spans, each of which came so many times."""
    tree = Tree()
    for stretches, times in spans.items():
        Walk(codes, tree).span(stretches, times)
    return tuple(tree.frames())
