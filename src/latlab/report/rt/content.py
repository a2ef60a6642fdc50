# SPDX-License-Identifier: BSD-3-Clause
"""What every form of an rt report says: tables of text, made once."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from latlab.analysis.base.wording import said_blame, said_mode
from latlab.analysis.wakeups.attribution import Attributed
from latlab.analysis.wakeups.dose import DoseResponse, fit
from latlab.analysis.wakeups.power_cycles import crossings
from latlab.analysis.wakeups.result import RtResult
from latlab.analysis.wakeups.wakeup import PERCENTILES, same_distribution_ks
from latlab.campaigns.rt_results import power_records
from latlab.errors import DataError, UsageError
from latlab.formats.dump.el3_records import info_of
from latlab.model.blame import UNEXPLAINED, UNTRACED, Blame
from latlab.model.conditions import Mode
from latlab.model.run import Run
from latlab.model.wakeups import CpuWakeups, Wakeups

RING_OVERWRITTEN = "unknown: the firmware's ring had been overwritten"
TRNG_RND = "TRNG_RND"
OUTLIERS_SHOWN = 20
WORDS = ("Cause", "Blamed")
FELL_BACK = 1.5
MODE_SENTENCES = {
    Mode.DETERMINISTIC: "Time is counted in instructions of 2 ns each: the figures repeat exactly and show what the software does, "
    "not a board.",
    Mode.VIRTUAL_MACHINE: "A hypervisor takes the CPU away as it likes: these figures are this virtual machine's, "
    "not what its kernel can do.",
    Mode.MULTI_THREAD: "The host schedules the emulator's threads: latencies of milliseconds are its own. "
    "Use one vCPU on the instruction clock.",
}
REFUSAL = "latencies of multi-threaded emulation are the host's scheduling and are not published; use --cores 1 --mode deterministic"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table. `head` names the columns, `notes` stand below it."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dose:
    """One condition of the TRNG experiment; times in us."""

    name: str
    dose_us: int
    kstack: bool
    hwrng: bool
    max_us: float
    outliers: int
    blamed: tuple[tuple[str, int], ...]


def mode_of(run: Run) -> str:
    return said_mode(run.conditions.mode)


def mode_sentence(run: Run) -> str:
    return MODE_SENTENCES.get(run.conditions.mode, "") if run.conditions.mode else ""


def check_publishable(run: Run) -> None:
    """Refuse what must not be mistaken for a latency."""
    if run.conditions.mode is Mode.MULTI_THREAD:
        raise UsageError(f"{run.id}: {REFUSAL}")


def us(ns: float | None) -> str:
    """Microseconds to a tenth."""
    return "-" if ns is None else f"{ns / 1000:.1f}"


def sheets(name: str, result: RtResult) -> list[Sheet]:
    """Everything that one measurement says."""
    found = [latencies(name, wakeups) for wakeups in result.wakeups]
    recorder = result.recorder
    cyclictest = next((wakeups for wakeups in result.wakeups if wakeups.tool == "cyclictest"), None)
    if recorder and cyclictest:
        found.append(side_by_side(name, recorder, cyclictest))
    if recorder and recorder.outliers:
        found.append(causes(name, result))
        found.append(_worst(name, result))
    if result.exposure:
        found.append(_exposure(name, result))
    return found


def latencies(name: str, wakeups: Wakeups) -> Sheet:
    """The reference's table, a column a CPU, and below it what the reference leaves out."""
    cpus = wakeups.cpus
    rows = [
        ("Minimum (us)", *(us(cpu.min_ns) for cpu in cpus)),
        ("Average (us)", *(us(cpu.average_ns) for cpu in cpus)),
        ("Maximum (us)", *(us(cpu.max_ns) for cpu in cpus)),
        *(
            (f"{percent:g} % (us)", *(_percentile(cpu, percent) for cpu in cpus))
            for percent in PERCENTILES
            if _says_something(cpus, percent)
        ),
        ("Wake-ups due", *(_count(cpu.expected) for cpu in cpus)),
        ("measured", *(str(cpu.got) for cpu in cpus)),
        ("missed", *(_count(cpu.missed) for cpu in cpus)),
        ("beyond the histogram", *(str(cpu.histogram.beyond) if cpu.histogram else "-" for cpu in cpus)),
    ]
    if any(cpu.digest for cpu in cpus):
        rows.append(("digest of the samples", *(cpu.digest for cpu in cpus)))
    head = ("Latencies", *(f"CPU {cpu.cpu}" for cpu in cpus))
    return Sheet(_titled(name, f"Wake-up latency by {wakeups.tool}"), head, tuple(rows), _latency_notes(wakeups))


