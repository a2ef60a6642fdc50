# SPDX-License-Identifier: BSD-3-Clause
"""What ran in the spans of the measured calls, by function and by the purpose of instructions; and what differs there between two runs."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from latlab.calls.analysis.classes import ClassReader
from latlab.calls.analysis.marked import Marked, Stranded, parts_of_call
from latlab.calls.analysis.opcodes import SystemOperation, Use, branch_target, instructions_of, is_aarch32, operation_of
from latlab.calls.analysis.paths import runs_of
from latlab.calls.analysis.stacks import UNLISTED, codes_of, frames_of
from latlab.calls.analysis.symbolize import ByInstruction, Names, entry_addresses
from latlab.calls.analysis.tally import CallKey, CallTally, Tally, TallyRow
from latlab.calls.model.crossings import Arch, Context, Fragment, Header, Stretch, world_name
from latlab.core.comparison.findings import FunctionMoved, FunctionsMoved
from latlab.core.model.enums import CodePart, Metric
from latlab.core.model.run import CallsOfKind, CoreId, FunctionShare, Run, SpanFunctions
from latlab.core.model.symbols import Image

LONGEST_LOOP_INSTRUCTIONS = 16
PART_OF = {
    Use.SETS: CodePart.CACHE_FLUSH,
    Use.LINES: CodePart.LINES,
    Use.CODE_CACHE: CodePart.TLB,
    Use.TLB: CodePart.TLB,
    Use.BARRIER: CodePart.BARRIERS,
    Use.EXCLUSIVE: CodePart.EXCLUSIVES,
    Use.WAIT: CodePart.WAITING,
    Use.REGISTER: CodePart.REGISTERS,
}
T = TypeVar("T")
WHOLE_LOOP = (Use.SETS, Use.LINES)


class CodeParts:
    """The parts of a stream's fragments. Loops are found in the code that ran: a branch backwards, and where it goes."""

    def __init__(self, arch: Arch, fragments: Mapping[int, Fragment]) -> None:
        decoded = (piece for piece in fragments.values() if not is_aarch32(piece))
        code = {address: bits for piece in decoded for address, bits in instructions_of(arch, piece)}
        operations = {address: operation for address, bits in code.items() if (operation := operation_of(arch, bits))}
        of_loop = _loops_of_caches(arch, code, operations)
        self._parts: dict[int, Counter[CodePart]] = {}
        self._operations: dict[int, Counter[str]] = {}
        for number, fragment in fragments.items():
            inside = [address for address, _ in instructions_of(arch, fragment)]
            self._parts[number] = Counter(_part(address, of_loop, operations) for address in inside)
            cut = fragment.instructions - len(inside)
            if cut > 0:  # a fragment whose code did not fit
                self._parts[number][CodePart.OTHER] += cut
            self._operations[number] = Counter(operations[address].name for address in inside if address in operations)

    def parts(self, runs: Mapping[int, int]) -> Counter[CodePart]:
        """Instructions of each part, of fragments by how often they ran."""
        return _summed(self._parts, runs)

    def operations(self, runs: Mapping[int, int]) -> Counter[str]:
        return _summed(self._operations, runs)


@dataclass(frozen=True, slots=True)
class Move:
    """Instructions of one function per call, mean over the cores, before and after."""

    name: str
    place: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class CoreMoves:
    """`functions` are means over `cores`, of the `of_cores` that both runs have."""

    functions: tuple[Move, ...]
    cores: int
    of_cores: int


Spans = dict[tuple[str, Metric, CoreId], Counter[tuple[Stretch, ...]]]
_ByCore = dict[tuple[str, Metric, CoreId], SpanFunctions]


