# SPDX-License-Identifier: BSD-3-Clause
"""The TRNG experiment judged: how the maximum follows the dose, and which of the two callers is to blame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from latlab.analysis.wakeups.attribution import Attributed
from latlab.analysis.wakeups.causes import cause_name
from latlab.analysis.wakeups.dose import DoseResponse, fit
from latlab.analysis.wakeups.result import RtResult
from latlab.errors import DataError
from latlab.model.conditions import Dose
from latlab.model.run import Run

FELL_BACK = 1.5
FAR_ABOVE = 3
FEWEST_BOOTS = 3
HELD_CALL = "TRNG_RND"


@dataclass(frozen=True, slots=True)
class DoseFigures:
    """One condition of the experiment; times in us."""

    name: str
    dose_us: int
    kstack: bool
    hwrng: bool
    max_us: float
    outliers: int
    blamed: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class DoseJudgement:
    """`without` is the highest dose with neither caller, `driver` that with the hwrng driver alone; None where the boot is missing.

    A verdict is None where a boot that it rests on is missing.
    """

    line: DoseResponse
    highest: DoseFigures
    undisturbed: DoseFigures | None
    without: DoseFigures | None
    driver: DoseFigures | None
    kstack_to_blame: bool | None
    driver_adds: bool | None


@dataclass(frozen=True, slots=True)
class FarAbove:
    """The outliers of the highest dose that are above `FAR_ABOVE` times the undisturbed maximum, and how many the held call explains."""

    limit_ns: float
    dose_us: int
    entries: tuple[Attributed, ...]
    explained: int


def doses(run: Run, results: Sequence[tuple[str, RtResult]]) -> list[DoseFigures]:
    """The conditions that came back whole, the kernel's own caller first; none where the run is no such experiment."""
    by_name = dict(results)
    figures = [_dose(dose, by_name[dose.name]) for dose in run.conditions.doses if dose.name in by_name and dose.stack is None]
    return sorted((dose for dose in figures if dose), key=lambda dose: (not dose.kstack, dose.hwrng, dose.dose_us))


def _dose(condition: Dose, result: RtResult) -> DoseFigures | None:
    """None where the recorder's file did not come back."""
    if result.recorder is None:
        return None
    blamed = Counter(cause_name(entry) for entry in result.attributed or ())
    return DoseFigures(
        condition.name,
        condition.dose_us,
        condition.kstack_randomised,
        condition.hwrng_driver,
        result.recorder.max_ns / 1000,
        len(result.recorder.outliers),
        tuple(blamed.most_common()),
    )


def line_of(figures: Sequence[DoseFigures]) -> DoseResponse:
    """The fit through the boots in which the kernel's own caller is alone."""
    alone = [dose for dose in figures if dose.kstack and not dose.hwrng]
    if len(alone) < FEWEST_BOOTS:
        raise DataError(f"{len(alone)} of the boots for the slope are complete, and three are needed; run the experiment again")
    return fit([dose.dose_us for dose in alone], [dose.max_us for dose in alone])


def judge(figures: Sequence[DoseFigures]) -> DoseJudgement:
    """The driver is measured against the run without it, not against the run in which the other caller was at work."""
    undisturbed = _undisturbed(figures)
    without = next((dose for dose in figures if not dose.kstack and not dose.hwrng), None)
    driver = next((dose for dose in figures if not dose.kstack and dose.hwrng), None)
    return DoseJudgement(
        line=line_of(figures),
        highest=max(figures, key=lambda dose: (dose.dose_us, dose.kstack, not dose.hwrng)),
        undisturbed=undisturbed,
        without=without,
        driver=driver,
        kstack_to_blame=without.max_us <= FELL_BACK * undisturbed.max_us if undisturbed and without else None,
        driver_adds=driver.max_us > FELL_BACK * without.max_us if driver and without else None,
    )


def highest_alone(figures: Sequence[DoseFigures]) -> DoseFigures:
    """The highest dose with the kernel's own caller alone."""
    return max((dose for dose in figures if dose.kstack and not dose.hwrng), key=lambda dose: dose.dose_us)


def far_above(figures: Sequence[DoseFigures], of_highest: Sequence[Attributed]) -> FarAbove:
    """`of_highest` are the outliers of `highest_alone`."""
    undisturbed = _undisturbed(figures)
    if undisturbed is None:
        raise DataError("the boot without injected delay is incomplete; run the experiment again")
    limit_ns = FAR_ABOVE * undisturbed.max_us * 1000
    above = tuple(entry for entry in of_highest if entry.outlier.late_ns > limit_ns)
    explained = sum(entry.blame.name == HELD_CALL for entry in above)
    return FarAbove(limit_ns, highest_alone(figures).dose_us, above, explained)


def _undisturbed(figures: Sequence[DoseFigures]) -> DoseFigures | None:
    return next((dose for dose in figures if dose.dose_us == 0 and dose.kstack), None)
