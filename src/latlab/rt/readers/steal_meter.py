# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the steal meter (docs/howto/steal.md): each complete in itself, so that one that was cut off costs only itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from latlab.core.errors import DataError
from latlab.rt.model.stolen import Blind, Calibration, CpuStolen, Regime, Stolen, StolenSecond, Theft

VERSION = 1
LINE = re.compile(r"^LLST1 ([A-Z]+)((?: [a-z_]+=\S+)*)$", re.ASCII)
WHOLE = re.compile(r"-?\d{1,20}", re.ASCII)
DECIMAL = re.compile(r"-?\d{1,20}(\.\d{1,6})?", re.ASCII)
OF_HEAD = ("counter_hz", "interval_ns", "threshold_ns", "duration_ns", "start_ns", "start_ticks", "priority")
OF_SECOND = ("measured_ticks", "windows", "marked", "stolen_ns", "worst_ns")
MOST_CPUS = 4096
LOWEST = -(1 << 63)


class _Bad(ValueError):
    """What a line lacks or has wrongly."""


@dataclass(slots=True)
class _Lines:
    """The lines of one CPU as they come."""

    cpu: CpuStolen
    seconds: list[StolenSecond] = field(default_factory=list)
    thefts: list[Theft] = field(default_factory=list)
    counts: list[tuple[int, int, int]] = field(default_factory=list)

    def whole(self) -> CpuStolen:
        return replace(self.cpu, seconds=tuple(self.seconds), thefts=tuple(self.thefts), counts=tuple(sorted(self.counts)))


def read_stolen(data: bytes, place: str) -> Stolen:
    """What a meter wrote. Raises DataError where there is no head; a line that cannot be read is a problem."""
    lines = data.decode("utf-8", "replace").splitlines()
    head: Stolen | None = None
    cpus: dict[int, _Lines] = {}
    problems: list[str] = []
    ended = False
    for number, line in enumerate(lines, 1):
        match = LINE.match(line)
        if match is None:
            problems.append(f"{place}:{number}: not a line of the steal meter: {line[:60]!r}")
            continue
        fields = _Said(match[2])
        try:
            if match[1] == "HEAD":
                head = _head(fields, place)
            elif match[1] == "END":
                ended = True
            else:
                _take(cpus, match[1], fields)
        except _Bad as error:
            problems.append(f"{place}:{number}: {error}")
    if head is None:
        raise DataError(
            f"no head of the steal meter in {len(lines)} lines; its error message is in its log (`latlab show --log`)", place=place
        )
    stolen_cpus = tuple(lines_of.whole() for _, lines_of in sorted(cpus.items()))
    problems += _contradictions(stolen_cpus, place) if ended else [f"{place}: the measurement was cut off; the seconds before it are kept"]
    return replace(head, cpus=stolen_cpus, complete=ended, problems=tuple(problems))


class _Said:
    """The fields of a line by name. One that is missing or is no number raises."""

    def __init__(self, text: str) -> None:
        self._words = dict(word.partition("=")[::2] for word in text.split())

    def word(self, name: str) -> str:
        return self._words.get(name, "")

    def whole(self, name: str, low: int = 0) -> int:
        text = self.word(name)
        if not WHOLE.fullmatch(text) or int(text) < low:
            raise _Bad(f"{name}={text!r} is no whole number of {low} or more")
        return int(text)

    def decimal(self, name: str) -> float:
        text = self.word(name)
        if not DECIMAL.fullmatch(text):
            raise _Bad(f"{name}={text!r} is no number")
        return float(text)


def _head(fields: _Said, place: str) -> Stolen:
    if fields.word("version") != str(VERSION):
        raise DataError(
            f"written by version {fields.word('version')!r} of the steal meter, this latlab reads {VERSION}", "update latlab", place=place
        )
    head_values: dict[str, Any] = {name: fields.whole(name) for name in OF_HEAD}
    return Stolen(fields.word("machine"), **head_values, cpus=(), complete=False)


def _take(cpus: dict[int, _Lines], kind: str, fields: _Said) -> None:
    number = fields.whole("cpu")
    if number >= MOST_CPUS:
        raise _Bad(f"cpu={number} is more than any machine has")
    if kind == "CPU":
        cpus[number] = _Lines(_cpu(number, fields))
        return
    if number not in cpus:
        raise _Bad(f"{kind} of CPU {number}, which no line before introduced")
    lines = cpus[number]
    if kind == "SECOND":
        lines.seconds.append(_second(fields))
    elif kind == "THEFT":
        mark_cycles = fields.whole("mark_cycles", LOWEST)
        lines.thefts.append(Theft(fields.whole("begin_ticks"), fields.whole("end_ticks"), fields.whole("stolen_ns"), mark_cycles))
    elif kind == "COUNT":
        lines.counts.append((fields.whole("low_ns"), fields.whole("below_ns"), fields.whole("windows")))
    elif kind == "SUM":
        lowest, torn, dropped = fields.whole("lowest_mark_cycles", LOWEST), fields.whole("torn"), fields.whole("dropped")
        off = fields.word("went_off") == "1"
        lines.cpu = replace(lines.cpu, torn=torn, dropped=dropped, own_ns=fields.whole("own_ns"), lowest_mark_cycles=lowest, went_off=off)
    else:
        raise _Bad(f"{kind} is no kind of line")


def _second(fields: _Said) -> StolenSecond:
    return StolenSecond(
        fields.whole("second"), **{name: fields.whole(name) for name in OF_SECOND}, cycles_per_tick=fields.decimal("cycles_per_tick")
    )


def _cpu(number: int, fields: _Said) -> CpuStolen:
    if fields.word("sees") == "no":
        if fields.word("why") not in list(Blind):
            raise _Bad(f"why={fields.word('why')!r} is not known")
        return CpuStolen(number, Blind(fields.word("why")), fields.whole("errno"))
    if fields.word("sees") not in list(Regime):
        raise _Bad(f"sees={fields.word('sees')!r} is not known")
    calibration = Calibration(
        Regime(fields.word("sees")),
        fields.word("call"),
        fields.whole("calls"),
        fields.decimal("call_ns"),
        fields.decimal("call_mark_cycles"),
        fields.whole("noise_cycles"),
        fields.decimal("noise_ns"),
        fields.decimal("cycle_hz"),
    )
    return CpuStolen(number, None, calibration=calibration)


def _contradictions(cpus: tuple[CpuStolen, ...], place: str) -> Iterator[str]:
    """A measurement that came to its end says the same in its seconds and in its histogram."""
    for cpu in cpus:
        by_second, by_count = sum(second.marked for second in cpu.seconds), sum(windows for _, _, windows in cpu.counts)
        if by_second != by_count:
            yield f"{place}: CPU {cpu.cpu}: {by_second} windows with time in firmware by its seconds, {by_count} by its histogram"
