# SPDX-License-Identifier: BSD-3-Clause
"""The calls that a reader of traces finds, and what is said of a damaged trace beside what its whole one has."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path

from latlab.calls.analysis.calls import NOT_RECORDED, WorldCall
from latlab.calls.campaign import traces
from latlab.calls.campaign.traces import TraceAccumulator, TraceRead, TraceRequest
from latlab.core.errors import LatlabError

Calls = Counter[tuple[str, int, int | None]]
"""Name, instructions and ticks of each call."""


class Outcome(StrEnum):
    REFUSED = "refused"
    RIGHT = "right"
    NAMED = "missing data named"
    NOTED = "a note names it"
    FEWER = "calls are missing, no figure is wrong"
    WRONG = "a wrong figure without a word"


def quiet(state: TraceAccumulator, elapsed_s: float) -> None:
    return


def calls_of(files: tuple[Path, ...], reader: Path) -> tuple[Calls, TraceRead]:
    calls: Calls = Counter()

    class Listing(TraceAccumulator):
        def _take_call(self, call: WorldCall) -> None:
            super()._take_call(call)
            calls[call.entry.name, call.instructions, call.time.ticks if call.time else None] += 1

    accumulator = Listing(lambda samples: None)
    summary, images, problems = traces.read_stream(TraceRequest(files, reader), accumulator, bytearray(), quiet, lambda: False)
    return calls, traces.analysed(accumulator, summary, images, problems)


def outcome(files: tuple[Path, ...], reader: Path, whole: Calls, notes: tuple[str, ...], has_times: bool = True) -> Outcome:
    """Of a damaged trace; `whole` and `notes` are those of the one that it was made of. Without `has_times` only instructions are
    compared: nothing contradicts a changed time between two others. A sanitizer that complains fails here."""
    try:
        calls, result = calls_of(files, reader)
    except LatlabError as error:
        assert "Sanitizer" not in str(error) and "runtime error" not in str(error) and "ended with" not in str(error), error
        return Outcome.REFUSED
    if not has_times:
        calls, whole = _without_times(calls), _without_times(whole)
    named = Counter({call: count for call, count in calls.items() if NOT_RECORDED not in call[0]})
    if result.problems:
        return Outcome.NAMED
    if calls == whole:
        return Outcome.RIGHT
    if result.notes != notes:
        return Outcome.NOTED
    return Outcome.WRONG if named - whole else Outcome.FEWER


def _without_times(calls: Calls) -> Calls:
    untimed: Calls = Counter()
    for (name, instructions, _), count in calls.items():
        untimed[name, instructions, None] += count
    return untimed
