# SPDX-License-Identifier: BSD-3-Clause
"""The TRNG experiment in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latlab.analysis.wakeups.attribution import Attributed
from latlab.analysis.wakeups.causes import cause_name
from latlab.analysis.wakeups.dose_experiment import FAR_ABOVE, HELD_CALL, DoseFigures, far_above, highest_alone, judge
from latlab.analysis.wakeups.result import RtResult
from latlab.report.rt.words import us
from latlab.report.table import Column, Table, figures, prose, words


def dose_tables(results: Sequence[tuple[str, RtResult]], doses_measured: Sequence[DoseFigures]) -> list[Table]:
    """Dose and response, and the late wake-ups of the highest dose."""
    attributed = dict(results)[highest_alone(doses_measured).name].attributed or ()
    return [_dose_table(doses_measured), _above_table(doses_measured, attributed)]


def dose_notes(doses_measured: Sequence[DoseFigures]) -> tuple[str, ...]:
    """The line, what is attributed, and which of the two callers is to blame."""
    return tuple(_notes(doses_measured))


def _notes(doses_measured: Sequence[DoseFigures]) -> Iterator[str]:
    judged = judge(doses_measured)
    line = judged.line
    yield f"Maximum = {line.intercept_us:.1f} µs + {line.slope:.2f} x injected delay, r squared {line.r_squared:.4f}."
    if judged.without and judged.undisturbed:
        alone = "" if judged.kstack_to_blame else "alone "
        was = "was" if judged.kstack_to_blame else "was not"
        yield (
            f"With an injected delay of {judged.highest.dose_us} µs the maximum is {judged.highest.max_us:.1f} µs with kernel-stack "
            "randomisation, "
            f"{judged.without.max_us:.1f} µs without (undisturbed: {judged.undisturbed.max_us:.1f} µs). "
            f"Kernel-stack randomisation {alone}{was} the cause."
        )
    if judged.without and judged.driver:
        share = "adds its own" if judged.driver_adds else "adds nothing"
        yield (
            f"The hwrng driver, loaded without kernel-stack randomisation, {share}: the maximum is {judged.driver.max_us:.1f} µs, "
            f"{judged.without.max_us:.1f} µs without the driver."
        )


def _dose_table(doses_measured: Sequence[DoseFigures]) -> Table:
    rows = tuple(
        (
            str(dose.dose_us),
            "on" if dose.kstack else "off",
            "loaded" if dose.hwrng else "not loaded",
            f"{dose.max_us:.1f}",
            str(dose.outliers),
            "; ".join(f"{count} x {cause}" for cause, count in dose.blamed) or "-",
        )
        for dose in doses_measured
    )
    columns = (
        Column(f"{HELD_CALL} held", unit="µs"),
        *words("Kernel-stack randomisation", "hwrng driver"),
        Column("Maximum", unit="µs"),
        *figures("Outliers"),
        prose("Blamed"),
    )
    return Table("Injected delay and latency", columns, rows, dose_notes(doses_measured))


def _above_table(doses_measured: Sequence[DoseFigures], attributed: Sequence[Attributed]) -> Table:
    """At the highest dose: the outliers far above the undisturbed maximum, and how many of them are explained."""
    above = far_above(doses_measured, attributed)
    rows = tuple(
        (
            str(e.outlier.cpu),
            us(e.outlier.late_ns),
            str(e.calls) if e.explained else "-",
            us(e.stolen_ns) if e.explained else "-",
            cause_name(e),
        )
        for e in above.entries
    )
    limit = f"{FAR_ABOVE} times the undisturbed maximum ({us(above.limit_ns)} µs)"
    title = f"Outliers above {limit}, {HELD_CALL} held {above.dose_us} µs"
    note = f"{above.explained} of {len(above.entries)} are attributed to {HELD_CALL}."
    columns = (*figures("CPU"), Column("Late", unit="µs"), *figures("Calls"), Column("In the calls", unit="µs"), *words("Cause"))
    return Table(title, columns, rows, (note,))