def _latency_notes(wakeups: Wakeups) -> tuple[str, ...]:
    notes = [f"{key}: {value}" for key, value in wakeups.facts]
    if wakeups.missed:
        implied = sum(cpu.implied.total for cpu in wakeups.cpus if cpu.implied)
        kept = "their latencies are kept apart as implied" if implied else "this tool skips them: its distribution has no trace of them"
        notes.append(f"{wakeups.missed} periods passed while the thread was late; {kept}")
    return tuple(notes)


def _says_something(cpus: tuple[CpuWakeups, ...], percent: float) -> bool:
    """A percentile needs ten samples above it, else it is the maximum under another name."""
    return any(cpu.histogram is not None and cpu.histogram.total * (1 - percent / 100) >= 10 for cpu in cpus)


def _percentile(cpu: CpuWakeups, percent: float) -> str:
    value = cpu.histogram.percentile_ns(percent) if cpu.histogram else None
    return "-" if value is None else us(min(value, cpu.max_ns))


def side_by_side(name: str, recorder: Wakeups, cyclictest: Wakeups) -> Sheet:
    """Whether the two tools saw the same distribution, and what each of them did not see."""
    others = {cpu.cpu: cpu for cpu in cyclictest.cpus}
    rows = tuple(
        (str(cpu.cpu), _distance(cpu, other, cyclictest.resolution_ns), _count(cpu.missed), _count(other.missed), _clipped(other))
        for cpu in recorder.cpus
        if (other := others.get(cpu.cpu)) is not None
    )
    head = ("CPU", "Distance", "Missed by the recorder, counted", "Missed by cyclictest, left out", "Clipped by cyclictest")
    note = "Distance: the largest between the two distribution functions (Kolmogorov-Smirnov) in whole microseconds, 0 to 1."
    return Sheet(_titled(name, "Recorder against cyclictest, one after the other"), head, rows, (note,))


def _distance(a: CpuWakeups, b: CpuWakeups, resolution_ns: int) -> str:
    if a.histogram is None or b.histogram is None:
        return "-"
    return f"{same_distribution_ks(a.histogram, b.histogram, resolution_ns):.3f}"


def _clipped(cpu: CpuWakeups) -> str:
    return str(cpu.histogram.beyond) if cpu.histogram else "-"


def cause_name(entry: Attributed) -> str:
    return RING_OVERWRITTEN if entry.blame == UNTRACED else said_blame(entry.blame)


def causes(name: str, result: RtResult) -> Sheet:
    """The outliers by cause, the most frequent first, the unexplained last."""
    if result.attributed is None:
        recorder = result.recorder
        count = len(recorder.outliers) if recorder else 0
        note = "The firmware of this target has no trace that could be read, so nothing is attributed."
        return Sheet(
            _titled(name, "Outliers by cause"),
            ("Cause", "Outliers"),
            ((said_blame(UNEXPLAINED), str(count)),),
            (note, *_period_note(result)),
        )
    groups: dict[Blame, list[Attributed]] = {}
    for entry in result.attributed:
        groups.setdefault(entry.blame, []).append(entry)
    ordered = sorted(groups.items(), key=lambda pair: (pair[0] in (UNEXPLAINED, UNTRACED), -len(pair[1])))
    rows = tuple(
        (
            cause_name(entries[0]),
            str(len(entries)),
            ", ".join(sorted({f"CPU {entry.outlier.cpu}" for entry in entries})),
            us(max(entry.outlier.late_ns for entry in entries)),
            us(max((entry.stolen_ns for entry in entries if entry.explained), default=None)),
        )
        for _, entries in ordered
    )
    head = ("Cause", "Outliers", "On", "Latest (us)", "of that in the call (us)")
    return Sheet(_titled(name, "Outliers by cause"), head, rows, _period_note(result))


