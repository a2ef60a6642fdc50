# SPDX-License-Identifier: BSD-3-Clause
"""cyclictest's text in each of its forms: -h and -H histograms, the -q summary, -v samples, --spike lists. One text may hold several.

cyclictest counts whole microseconds, truncated. With -N it prints ns: the option in a command line above the output says so, or the
field of the latest latency in a T: line, which is eight wide with -N and five without; releases before 0.80 pad the interval and have
eight for both. Where neither says it and the figures contradict us, the caller must.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np

from latlab.core.errors import DataError, UsageError
from latlab.core.model.conditions import Conditions
from latlab.core.model.distributions import Counts, Distribution
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import MESSAGE, printed_lines, second_run
from latlab.rt.model.wakeups import Outlier, Wakeups, counted_us, counted_values, cpu_row, in_blocks

BUCKET = re.compile(r"^(\d{6,18})((?:\s+\d{6,20})+)\s*$", re.ASCII)
ROW = re.compile(r"^\d{6}", re.ASCII)
TOTALS = re.compile(r"^# (Total|Min Latencies|Avg Latencies|Max Latencies|Histogram Overflows):((?:\s+\d+)*)\s*$")
CYCLE = re.compile(r"^# Thread (\d+):((?:\s+\d+)*)(?: # (\d+) others)?\s*$")
SUMMARY = re.compile(
    r"T:\s*(\d+) \(\s*(\d+)\) P:\s*(\d+) I:(\s*\d+) C:\s*(\d+) Min:\s*(-?\d+) Act:(\s*-?\d+) Avg:\s*(-?\d+) Max:\s*(-?\d+)"
    r"(?: SMI:\s*(\d+))?"
)
VERBOSE = re.compile(r"^ *(\d+):(?=[ \d]{8})\s*(\d+):(?=[ \d-]{8})\s*(-?\d{1,15})(?:(?<=[ \d-]{8})(?=[ \d]{8})(?P<smis> +\d{1,7}))?\s*$")
NANOSECONDS = re.compile(r"(?:^|[\s/])cyclictest\s(?:.*\s)?(?:-[a-zA-Z]*N[a-zA-Z]*|--nsecs)(?:\s|$)", re.MULTILINE)
COMMAND = re.compile(r"(?:^|[\s/])cyclictest\s(.*)$", re.MULTILINE)
SMP = re.compile(r"(?:^|\s)(?:--smp|-[a-zA-Z]*S[a-zA-Z]*\d*)(?=\s|$)")
EACH_CPU = re.compile(r"(?:^|\s)(?:-a|--affinity)(?=\s+-|\s*$)")
THREADS_ASKED = re.compile(r"(?:^|\s)(?:-t|--threads)")
WIDE = 8
MOST_ROWS = 100_000
THREADS = ("rows", "threads, whose CPUs the tool does not name")
TORN = re.compile(r"^T:\s*\d+ (?:\(|Spike:)|^# (?:Total|Min|Avg|Max|Histogram)\b|^# Thread \d+:")
SPIKE = re.compile(r"^T:\s*(\d+) Spike:\s*(\d+): TS:\s*(\d+)\s*$")
SMIS = re.compile(r"^# SMIs:((?:\s+\d+)+)\s*$")
BREAK = re.compile(r"^# Break (thread|value): (\d+)\s*$")
INTERVAL = re.compile(r"^Thread (\d+) Interval: (\d+)")
PROOFS = (TOTALS, VERBOSE, SPIKE)
LINES = (SUMMARY, BUCKET, TOTALS, CYCLE, VERBOSE, SPIKE, INTERVAL, ROW, TORN, *printed_lines("cyclictest"), MESSAGE)
"""What it prints, without its usage."""


@dataclass(slots=True)
class _Text:
    """What the lines said, before it is combined."""

    buckets: dict[int, list[int]] = field(default_factory=dict)
    totals: dict[str, list[int]] = field(default_factory=dict)
    summary: dict[int, tuple[int, int, int, int, int]] = field(default_factory=dict)  # interval, cycles, min, avg, max
    samples: dict[int, list[int]] = field(default_factory=dict)
    cycles: dict[int, tuple[int, int]] = field(default_factory=dict)  # the last of a thread, and the line of its first
    smis: dict[int, int] = field(default_factory=dict)
    breaks: dict[str, str] = field(default_factory=dict)
    spikes: list[tuple[int, int, int]] = field(default_factory=list)
    beyond_cycles: dict[int, int] = field(default_factory=dict)
    intervals: dict[int, int] = field(default_factory=dict)
    threads: dict[int, tuple[int, int]] = field(default_factory=dict)  # process id, line
    nanoseconds: bool = False
    priority: int | None = None
    header: int = 0  # its line
    summary_line: int = 0  # the last of a thread
    ended: int = 0  # the line of the first total below the rows
    problems: list[str] = field(default_factory=list)


def is_cyclictest(text: str) -> bool:
    """Whether it has a line that only cyclictest prints. Rows of a histogram are none: any two columns of numbers look like them."""
    return any(
        line.startswith("# Histogram") or SUMMARY.search(line) or any(form.match(line) for form in PROOFS) for line in text.splitlines()
    )


def has_own_lines(text: str, is_of_signals: bool = False) -> bool:
    """Whether it has a line that no other tool prints: no row, title or total of a histogram, and no sample if signaltest has its own."""
    return any(SUMMARY.search(line) or SPIKE.match(line) or (VERBOSE.match(line) and not is_of_signals) for line in text.splitlines())


def binds_to_each_cpu(options: str) -> bool:
    """Whether these options of a command bind a thread to each CPU, so that a thread's number is its CPU's."""
    return SMP.search(options) is not None or (EACH_CPU.search(options) is not None and THREADS_ASKED.search(options) is not None)


def looks_like_rows(text: str) -> bool:
    """Whether it has lines that could be rows of its histogram."""
    return any(BUCKET.match(line) for line in text.splitlines())


def read_cyclictest(text: str, place: str, unit: str = "") -> Wakeups:
    """What a run said. `unit` is that of its figures where the user says it."""
    parsed = _scanned(text, place)
    is_named = parsed.nanoseconds or any(" -" in f" {options}" for options in COMMAND.findall(text))
    unit_ns = 1 if unit == "ns" or (not unit and (parsed.nanoseconds or NANOSECONDS.search(text))) else 1000
    if unit not in ("", "ns", "us"):
        raise UsageError(f"--unit {unit!r} is no unit of cyclictest", "use us, or ns for a run with -N", value=unit)
    if not unit and not is_named and (doubt := _doubt(parsed)):
        raise DataError(f"{doubt}, and the file does not name its unit", "say it with --unit ns (cyclictest -N) or --unit us", place=place)
    if parsed.buckets and not parsed.totals and not parsed.summary and not any(map(any, parsed.buckets.values())):
        last = next(reversed(parsed.buckets))
        raise DataError(
            f"the histogram was cut off before its first wake-up, at {last:,}",
            "give the whole output, with --unit ns if it is of cyclictest -N",
            place=f"{place}:{len(text.splitlines())}",
        )
    if parsed.buckets or parsed.totals:
        cpus = _from_histogram(parsed, place, unit_ns)
    elif parsed.summary:
        cpus = tuple(_from_summary(cpu, row, unit_ns) for cpu, row in sorted(parsed.summary.items()))
    elif parsed.samples:
        parsed.problems += [sentence for thread in sorted(parsed.samples) if (sentence := _part(parsed, thread, place))]
        cpus = tuple(_from_samples(cpu, values, unit_ns) for cpu, values in sorted(parsed.samples.items()))
    else:
        raise DataError(
            f"no histogram, summary, sample or spike of cyclictest in {len(text.splitlines())} lines", "name its output", place=place
        )
    if parsed.summary and (parsed.buckets or parsed.totals):
        cpus = tuple(_joined(cpu, parsed, place) for cpu in cpus)
    intervals = {cpu: row[0] for cpu, row in parsed.summary.items()} | parsed.intervals
    is_bound = any(map(binds_to_each_cpu, COMMAND.findall(text)))
    command = next((f"cyclictest {options}".strip() for options in COMMAND.findall(text) if " -" in f" {options}"), "")
    interval_ns = min(intervals.values()) * 1000 if intervals else None
    conditions = conditions_of(command).completed(Conditions(interval_ns=interval_ns, priority=parsed.priority))
    spikes = tuple(Outlier(cpu, at * 1000, late * unit_ns) for cpu, late, at in parsed.spikes)
    return Wakeups(
        tool="cyclictest",
        interval_ns=interval_ns,
        resolution_ns=unit_ns,
        cpus=cpus,
        outliers=spikes,
        conditions=conditions,
        complete=not parsed.problems,
        facts=(*(() if is_bound else (THREADS,)), *_facts(parsed, "ns" if unit_ns == 1 else "µs")),
        problems=tuple(parsed.problems),
        rows=RowKind.CPU if is_bound else RowKind.THREAD,
    )


def _doubt(parsed: _Text) -> str:
    """What contradicts microseconds: a row for each of a tenth of a second, or a thread that was never in time for its period."""
    if len(parsed.buckets) >= MOST_ROWS:
        return f"a histogram of {len(parsed.buckets):,} rows"
    for thread, row in parsed.summary.items():
        if row[0] and row[1] and row[2] > row[0]:
            return f"thread {thread} woke {row[2]:,} after its time at least, later than its period of {row[0]:,} µs"
    for thread, late in parsed.samples.items():
        if min(late) > parsed.intervals.get(thread, MOST_ROWS):
            return f"thread {thread} woke {min(late):,} after its time at least, later than its period of {parsed.intervals[thread]:,} µs"
    return ""


def _facts(parsed: _Text, unit: str) -> tuple[tuple[str, str], ...]:
    """What the run says beside its latencies."""
    facts = []
    if parsed.smis:
        facts.append(
            ("system management interrupts", ", ".join(f"thread {thread}: {parsed.smis[thread]}" for thread in sorted(parsed.smis)))
        )
    if parsed.breaks:
        value = f" ({parsed.breaks['value']} {unit})" if "value" in parsed.breaks else ""
        facts.append(("stopped", f"by cyclictest's threshold: the maximum{value} is the latency that ended the run"))
    return tuple(facts)


def histogram_columns(text: str, place: str) -> tuple[dict[int, tuple[Counts, int]], list[str]]:
    """The intervals of each thread with the samples beyond them, from rows as cyclictest and other tools print them. The second value says
    what is wrong with the rows."""
    parsed = _Text()
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# Histogram") and not line.startswith("# Histogram Overflow"):
            _begin(parsed, number, place)
        elif (match := BUCKET.match(line)) and parsed.header:
            _add_bucket(parsed, int(match[1]), [int(part) for part in match[2].split()], number, place)
        elif match:
            parsed.problems.append(f"{place}:{number}: a row without `# Histogram` above it; it is left out")
        elif match := TOTALS.match(line):
            _add_total(parsed, match, number, place)
    low_us = np.fromiter(parsed.buckets, dtype=np.int64, count=len(parsed.buckets))
    columns = max(map(len, parsed.buckets.values()), default=0)
    histograms = {}
    for thread in range(columns):
        counts = np.array([row[thread] for row in parsed.buckets.values()], dtype=np.int64)
        histograms[thread] = counted_us(low_us, counts), _total(parsed, "Histogram Overflows", thread) or 0
    return histograms, parsed.problems


def _scanned(text: str, place: str) -> _Text:
    parsed = _Text()
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{place}:{number}"
        if match := BUCKET.match(line):
            _add_bucket(parsed, int(match[1]), [int(part) for part in match[2].split()], number, place)
        elif match := TOTALS.match(line):
            _add_total(parsed, match, number, place)
        elif match := CYCLE.match(line):
            parsed.beyond_cycles[int(match[1])] = len(match[2].split()) + int(match[3] or 0)
        elif match := SUMMARY.search(line):
            _add_summary(parsed, match, number, place)
        elif match := VERBOSE.match(line):
            _add_sample(parsed, match, number, place)
        elif match := SPIKE.match(line):
            parsed.spikes.append((int(match[1]), int(match[2]), int(match[3])))
        elif match := INTERVAL.match(line):
            parsed.intervals[int(match[1])] = int(match[2])
        elif match := SMIS.match(line):
            parsed.smis |= dict(enumerate(map(int, match[1].split())))
        elif match := BREAK.match(line):
            parsed.breaks[match[1]] = match[2]
        elif line.startswith("# Histogram") and not line.startswith("# Histogram Overflow"):
            _begin(parsed, number, place)
        elif ROW.match(line):
            parsed.problems.append(f"{where}: {line[:60]!r} is not a row of the histogram; it is left out")
    return parsed


def _add_summary(parsed: _Text, match: re.Match[str], number: int, place: str) -> None:
    """The last line of a thread counts: a screen that was kept has many. Another process is another run."""
    thread, process = int(match[1]), int(match[2])
    before = parsed.threads.setdefault(thread, (process, number)) if process else (process, number)  # 0: not begun
    if before[0] != process:
        raise second_run(place, before[1], number, "cyclictest", f"thread {thread} is process {before[0]}, then {process}")
    is_wide = len(match[7]) == WIDE and match[7].startswith(" ")
    parsed.nanoseconds = parsed.nanoseconds or (is_wide and not match[4].startswith(" "))
    parsed.priority = parsed.priority or int(match[3]) or None
    if match[10]:
        parsed.smis[thread] = int(match[10])
    parsed.summary_line = number
    parsed.summary[thread] = (int(match[4]), int(match[5]), int(match[6]), int(match[8]), int(match[9]))


def _begin(parsed: _Text, number: int, place: str) -> None:
    if parsed.header:
        raise second_run(place, parsed.header, number, "cyclictest", "a histogram begins")
    if parsed.buckets:
        parsed.problems.append(f"{place}:{number}: {len(parsed.buckets)} rows are above `# Histogram`; they are left out")
        parsed.buckets.clear()
    parsed.header = number


def _add_total(parsed: _Text, match: re.Match[str], number: int, place: str) -> None:
    """A run prints each of them once."""
    values = [int(part) for part in match[2].split()]
    if parsed.totals.setdefault(match[1], values) != values:
        raise second_run(place, parsed.ended, number, "cyclictest", f"another line `# {match[1]}`")
    parsed.ended = parsed.ended or number


def _add_sample(parsed: _Text, match: re.Match[str], number: int, place: str) -> None:
    """The cycles of a thread never fall; where none of the samples was late they stay."""
    thread, cycle = int(match[1]), int(match[2])
    before, first = parsed.cycles.get(thread, (-1, number))
    if cycle < before:
        raise second_run(place, first, number, "cyclictest", f"thread {thread} is at cycle {before}, then {cycle}")
    parsed.cycles[thread] = cycle, first
    parsed.samples.setdefault(thread, []).append(int(match[3]))
    if match["smis"]:
        parsed.smis[thread] = parsed.smis.get(thread, 0) + int(match["smis"])


def _add_bucket(parsed: _Text, low: int, counts: list[int], number: int, place: str) -> None:
    where = f"{place}:{number}"
    columns = next((len(row) for row in parsed.buckets.values()), len(counts))
    if parsed.ended:
        parsed.problems.append(f"{where}: a row is below the totals of the histogram; it is left out")
    elif len(counts) != columns:
        parsed.problems.append(f"{where}: {len(counts)} columns where there were {columns} before; the line is left out")
    elif low in parsed.buckets:
        parsed.problems.append(f"{where}: the bucket of {low} µs appears twice; the second is left out")
    elif parsed.buckets and low < next(reversed(parsed.buckets)):
        parsed.problems.append(f"{where}: the bucket of {low} µs follows a later one; it is left out")
    else:
        parsed.buckets[low] = counts


def _from_histogram(parsed: _Text, place: str, unit_ns: int) -> tuple[Distribution, ...]:
    """-H adds a column for all CPUs together, which the averages do not have; -h does not."""
    columns = max((len(row) for row in (*parsed.buckets.values(), *parsed.totals.values())), default=0)
    averages = len(parsed.totals.get("Avg Latencies", ()))
    threads = averages or columns
    if not parsed.totals.get("Max Latencies"):
        parsed.problems.append(f"{place}: the histogram has no totals, so it was cut off; overflows and maxima are unknown")
    low_us = np.fromiter(parsed.buckets, dtype=np.int64, count=len(parsed.buckets))
    return tuple(_histogram_column(parsed, low_us, thread, place, unit_ns) for thread in range(threads))


def _histogram_column(parsed: _Text, low_us: np.ndarray, thread: int, place: str, unit_ns: int) -> Distribution:
    counts = np.array([row[thread] if thread < len(row) else 0 for row in parsed.buckets.values()], dtype=np.int64)
    beyond = _total(parsed, "Histogram Overflows", thread) or 0
    inside = int(counts.sum())
    stated = _total(parsed, "Total", thread)
    if stated is not None and stated != inside:
        parsed.problems.append(f"{place}: thread {thread}: the buckets hold {inside} samples, the total says {stated}")
    buckets_used = low_us[counts > 0] if inside else np.zeros(1, dtype=np.int64)
    low, average, high = (_total(parsed, f"{name} Latencies", thread) for name in ("Min", "Avg", "Max"))
    if high is not None and not beyond and inside and high != int(buckets_used.max()):
        parsed.problems.append(f"{place}: thread {thread}: the last bucket in use is {int(buckets_used.max())} µs, the maximum says {high}")
    elif high is not None and inside and high < int(buckets_used.max()):
        parsed.problems.append(f"{place}: thread {thread}: a bucket of {int(buckets_used.max())} µs is in use, the maximum says {high}")
    middle = (counts * (low_us + 0.5)).sum() / inside if inside else 0.0
    return cpu_row(
        number=thread,
        counts=counted_us(low_us, counts, unit_ns),
        got=inside + beyond,
        min_ns=(low if low is not None else int(buckets_used.min())) * unit_ns,
        max_ns=(high if high is not None else int(buckets_used.max())) * unit_ns,
        average_ns=(average if average is not None else float(middle)) * float(unit_ns),
        beyond=beyond,
    )


def _total(parsed: _Text, name: str, thread: int) -> int | None:
    values = parsed.totals.get(name, [])
    return values[thread] if thread < len(values) else None


def _from_summary(cpu: int, row: tuple[int, int, int, int, int], unit_ns: int) -> Distribution:
    _, cycles, low, average, high = row
    return cpu_row(cpu, (), cycles, low * unit_ns, high * unit_ns, average * float(unit_ns))


def _from_samples(cpu: int, values: list[int], unit_ns: int) -> Distribution:
    late = np.array(values, dtype=np.int64)
    held, ends = np.maximum(late, 0), (int(late.min()) * unit_ns, int(late.max()) * unit_ns)
    mean = float(late.mean()) * unit_ns
    return cpu_row(cpu, counted_values(held, unit_ns), len(values), *ends, mean, blocks=in_blocks(held, unit_ns))


def _part(parsed: _Text, thread: int, place: str) -> str:
    """A sentence where cycles are not in it: each has a line, except with -o or in a part of the output."""
    printed, last = len(parsed.samples[thread]), parsed.cycles[thread][0]
    if printed > last:
        return ""
    return f"{place}: thread {thread}: {printed} of {last + 1} cycles are in it, the largest of several (-o) or a part of the run"


def _joined(cpu: Distribution, parsed: _Text, place: str) -> Distribution:
    """A summary beside a histogram: the summary's count is all cycles, so it says how many the histogram does not show. Above a whole
    histogram it is a screen: a state of the run some cycles before its end."""
    row = parsed.summary.get(cpu.number)
    is_state = parsed.header > parsed.summary_line and bool(parsed.totals)
    if row is None or (is_state and row[1] <= cpu.counted):
        return cpu
    cycles = row[1]
    if cycles < cpu.counted:
        parsed.problems.append(f"{place}: thread {cpu.number}: the histogram holds {cpu.counted} samples, the summary says {cycles} cycles")
        return cpu
    return replace(cpu, got=cycles, beyond=cpu.beyond + cycles - cpu.counted)


def conditions_of(command: str) -> Conditions:
    """Interval and priority as far as the command names them; options may be grouped (-Sp80) and numbers apart (-i 200)."""
    interval_us, priority = _option(command, "i"), _option(command, "p")
    return Conditions(
        interval_ns=None if interval_us is None else interval_us * 1000, priority=priority, commands=(command,) if command else ()
    )


def _option(command: str, letter: str) -> int | None:
    match = re.search(rf"(?:^|\s)-[a-zA-Z]*{letter}\s*(\d{{1,9}})", command)
    return int(match[1]) if match else None
