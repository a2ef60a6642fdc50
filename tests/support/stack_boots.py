# SPDX-License-Identifier: BSD-3-Clause
"""Boots of the TRNG experiment above a secure world whose figures are known: no emulator, no file."""

from __future__ import annotations

from dataclasses import replace

from latlab.analysis.wakeups.attribution import Attributed
from latlab.analysis.wakeups.result import RtResult
from latlab.campaigns.rt_trng import stack_doses
from latlab.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.model.conditions import Conditions, Mode
from latlab.model.enums import Clock
from latlab.model.run import Run, Tick, WakeupCounts
from latlab.model.worlds import GuestWorlds, LateByWorld, WorldCalls, WorldShare
from support.late_parts import late_result
from support.runs import run_with

CALL = "OPTEE_CALL_WITH_REGD_ARG"
OPTEE = Blame(BlameKind.FIRMWARE, CALL)
READS = (0, 1, 4, 64)
CALLS = {0: 1, 1: 1000, 4: 2000, 64: 4000}


def stack_run(reads: tuple[int, ...] = READS) -> Run:
    conditions = Conditions(mode=Mode.DETERMINISTIC, doses=stack_doses(reads))
    contents = WakeupCounts()
    return run_with(campaign="rt-trng", id="rt-trng-0ee2", conditions=conditions, contents=contents, tick=Tick(Clock.INSTRUCTIONS, 0.5))


def stack_results(left_by: dict[str, int] | None = None) -> list[tuple[str, RtResult]]:
    """Of a hundred late wake-ups one in a hundred calls is late by them, none with a half of the mitigation but for those that `left_by`
    says of a world."""
    found = []
    for dose in stack_run().conditions.doses:
        assert dose.stack is not None
        serves = dose.stack.node == "optee" and dose.stack.quality is None
        calls = CALLS[dose.stack.read_bytes] if serves else 0
        blamed = (calls + 50) // 100 if serves else (left_by or {}).get(dose.stack.world, 0)
        found.append((dose.name, _boot(max(calls, int(blamed > 0)), blamed)))
    return found


def _boot(calls: int, blamed: int) -> RtResult:
    plain = late_result(100, 1)
    assert plain.recorder is not None and plain.attributed is not None
    recorder = replace(plain.recorder, start_ns=0, end_ns=1_000_000_000)
    entries = tuple(
        Attributed(one.outlier, OPTEE if at < blamed else UNEXPLAINED, parts=one.parts) for at, one in enumerate(plain.attributed)
    )
    kinds = (WorldCalls(CALL, calls, 0, 24_425, 24_425, 24_425, 2_377 * calls, 22_048 * calls),) if calls else ()
    late = tuple(LateByWorld(one.outlier.cpu, one.outlier.wake_ns, _shares(one, at < blamed)) for at, one in enumerate(entries))
    worlds = GuestWorlds(kinds, 4 * calls, 4 * calls, 22_048 * calls, late, 0, ())
    return replace(plain, wakeups=(recorder,), attributed=entries, worlds=worlds)


def _shares(one: Attributed, meets: bool) -> tuple[WorldShare, ...]:
    late_ns = one.outlier.late_ns
    if not meets:
        return (WorldShare("EL1", "", late_ns),)
    return WorldShare("S-EL1", CALL, late_ns // 2), WorldShare("EL3", CALL, 4_000), WorldShare("EL1", "", late_ns - late_ns // 2 - 4_000)
