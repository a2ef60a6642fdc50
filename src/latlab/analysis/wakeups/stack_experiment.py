# SPDX-License-Identifier: BSD-3-Clause
"""The TRNG experiment above a real secure world, judged: how often a wake-up is late by its calls follows how often it is called, how late
that is from what one call takes at once; and what each half of the mitigation leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from latlab.analysis.wakeups.attribution import Attributed
from latlab.analysis.wakeups.dose import DoseResponse, fit
from latlab.analysis.wakeups.result import RtResult
from latlab.errors import DataError
from latlab.model.blame import BlameKind
from latlab.model.conditions import StackArm
from latlab.model.run import Run
from latlab.model.wakeups import Wakeups
from latlab.model.worlds import GuestWorlds, LateByWorld

FEWEST_BOOTS = 3
AS_BUILT, OPTEE = "optee", "optee"


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One boot that came back whole. `calls` are those into the secure world, of which `calls_left` came back for an interrupt of Linux;
    `taken_share` is the share of the time in all calls, EL3's too."""

    arm: StackArm
    ns_per_instruction: float
    result: RtResult
    recorder: Wakeups
    worlds: GuestWorlds

    @property
    def names(self) -> set[str]:
        return {kind.name for kind in self.worlds.kinds if kind.in_secure}

    @property
    def calls(self) -> int:
        return sum(kind.calls for kind in self.worlds.kinds if kind.in_secure)

    @property
    def calls_left(self) -> int:
        return sum(kind.yielded for kind in self.worlds.kinds if kind.in_secure)

    @property
    def taken_share(self) -> float:
        instructions = sum(kind.in_el3 + kind.in_secure for kind in self.worlds.kinds)
        return instructions * self.ns_per_instruction / 1e9 / self.seconds

    @property
    def wakeups(self) -> int:
        return sum(cpu.got for cpu in self.recorder.cpus)

    @property
    def seconds(self) -> float:
        return ((self.recorder.end_ns or 0) - (self.recorder.start_ns or 0)) / 1e9

    @property
    def blamed(self) -> tuple[Attributed, ...]:
        """The late wake-ups whose cause is a call into the secure world."""
        entries = self.result.attributed or ()
        return tuple(entry for entry in entries if entry.blame.kind is BlameKind.FIRMWARE and entry.blame.name in self.names)

    @property
    def met(self) -> int:
        """The late wake-ups in which the core was in the secure world for a moment at least."""
        return sum(any(share.world.startswith("S-") for share in late.shares) for late in self.worlds.late)

    @property
    def most_taken_ns(self) -> int:
        """What firmware and secure world took of one late wake-up at most."""
        return max((late.taken_ns for late in self.worlds.late), default=0)


@dataclass(frozen=True, slots=True)
class StackJudgement:
    """`line`: late wake-ups by the secure world's calls, by these calls, both in a second. `undosed` is what no program asks, `worst` what
    is asked most, `left_open` the same where a call can end for Linux, `halves` each half of the mitigation and both, `unasked` where the
    kernel does not ask by itself either, `tail` the causes of what both halves leave. None and nothing where a boot is missing."""

    line: DoseResponse
    undosed: ArmFigures
    worst: ArmFigures
    left_open: ArmFigures | None
    halves: tuple[ArmFigures, ...]
    unasked: ArmFigures | None
    tail: ArmFigures | None

    @property
    def is_gone(self) -> bool:
        """Whether no late wake-up met the secure world with any half, all of which are there."""
        return len(self.halves) == 3 and not any(half.met or half.blamed for half in self.halves)


def arms(run: Run, results: Sequence[tuple[str, RtResult]]) -> list[ArmFigures]:
    """The boots that came back whole, in their order; none where the run is no such experiment."""
    by_name, figures = dict(results), []
    for dose in run.conditions.doses:
        result = by_name.get(dose.name)
        if dose.stack and result and result.recorder and result.worlds:
            figures.append(ArmFigures(dose.stack, 1 / run.tick.value, result, result.recorder, result.worlds))
    return figures


def series_of(arms_run: Iterable[ArmFigures]) -> list[ArmFigures]:
    """What is asked for more and more, of the secure world as it is built by default."""
    return [arm for arm in arms_run if (arm.arm.world, arm.arm.node) == (AS_BUILT, OPTEE) and arm.arm.quality is None]


def judge_stack(arms_run: Sequence[ArmFigures]) -> StackJudgement:
    """Raises DataError where too few boots came back for a slope."""
    series = sorted(series_of(arms_run), key=lambda arm: arm.arm.read_bytes)
    if len(series) < FEWEST_BOOTS or series[0].arm.read_bytes:
        raise DataError(f"{len(series)} of the boots for the slope are complete, and three are needed, one without a read; run it again")
    if len({arm.calls for arm in series}) == 1:
        raise DataError(f"{series[0].calls} call in each bootat every read size gives no slope; `latlab show --log job.log` prints why")
    halves = [arm for arm in arms_run if (arm.arm.world, arm.arm.node) != (AS_BUILT, OPTEE) and arm.arm.node != OPTEE]
    return StackJudgement(
        line=fit([arm.calls / arm.seconds for arm in series], [len(arm.blamed) / arm.seconds for arm in series]),
        undosed=series[0],
        worst=series[-1],
        left_open=next((arm for arm in arms_run if arm.arm.world != AS_BUILT and arm.arm.node == OPTEE), None),
        halves=tuple(arm for arm in halves if not arm.arm.causes),
        unasked=next((arm for arm in arms_run if arm.arm.quality == 0), None),
        tail=next((arm for arm in arms_run if arm.arm.causes), None),
    )


def split_of(figures: ArmFigures, entries: Iterable[Attributed]) -> tuple[Counter[str], int]:
    """These wake-ups by world, in ns together, and how many of them the probe has split."""
    by_key: dict[tuple[int, int], LateByWorld] = {(late.cpu, late.wake_ns): late for late in figures.worlds.late}
    sums: Counter[str] = Counter()
    split = [late for entry in entries if (late := by_key.get((entry.outlier.cpu, entry.outlier.wake_ns)))]
    for late in split:
        for share in late.shares:
            sums[share.world] += share.ns
    return sums, len(split)