class SpanReader:
    """Makes what is kept of spans from the fragments of one stream. `spans` are all in which calls are to be looked for."""

    def __init__(
        self, arch: Arch, fragments: Mapping[int, Fragment], images: Sequence[Image], spans: Iterable[Sequence[Stretch]] = ()
    ) -> None:
        self.names = Names(fragments, images, entry_addresses(arch, fragments, spans))
        self.parts = CodeParts(arch, fragments)
        self.by_instruction = ByInstruction(arch, fragments, images, self.names)
        self.codes = codes_of(arch, fragments, self.names)
        self.fragments = fragments
        self.classes = (
            ClassReader(arch, fragments, self.codes, self.by_instruction)
            if any(fragment.context & Context.TOLD for fragment in fragments.values())
            else None
        )

    def functions(self, spans: Spans) -> tuple[SpanFunctions, ...]:
        """One entry for each test, span and core."""
        return tuple(self._functions(key, ran) for key, ran in spans.items())

    def by_function(self, ran: Counter[tuple[Stretch, ...]]) -> Counter[str]:
        """Instructions of each function in all of them."""
        total: Counter[str] = Counter()
        for stretches, times in ran.items():
            for name, count in self._by_function(runs_of(stretches)).items():
                total[name] += count * times
        return total

    def _by_function(self, runs: Counter[int]) -> Counter[str]:
        functions: Counter[str] = Counter()
        for number, count in runs.items():
            for name, instructions in self.by_instruction.counts(number).items():
                functions[name] += instructions * count
        return functions

    def _functions(self, key: tuple[str, Metric, CoreId], ran: Counter[tuple[Stretch, ...]]) -> SpanFunctions:
        runs: Counter[int] = Counter()
        unlisted = 0
        for stretches, times in ran.items():
            unlisted += times * sum(stretch.unlisted_instructions for stretch in stretches)
            for number, count in runs_of(stretches).items():
                runs[number] += count * times
        functions = self._by_function(runs)
        parts = self.parts.parts(runs)
        if unlisted:
            functions[UNLISTED] += unlisted
            parts[CodePart.OTHER] += unlisted
        shares = tuple(FunctionShare(name, self.by_instruction.place(name), total) for name, total in functions.items())
        frames = frames_of(ran, self.codes)
        return SpanFunctions(
            *key,
            ran.total(),
            shares,
            tuple((part, parts[part]) for part in CodePart if parts[part]),
            tuple(self.parts.operations(runs).most_common()),
            frames,
            self.classes.shares(ran, shares, frames) if self.classes else (),
        )


def kinds_of(tally: Tally, header: Header, cores: Mapping[int, CoreId], reader: SpanReader) -> tuple[CallsOfKind, ...]:
    """The calls of a watch by kind, those that took most first."""
    ran, tallies = tally.ran(), tally.tallies()
    return tuple(_kind(row.key, tallies[row.key], ran[row.key], row, header, cores, reader) for row in tally.rows())


def functions_of_calls(tally: Tally, cores: Mapping[int, CoreId], reader: SpanReader) -> tuple[SpanFunctions, ...]:
    """What ran in the calls of each name on each core, those inside another call left out, and those that were always refused. None where
    functions were not counted."""
    spans: Spans = defaultdict(Counter)
    calls: Counter[tuple[str, Metric, CoreId]] = Counter()
    for key, call_tally in tally.tallies().items():
        for core, count in call_tally.cores.items() if not key.is_inner and call_tally.errors.total() < call_tally.count else ():
            span = key.name, Metric.CALL, cores.get(core, CoreId(0, core))
            spans[span].update(call_tally.ran_on(core))
            calls[span] += count
    counted = reader.functions({span: ran for span, ran in spans.items() if any(ran)})
    return tuple(replace(functions, calls=calls[functions.test, functions.metric, functions.core]) for functions in counted)


def _kind(
    key: CallKey,
    tally: CallTally,
    ran: Counter[tuple[Stretch, ...]],
    row: TallyRow,
    header: Header,
    cores: Mapping[int, CoreId],
    reader: SpanReader,
) -> CallsOfKind:
    names = Counter({str(cores.get(core, CoreId(0, core))): count for core, count in tally.cores.items()})
    functions = reader.functions({(key.name, Metric.CALL, CoreId(0, 0)): ran}) if any(ran) else ()
    return CallsOfKind(
        world_name(header.arch, key.caller),
        key.kind.value,
        key.name,
        key.is_inner,
        tuple(sorted(tally.instructions.items())),
        tally.slept,
        tuple((world_name(header.arch, world), median) for world, median in row.parts),
        tuple(names.items()),
        functions[0].parts if functions else (),
        functions[0].frames if functions else (),
        row.errors,
    )


def spans_of_calls(marked: Iterable[Marked | Stranded], cores: Mapping[int, CoreId]) -> Spans:
    """What ran in each span of the measured calls, and how often just that."""
    spans: Spans = defaultdict(Counter)
    for call in marked:
        for metric, _, stretches in parts_of_call(call):
            spans[call.test, metric, cores[call.core]][stretches] += 1
    return spans