def _period_note(result: RtResult) -> tuple[str, ...]:
    if result.period is None:
        return ("The outliers keep no period that can be told from chance.",)
    found = result.period
    return (f"{found.outliers} outliers keep a period of {found.period_s:g} s (concentration {found.concentration:.2f} of 1).",)


def _worst(name: str, result: RtResult) -> Sheet:
    recorder = result.recorder
    assert recorder is not None
    entries = result.attributed or tuple(Attributed(outlier, UNEXPLAINED) for outlier in recorder.outliers)
    worst = sorted(entries, key=lambda entry: -entry.outlier.late_ns)[:OUTLIERS_SHOWN]
    start = recorder.start_ns or 0
    rows = tuple(
        (
            f"{(entry.outlier.wake_ns - start) / 1e9:.6f}",
            str(entry.outlier.cpu),
            us(entry.outlier.late_ns),
            str(entry.outlier.missed),
            str(entry.calls) if entry.explained else "-",
            us(entry.stolen_ns) if entry.explained else "-",
            cause_name(entry),
        )
        for entry in sorted(worst, key=lambda entry: entry.outlier.wake_ns)
    )
    more = len(entries) - len(worst)
    note = (f"The {len(worst)} latest of {len(entries)}.",) if more else ()
    return Sheet(_titled(name, "Outliers"), ("At (s)", "CPU", "Late (us)", "Missed", "Calls", "In the calls (us)", "Cause"), rows, note)


def _exposure(name: str, result: RtResult) -> Sheet:
    rows = tuple((e.name, str(e.cpu), str(e.events), us(e.longest_ns), us(e.total_ns)) for e in result.exposure)
    notes = ["A cause that came up a few times only has not shown its worst: measure for longer before the maximum is believed."]
    if result.records_lost:
        notes.append(f"The rings had been overwritten: {result.records_lost} records are lost, and these counts are too low.")
    return Sheet(
        _titled(name, "Exposure: calls of the firmware during the measurement"),
        ("Call", "CPU", "Times", "Longest (us)", "Together (us)"),
        rows,
        tuple(notes),
    )


def _titled(name: str, title: str) -> str:
    return f"{title} ({name})" if name else title


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)


def power_sheet(run: Run, files: Mapping[str, bytes]) -> Sheet:
    """How often each boundary was crossed, and how long the firmware took."""
    records = power_records(files)
    ns_a_tick = 1e9 / (info_of(files.get("el3-info.txt", b"").decode("ascii", "replace")) or ("", 62_500_000, 0))[1]
    groups: dict[tuple[str, int], list[int]] = {}
    for crossed in crossings(records.cpus, records.traces):
        groups.setdefault((crossed.crossing.value, crossed.cpu), []).append(crossed.ticks)
    rows = tuple(
        (name, str(cpu), str(len(ticks)), *(us(value * ns_a_tick) for value in (min(ticks), statistics.median(ticks), max(ticks))))
        for (name, cpu), ticks in sorted(groups.items())
    )
    notes = tuple(line for line in files.get("job.log", b"").decode("utf-8", "replace").splitlines() if "=" in line)
    head = ("Crossing", "CPU", "Times", "Minimum (us)", "Median (us)", "Maximum (us)")
    return Sheet("Power boundaries, by the firmware's trace", head, rows, notes)


def doses(run: Run, results: list[tuple[str, RtResult]]) -> list[Dose]:
    """What came of each boot of the experiment that came back whole."""
    by_name = dict(results)
    found = []
    for dose in run.conditions.doses:
        result = by_name.get(dose.name)
        if result is None or result.recorder is None:
            continue
        blamed = Counter(cause_name(entry) for entry in result.attributed or ())
        figures = result.recorder.max_ns / 1000, len(result.recorder.outliers), tuple(blamed.most_common())
        found.append(Dose(dose.name, dose.dose_us, dose.kstack_randomised, dose.hwrng_driver, *figures))
    return sorted(found, key=lambda dose: (not dose.kstack, dose.hwrng, dose.dose_us))


def line_of(found: list[Dose]) -> DoseResponse:
    """The fit through the boots in which the kernel's own caller is alone."""
    alone = [dose for dose in found if dose.kstack and not dose.hwrng]
    if len(alone) < 3:
        raise DataError(f"{len(alone)} of the boots for the slope came back whole; three are needed; run the experiment again")
    return fit([dose.dose_us for dose in alone], [dose.max_us for dose in alone])


