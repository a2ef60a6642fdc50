# SPDX-License-Identifier: BSD-3-Clause
"""Instructions by class: what each fragment executes in its context, and which of its branches were taken.

A branch ends its fragment, so what ran behind it says whether it was taken. A path is written anew with another number for a fragment
whose branch was taken, and one more where nothing says it; then each number has the same classes whenever it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import repeat

from latlab.calls.analysis.opcodes import OpcodeKind, branch_target, instructions_of, kind_of
from latlab.calls.analysis.paths import body_end, runs_of
from latlab.calls.analysis.stacks import UNLISTED, Code, frames_of
from latlab.calls.analysis.symbolize import ByInstruction
from latlab.calls.model.crossings import LOOP, Arch, Context, Fragment, Stretch
from latlab.core.model.enums import InstructionClass
from latlab.core.model.run import ClassShare, Frame, FunctionShare

C, K = InstructionClass, OpcodeKind
TAKEN, UNTOLD = 1 << 30, 1 << 29
NUMBER = UNTOLD - 1
BRANCHES = (K.CHOICE, K.BRANCH, K.RAISE)
MEMORY = {K.LOAD: C.UNCACHED_LOAD, K.STORE: C.UNCACHED_STORE, K.MEMORY: C.UNCLASSIFIED, K.EXCLUSIVE: C.EXCLUSIVE}
CACHES = Context.D_CACHE | Context.TRANSLATION
BY_OPCODE = {
    K.DMB: C.DMB, K.DSB: C.DSB, K.ISB: C.ISB, K.BARRIER: C.BARRIER, K.SETS: C.DC_SET_WAY, K.LINES: C.DC_LINE, K.CODE_CACHE: C.IC,
    K.TLB: C.TLBI, K.SYSTEM: C.SYSTEM, K.READ: C.MRS, K.WRITE: C.MSR, K.WAIT: C.WAIT,
}  # fmt: skip


def class_of(arch: Arch, kind: OpcodeKind, context: Context, is_last: bool) -> InstructionClass:
    """Return the class of an instruction in its fragment's context: UNCACHED_FETCH for a branch too, until its path is known."""
    if Context.TOLD not in context or Context.AARCH32 in context:
        return C.UNCLASSIFIED
    if is_last and Context.DEVICE in context and (kind in MEMORY or arch is not Arch.AARCH64):
        return C.DEVICE
    if kind in MEMORY:
        return _memory(kind, context)
    return BY_OPCODE.get(kind) or _fetched(context)


def _memory(kind: OpcodeKind, context: Context) -> InstructionClass:
    if Context.DEVICE_UNKNOWN in context:
        return C.UNCLASSIFIED
    if kind is K.EXCLUSIVE:
        return C.EXCLUSIVE
    if Context.SWITCHES not in context:
        return C.UNCLASSIFIED
    return _fetched(context) if CACHES in context else MEMORY[kind]


def _fetched(context: Context) -> InstructionClass:
    if Context.SWITCHES not in context:
        return C.UNCLASSIFIED
    return C.CACHED if Context.I_CACHE in context else C.UNCACHED_FETCH