def moves_of(a: Run, b: Run, moved_cores_only: bool = False) -> dict[tuple[str, Metric], CoreMoves]:
    """The functions that differ in each test and span of two runs, over the cores that both have; the largest difference first.

    With `moved_cores_only` a core in which no function differs is left out of the means: it made another call in the same test.
    """
    before, after = _by_core(a), _by_core(b)
    by_span: dict[tuple[str, Metric], CoreMoves] = {}
    for key, common in _common_cores(before, after).items():
        cores = [core for core in common if not moved_cores_only or _moves(before, after, key, [core])]
        moves = _moves(before, after, key, cores) if cores else ()
        if moves:
            by_span[key] = CoreMoves(moves, len(cores), len(common))
    return by_span


def _common_cores(before: _ByCore, after: _ByCore) -> dict[tuple[str, Metric], list[CoreId]]:
    cores: dict[tuple[str, Metric], list[CoreId]] = defaultdict(list)
    for test, metric, core in before:
        if (test, metric, core) in after:
            cores[test, metric].append(core)
    return cores


def _moves(before: _ByCore, after: _ByCore, key: tuple[str, Metric], cores: Sequence[CoreId]) -> tuple[Move, ...]:
    old, new = (_mean([runs[(*key, core)] for core in cores]) for runs in (before, after))
    moves = [Move(name, place, old.get(name, (place, 0.0))[1], new.get(name, (place, 0.0))[1]) for name, (place, _) in (old | new).items()]
    return tuple(sorted((move for move in moves if move.difference), key=lambda move: (-abs(move.difference), move.name)))


def _by_core(run: Run) -> _ByCore:
    return {(span.test, span.metric, span.core): span for span in run.functions}


def _mean(spans: Sequence[SpanFunctions]) -> dict[str, tuple[str, float]]:
    """Place and instructions per call of each function, mean over these cores."""
    total: dict[str, tuple[str, float]] = {}
    for span in spans:
        for share in span.functions:
            so_far = total.get(share.name, (share.place, 0.0))[1]
            total[share.name] = share.place, so_far + share.instructions / span.calls
    return {name: (place, value / len(spans)) for name, (place, value) in total.items()}


def _summed(counts: Mapping[int, Counter[T]], runs: Mapping[int, int]) -> Counter[T]:
    total: Counter[T] = Counter()
    for number, times in runs.items():
        for name, count in counts[number].items():
            total[name] += count * times
    return total


def _part(address: int, of_loop: Mapping[int, CodePart], operations: Mapping[int, SystemOperation]) -> CodePart:
    if address in of_loop:
        return of_loop[address]
    operation = operations.get(address)
    return PART_OF[operation.use] if operation else CodePart.OTHER


def _loops_of_caches(arch: Arch, code: Mapping[int, bytes], operations: Mapping[int, SystemOperation]) -> dict[int, CodePart]:
    """Each instruction of the innermost short loop around each maintenance of a data cache."""
    places = sorted(code)
    loops = [
        (target, address)
        for address, bits in code.items()
        if (target := branch_target(arch, address, bits)) is not None and target <= address
    ]
    loop_parts: dict[int, CodePart] = {}
    for address, operation in operations.items():
        if operation.use not in WHOLE_LOOP:
            continue
        around = [_between(places, first, last) for first, last in loops if first <= address <= last]
        innermost = min((loop for loop in around if len(loop) <= LONGEST_LOOP_INSTRUCTIONS), key=len, default=[address])
        loop_parts |= dict.fromkeys(innermost, PART_OF[operation.use])
    return loop_parts


def _between(places: list[int], first: int, last: int) -> list[int]:
    return places[bisect_left(places, first) : bisect_left(places, last + 1)]


def findings_of(moves: Mapping[tuple[str, Metric], CoreMoves]) -> tuple[FunctionsMoved, ...]:
    """Tests whose functions moved alike in one metric are one finding."""
    alike: dict[tuple[Metric, tuple[FunctionMoved, ...], int, int], list[str]] = defaultdict(list)
    for (test, metric), core_moves in moves.items():
        functions = tuple(FunctionMoved(move.name, move.place, move.before, move.after) for move in core_moves.functions)
        alike[metric, functions, core_moves.cores, core_moves.of_cores].append(test)
    return tuple(
        FunctionsMoved(metric, tuple(tests), functions, cores, of_cores) for (metric, functions, cores, of_cores), tests in alike.items()
    )


def function_moves(moves: Mapping[tuple[str, Metric], CoreMoves], unit: str) -> tuple[str, ...]:
    """A sentence for each."""
    return tuple(finding.sentence(unit) for finding in findings_of(moves))
