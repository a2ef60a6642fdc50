# SPDX-License-Identifier: BSD-3-Clause
"""The measured calls of a program that marks them, and their spans: from the call to the sleep, from the wake-up to the return."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from latlab.calls.analysis.calls import Fallen, WorldCall
from latlab.calls.model.crossings import Stretch
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Sample

PSCI_FEATURES = 0x8400000A
MARK_BEGIN = 0x4C4D0001
MARK_END = 0x4C4D0002
TESTS = (
    "susp_deep_parallel",
    "susp_deep_serial",
    "cpu_susp_parallel",
    "cpu_susp_serial",
    "cpu_off_serial",
    "psci_version_parallel",
)


Mark = tuple[int, int, int]
"""Begin or end, the test's number and the iteration, as a program says them in the arguments of a call that means nothing else."""


def psci_mark(call: WorldCall) -> Mark | None:
    """The mark that `psci_calls` makes; None for a call that is none."""
    if call.entry.function != PSCI_FEATURES or len(call.registers) < 4 or call.registers[1] not in (MARK_BEGIN, MARK_END):
        return None
    return call.registers[1], call.registers[2], call.registers[3]


def psa_mark(veneer: int) -> Callable[[WorldCall], Mark | None]:
    """That of `psa_calls`, whose veneer of psa_framework_version is at this address."""

    def mark(call: WorldCall) -> Mark | None:
        if call.entry.function != veneer or call.registers[0] not in (MARK_BEGIN, MARK_END):
            return None
        return call.registers[0], call.registers[1], call.registers[2]

    return mark


@dataclass(frozen=True, slots=True)
class Marked:
    """One measured call. `core` is the number of the stream; `whole` is the metric of a call in which the core does not go down."""

    test: str
    iteration: int
    core: int
    call: WorldCall
    whole: Metric = Metric.PSCI_CALL


@dataclass(frozen=True, slots=True)
class Stranded:
    """A measured call from which its core never came back."""

    test: str
    iteration: int
    core: int
    call: Fallen


class Marks:
    """Feed it the calls in the order of their returns; it gives the measured ones."""

    def __init__(
        self,
        tests: Sequence[str] = TESTS,
        mark_of: Callable[[WorldCall], Mark | None] = psci_mark,
        whole: Metric = Metric.PSCI_CALL,
    ) -> None:
        self._tests, self._mark_of, self._whole = tests, mark_of, whole
        self._begun: dict[int, tuple[int, int]] = {}
        self._inside: dict[int, list[WorldCall]] = defaultdict(list)

    def feed(self, calls: Iterable[WorldCall]) -> Iterator[Marked]:
        for call in calls:
            mark = self._mark_of(call)
            if mark is None:
                if call.core in self._begun and call.depth == 0:
                    self._inside[call.core].append(call)
            elif mark[0] == MARK_BEGIN:
                self._begun[call.core] = mark[1:]
                self._inside[call.core] = []
            elif call.core in self._begun:
                begun = self._begun.pop(call.core)
                if begun == mark[1:] and begun[0] < len(self._tests) and len(self._inside[call.core]) == 1:
                    yield Marked(self._tests[begun[0]], begun[1], call.core, self._inside[call.core][0], self._whole)

    def stranded(self, fallen: Iterable[Fallen]) -> Iterator[Stranded]:
        """The measured calls of cores that never came back, when the records are at their end."""
        for call in fallen:
            test, iteration = self._begun.get(call.core, (len(self._tests), 0))
            if test < len(self._tests) and not self._inside[call.core]:
                yield Stranded(self._tests[test], iteration, call.core, call)


def samples_of_call(marked: Marked | Stranded, cores: Mapping[int, CoreId]) -> tuple[Sample, ...]:
    """The call's spans in instructions of its core; `cores` are those of the stream by number."""
    spans = ((metric, length) for metric, length, _ in parts_of_call(marked))
    return tuple(Sample(marked.test, metric, cores[marked.core], 0, marked.iteration, value) for metric, value in spans)


def parts_of_call(marked: Marked | Stranded) -> tuple[tuple[Metric, int, tuple[Stretch, ...]], ...]:
    """Each span of a call with its instructions and what ran in it. A PSA call is one span, whatever its
    core waits for inside it."""
    if isinstance(marked, Stranded):
        return ((Metric.POWERDOWN, marked.call.asleep - marked.call.start, marked.call.down),)
    call = marked.call
    if call.pause is None or marked.whole is Metric.PSA_CALL:
        return ((marked.whole, call.instructions, (*call.down, *call.up)),)
    down, up = call.pause.asleep - call.start, call.end - call.pause.awake
    return ((Metric.POWERDOWN, down, call.down), (Metric.WAKEUP, up, call.up))