class Classes:
    """The classes of a stream's fragments."""

    def __init__(self, arch: Arch, fragments: Mapping[int, Fragment]) -> None:
        self.of: dict[int, Counter[InstructionClass]] = {}
        self.in_order: dict[int, tuple[InstructionClass, ...]] = {}
        self._arch, self._fragments = arch, fragments
        self._asked: dict[int, OpcodeKind] = {}  # fragments of which the path is to say whether their branch was taken
        for number, fragment in fragments.items():
            context = Context(fragment.context)
            kinds = [kind_of(arch, code) for _, code in instructions_of(arch, fragment)]
            classes = [class_of(arch, kind, context, place == len(kinds) - 1) for place, kind in enumerate(kinds)]
            self.of[number] = Counter(classes)
            self.in_order[number] = tuple(classes)
            if fragment.instructions > len(classes):  # a fragment whose code did not fit
                self.of[number][C.UNCLASSIFIED] += fragment.instructions - len(classes)
            elif classes and kinds[-1] in BRANCHES and classes[-1] is C.UNCACHED_FETCH:
                self._asked[number] = kinds[-1]
                for variant, last in ((TAKEN, C.UNCACHED_BRANCH), (UNTOLD, C.UNCLASSIFIED)):
                    self.in_order[number | variant] = (*classes[:-1], last)
                    self.of[number | variant] = Counter(self.in_order[number | variant])

    def with_branches(self, stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
        """The same, with the numbers that have classes."""
        return tuple(
            Stretch(
                tuple(self._steps(stretch.steps, 0, len(stretch.steps), None)),
                tuple((self._numbered(number, None), times) for number, times in stretch.runs),
                stretch.unlisted_instructions,
            )
            for stretch in stretches
        )

    def _numbered(self, number: int, behind: int | None) -> int:
        """`behind` is the fragment that ran next, None where that is not known: no branch but one that chooses goes on behind itself."""
        kind = self._asked.get(number)
        if kind is None:
            return number
        if behind is None:
            return number | (UNTOLD if kind is K.CHOICE else TAKEN)
        fragment, address = self._fragments[number], self._fragments[behind].address
        if address == fragment.address + len(fragment.code):
            return number
        goes_to = branch_target(self._arch, fragment.address + len(fragment.code) - 4, fragment.code[-4:])
        return number | (UNTOLD if kind is K.CHOICE and address != goes_to else TAKEN)

    def _steps(self, steps: tuple[int, ...], at: int, end: int, behind: int | None) -> list[int]:
        """From the last to the first, as each asks for the one behind it."""
        places: list[int] = []
        while at < end:
            places.append(at)
            at = body_end(steps, at) if steps[at] >= LOOP else at + 2
        parts: list[list[int]] = []
        for place in reversed(places):
            parts.append(self._step(steps, place, behind))
            behind = _first(steps, place)
        return [step for part in reversed(parts) for step in part]

    def _step(self, steps: tuple[int, ...], at: int, behind: int | None) -> list[int]:
        """What is repeated goes back to its own beginning each time but the last."""
        times, first, stop = steps[at + 1], _first(steps, at), at + 2
        if steps[at] < LOOP:
            again, last = [self._numbered(steps[at], first)], [self._numbered(steps[at], behind)]
            if again == last or times == 1:
                return [*last, times]
            return [*again, times - 1, *last, 1]
        stop = body_end(steps, at)
        again, last = (self._steps(steps, at + 2, stop, next_) for next_ in (first, behind))
        if again == last:
            return [LOOP | len(last) // 2, times, *last]
        head = [LOOP | len(again) // 2, times - 1] if times > 1 else []
        return [*head, *(again if head else ()), *last]


class ClassReader:
    """Splits what is kept of spans into classes."""

    def __init__(self, arch: Arch, fragments: Mapping[int, Fragment], codes: Mapping[int, Code], functions: ByInstruction) -> None:
        self._classes = Classes(arch, fragments)
        self._functions = functions
        self._codes = {number: codes[number & NUMBER] for number in self._classes.of}

    def shares(
        self, ran: Counter[tuple[Stretch, ...]], functions: Sequence[FunctionShare], frames: Sequence[Frame]
    ) -> tuple[ClassShare, ...]:
        """Of spans, each of which came so many times, and of what was made of them."""
        classed: Counter[tuple[Stretch, ...]] = Counter()
        for stretches, times in ran.items():
            classed[self._classes.with_branches(stretches)] += times
        by_function = self._by_function(classed)
        return tuple(
            ClassShare(
                name,
                tuple(by_function[name][function.name] for function in functions),
                tuple(map(self._frames(classed, name).get, _stacks(frames), repeat(0))),
            )
            for name in C
            if by_function.get(name)
        )

    def _by_function(self, classed: Counter[tuple[Stretch, ...]]) -> dict[InstructionClass, Counter[str]]:
        by_class: dict[InstructionClass, Counter[str]] = {}
        for stretches, times in classed.items():
            for number, runs in runs_of(stretches).items():
                for (name, function), count in self._named(number).items():
                    by_class.setdefault(name, Counter())[function] += count * runs * times
            if unlisted := sum(stretch.unlisted_instructions for stretch in stretches):
                by_class.setdefault(C.UNCLASSIFIED, Counter())[UNLISTED] += unlisted * times
        return by_class

    def _named(self, number: int) -> Counter[tuple[InstructionClass, str]]:
        """Instructions of each class in each function; those whose code did not fit are of the fragment's."""
        classes = self._classes.in_order[number]
        counts = Counter(zip(classes, self._functions.names(number & NUMBER), strict=False))
        cut = self._classes.of[number].total() - len(classes)
        if cut > 0:
            counts[C.UNCLASSIFIED, self._codes[number].name] += cut
        return counts

    def _frames(self, classed: Counter[tuple[Stretch, ...]], name: InstructionClass) -> dict[tuple[str, ...], int]:
        codes = {number: replace(code, instructions=self._classes.of[number][name]) for number, code in self._codes.items()}
        spans = (
            classed
            if name is C.UNCLASSIFIED
            else Counter(
                {tuple(replace(stretch, unlisted_instructions=0) for stretch in stretches): times for stretches, times in classed.items()}
            )
        )
        frames = frames_of(spans, codes)
        return dict(zip(_stacks(frames), (frame.instructions for frame in frames), strict=True))


def _stacks(frames: Sequence[Frame]) -> list[tuple[str, ...]]:
    """The names of all on the stack of each."""
    stack: tuple[str, ...] = ()
    return [stack := (*stack[: frame.depth], frame.name) for frame in frames]


def _first(steps: tuple[int, ...], at: int) -> int:
    """The first fragment of a step: of a loop that of its body."""
    while steps[at] >= LOOP:
        at += 2
    return steps[at]
