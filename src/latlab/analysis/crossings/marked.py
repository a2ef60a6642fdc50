# SPDX-License-Identifier: BSD-3-Clause
"""The measured calls of a program that marks them, and their spans: from the call to the sleep, from the wake-up to the return."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from latlab.analysis.crossings.calls import Call, Fallen
from latlab.model.enums import Metric
from latlab.model.run import CoreId, Sample

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


@dataclass(frozen=True, slots=True)
class Marked:
    """One measured call. `core` is the number of the stream."""

    test: str
    iteration: int
    core: int
    call: Call


@dataclass(frozen=True, slots=True)
class Stranded:
    """A measured call from which its core never came back."""

    test: str
    iteration: int
    core: int
    call: Fallen


class Marks:
    """Feed it the calls in the order of their returns; it gives the measured ones."""

    def __init__(self) -> None:
        self._begun: dict[int, tuple[int, int]] = {}
        self._inside: dict[int, list[Call]] = defaultdict(list)

    def feed(self, calls: Iterable[Call]) -> Iterator[Marked]:
        for call in calls:
            which = call.registers[1] if call.entry.function == PSCI_FEATURES and len(call.registers) > 3 else 0
            if which == MARK_BEGIN:
                self._begun[call.core] = (call.registers[2], call.registers[3])
                self._inside[call.core] = []
            elif which == MARK_END and call.core in self._begun:
                begun = self._begun.pop(call.core)
                if begun == (call.registers[2], call.registers[3]) and begun[0] < len(TESTS) and len(self._inside[call.core]) == 1:
                    yield Marked(TESTS[begun[0]], begun[1], call.core, self._inside[call.core][0])
            elif call.core in self._begun and call.depth == 0:
                self._inside[call.core].append(call)

    def rest(self, fallen: Iterable[Fallen]) -> Iterator[Stranded]:
        """The measured calls of cores that never came back, when the records are at their end."""
        for call in fallen:
            test, iteration = self._begun.get(call.core, (len(TESTS), 0))
            if test < len(TESTS) and not self._inside[call.core]:
                yield Stranded(TESTS[test], iteration, call.core, call)


def samples_of_call(marked: Marked | Stranded, cores: Mapping[int, CoreId]) -> tuple[Sample, ...]:
    """The call's spans in instructions of its core; `cores` are those of the stream by number."""
    spans = ((metric, length) for metric, length, _ in parts_of_call(marked.call))
    return tuple(Sample(marked.test, metric, cores[marked.core], 0, marked.iteration, value) for metric, value in spans)


def parts_of_call(call: Call | Fallen) -> tuple[tuple[Metric, int, tuple[tuple[int, int], ...]], ...]:
    """Each span of a call with its instructions and what ran in it, as fragment and number of runs."""
    if isinstance(call, Fallen):
        return ((Metric.POWERDOWN, call.asleep - call.start, call.down),)
    if call.pause is None:
        return ((Metric.PSCI_CALL, call.end - call.start, call.down),)
    down, up = call.pause.asleep - call.start, call.end - call.pause.awake
    return ((Metric.POWERDOWN, down, call.down), (Metric.WAKEUP, up, call.up))