def dose_sheet(found: list[Dose]) -> Sheet:
    rows = tuple(
        (
            str(dose.dose_us),
            "on" if dose.kstack else "off",
            "loaded" if dose.hwrng else "not loaded",
            f"{dose.max_us:.1f}",
            str(dose.outliers),
            "; ".join(f"{count} x {cause}" for cause, count in dose.blamed) or "-",
        )
        for dose in found
    )
    head = ("TRNG_RND held (us)", "Kernel-stack randomisation", "hwrng driver", "Maximum (us)", "Outliers", "Blamed")
    return Sheet("Dose and response", head, rows, dose_notes(found))


def dose_notes(found: list[Dose]) -> tuple[str, ...]:
    """The line, what is attributed, and which of the two callers is to blame."""
    line = line_of(found)
    undisturbed = next((dose for dose in found if dose.dose_us == 0 and dose.kstack), None)
    highest = max(found, key=lambda dose: (dose.dose_us, dose.kstack, not dose.hwrng))
    notes = [f"Maximum = {line.intercept_us:.1f} us + {line.slope:.2f} x dose, r squared {line.r_squared:.4f}."]
    without = next((dose for dose in found if not dose.kstack and not dose.hwrng), None)
    driver = next((dose for dose in found if not dose.kstack and dose.hwrng), None)
    if undisturbed and without:
        fell = without.max_us <= FELL_BACK * undisturbed.max_us
        verdict = "so kernel-stack randomisation was to blame" if fell else "so kernel-stack randomisation alone was not to blame"
        notes.append(
            f"Held {highest.dose_us} us, the maximum is {highest.max_us:.1f} us with kernel-stack randomisation, {without.max_us:.1f} us "
            f"without (undisturbed: {undisturbed.max_us:.1f} us), {verdict}."
        )
    if without and driver:
        share = "adds its own" if driver.max_us > FELL_BACK * without.max_us else "adds nothing"
        notes.append(
            f"The hwrng driver, loaded without kernel-stack randomisation, {share}: the maximum is {driver.max_us:.1f} us, "
            f"{without.max_us:.1f} us without the driver."
        )
    return tuple(notes)


def above_undisturbed(results: list[tuple[str, RtResult]], found: list[Dose]) -> Sheet:
    """At the highest dose: the outliers above three times the undisturbed maximum, and how many of them are explained."""
    undisturbed = next((dose for dose in found if dose.dose_us == 0 and dose.kstack), None)
    if undisturbed is None:
        raise DataError("the boot without a dose did not come back whole; run the experiment again")
    highest = max((dose for dose in found if dose.kstack and not dose.hwrng), key=lambda dose: dose.dose_us)
    result = dict(results)[highest.name]
    limit_ns = 3 * undisturbed.max_us * 1000
    above = [entry for entry in result.attributed or () if entry.outlier.late_ns > limit_ns]
    explained = [entry for entry in above if entry.blame.name == TRNG_RND]
    rows = tuple(
        (
            str(e.outlier.cpu),
            us(e.outlier.late_ns),
            str(e.calls) if e.explained else "-",
            us(e.stolen_ns) if e.explained else "-",
            cause_name(e),
        )
        for e in above
    )
    title = f"Outliers above three times the undisturbed maximum ({limit_ns / 1000:.1f} us), TRNG_RND held {highest.dose_us} us"
    note = f"{len(explained)} of {len(above)} are attributed to TRNG_RND."
    return Sheet(title, ("CPU", "Late (us)", "Calls", "In the calls (us)", "Cause"), rows, (note,))


def all_sheets(run: Run, results: list[tuple[str, RtResult]]) -> list[Sheet]:
    """A run's tables, an experiment's summary first."""
    return [*summary(run, results), *(sheet for name, result in results for sheet in sheets(name, result))]


def summary(run: Run, results: list[tuple[str, RtResult]]) -> list[Sheet]:
    """What an experiment comes to; nothing for a single measurement."""
    found = doses(run, results)
    return [dose_sheet(found), above_undisturbed(results, found)] if found else []
