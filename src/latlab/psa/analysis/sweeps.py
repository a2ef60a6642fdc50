# SPDX-License-Identifier: BSD-3-Clause
"""An interrupt at every instruction of a call, seen from outside: how long after it was due its handler began, and what it interrupted.

The program marks each shot right before it starts its timer, so many instructions before the interrupt is due. The distance between the
mark and the due instruction is one constant, which the shots into no call at all tell: their interrupts wait for nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from latlab.calls.model.crossings import SECURE, Crossing, Record
from latlab.core.model.run import CoreId, CoreTrace, TraceRecord

MARK_SHOT = 0x4C4D0003
MARK_SHOT_END = 0x4C4D0004
NS_INTERRUPT = "NS_INTERRUPT"
NON_SECURE_THREAD, NON_SECURE_HANDLER = 0, 1
LONGEST_INSTRUCTION = 4
ADDRESS_BITS = 32


@dataclass(frozen=True, slots=True)
class Shot:
    """One interrupt into one call. `armed` is the core's count behind the mark and `fired` that at the handler's first instruction;
    `address` is where the core went on after the handler, `returned` its count at the call's return, None where there was no call."""

    call: int
    due: int
    armed: int
    fired: int
    address: int
    returned: int | None


@dataclass(frozen=True, slots=True)
class SweepTraces:
    """`traces` by test. `complaints` are sentences on what the records do not hold."""

    traces: tuple[CoreTrace, ...] = ()
    complaints: tuple[str, ...] = ()


@dataclass(slots=True)
class _Open:
    call: int
    due: int
    armed: int = -1
    fired: int = -1
    address: int = -1
    returned: int | None = None


@dataclass(slots=True)
class _Stretch:
    """Code that has been interrupted without a jump out of it."""

    low: int = -1
    high: int = -1

    def leaves(self, address: int) -> bool:
        if self.low <= address <= self.high + LONGEST_INSTRUCTION:
            self.high = max(self.high, address)
            return False
        self.low = self.high = address
        return True


def shots_of(records: Iterable[Record], veneer: int) -> Iterator[Shot]:
    """Every shot whose interrupt came, in their order. `veneer` is where the marks go."""
    shot: _Open | None = None
    for record in records:
        if not isinstance(record, Crossing):
            continue
        mark = _mark(record, veneer)
        if mark is not None:
            if mark == MARK_SHOT_END and shot is not None and shot.address >= 0:
                yield Shot(shot.call, shot.due, shot.armed, shot.fired, shot.address, shot.returned)
            shot = _Open(record.registers[1], record.registers[2]) if mark == MARK_SHOT else None
        elif shot is not None:
            _follow(shot, record)


def swept(shots: Sequence[Shot], names: Sequence[str], whole: Collection[int], core: CoreId) -> SweepTraces:
    """The sweep of each call. `names` are those of the calls, the first of them that of no call at all; `whole` are the numbers of those
    whose last interrupt the program made. A sweep that was cut off is left out: its worst wait may be where none came."""
    idle = {shot.fired - shot.armed - shot.due for shot in shots if shot.call == 0}
    if len(idle) != 1:
        timing = "no interrupt came" if not idle else f"they came {min(idle)} to {max(idle)} instructions after the timer's start"
        return SweepTraces(
            complaints=(f"the sweep is left out: where no call was under way {timing}, so latlab does not know when an interrupt is due",)
        )
    (distance,) = idle
    traces, complaints = [], []
    for number, name in enumerate(names):
        call_shots = [shot for shot in shots if shot.call == number]
        points = [(shot.due, shot.fired - shot.armed - shot.due - distance, shot.address) for shot in call_shots]
        if call_shots and number not in whole:
            complaints.append(f"the sweep of {name} is left out: it was cut off")
        elif any(late < 0 for _, late, _ in points):
            complaints.append(f"the sweep of {name} is left out: an interrupt came before it was due")
        elif call_shots:
            if not _reaches_the_end(call_shots[-1], distance):
                complaints.append(f"the sweep of {name} ends before the call does: it took longer when it was interrupted")
            traces.append(_trace(name, core, points))
    return SweepTraces(tuple(traces), tuple(complaints))


def _mark(record: Crossing, veneer: int) -> int | None:
    """What the program says; None where the crossing is something else."""
    is_call = record.entered & SECURE and not record.left_world & SECURE and record.address & ~1 == veneer and len(record.registers) > 2
    return record.registers[0] if is_call and record.registers[0] in (MARK_SHOT, MARK_SHOT_END) else None


def _follow(shot: _Open, record: Crossing) -> None:
    if shot.armed < 0:
        shot.armed = record.instructions
    elif record.entered == NON_SECURE_HANDLER and shot.fired < 0:
        shot.fired = record.instructions
    elif record.left_world == NON_SECURE_HANDLER and shot.address < 0:
        shot.address = record.address & ~1
    elif record.left_world & SECURE and record.entered == NON_SECURE_THREAD:
        shot.returned = record.instructions


def _reaches_the_end(last: Shot, distance: int) -> bool:
    """A call that waits for nothing is over when the last interrupt is due."""
    return last.returned is None or last.armed + distance + last.due >= last.returned


def _trace(name: str, core: CoreId, points: Sequence[tuple[int, int, int]]) -> CoreTrace:
    records = (TraceRecord(i, due, NS_INTERRUPT, late << ADDRESS_BITS | address) for i, (due, late, address) in enumerate(thinned(points)))
    return CoreTrace(f"sweep_{name}", 0, 0, core, tuple(records))


def thinned(points: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """(due, late, address) of the first and the last shot of each stretch, which say all that the others do: inside a blocked window an
    interrupt that is due later waits as much less. Where none is late the first shot in other code is kept too."""
    thinned_points: list[tuple[int, int, int]] = []
    code = _Stretch()
    last: tuple[int, int, int] | None = None
    for point in points:
        _, late, address = point
        is_new = last is None or (late > 0) != (last[1] > 0) or late > last[1]
        if is_new and last is not None and thinned_points[-1] != last:
            thinned_points.append(last)
        is_elsewhere = late == 0 and code.leaves(address)
        if is_new or is_elsewhere:
            thinned_points.append(point)
        last = point
    if last is not None and thinned_points[-1] != last:
        thinned_points.append(last)
    return thinned_points
