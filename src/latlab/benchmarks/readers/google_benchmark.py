# SPDX-License-Identifier: BSD-3-Clause
"""JSON of Google's benchmark library (--benchmark_format=json) and of pytest-benchmark (--benchmark-json): the real time of each benchmark;
repetitions are its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric

TOOL, PYTEST = "google-benchmark", "pytest-benchmark"
ROUNDS = {"minimum": "min", "mean": "mean", "maximum": "max"}
MACHINE = ("node", "machine", "system", "release", "python_version")
CONTEXT = ("host_name", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "aslr_enabled", "library_version", "library_build_type")
LARGEST = 1e15
NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
NAMES = {"name", "run_name", "run_type", "family_index", "per_family_instance_index", "label"}
COUNTS = {"repetitions", "repetition_index", "threads", "iterations"}
TIMES = {"real_time", "cpu_time", "time_unit"}
FAILURES = {"error_occurred", "error_message", "skipped", "skip_message"}
OF_LIBRARY = NAMES | COUNTS | TIMES | FAILURES
OLD_AGGREGATE = re.compile(r"^(.+)_(?:mean|median|stddev|cv|BigO|RMS)$")
"""By its name, as releases before 1.5 have no `run_type`."""


@dataclass(slots=True)
class _Entries:
    names: frozenset[str]
    values: dict[str, list[float]] = field(default_factory=dict)
    aggregates: dict[str, None] = field(default_factory=dict)
    skipped: dict[str, None] = field(default_factory=dict)
    counters: dict[str, None] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_pytest_benchmark(root: Mapping[str, object], place: str) -> Benchmark:
    """Seconds of each round; of a file without its rounds the minimum, mean and maximum."""
    amounts: list[Amount] = []
    benchmarks = root.get("benchmarks")
    for entry in benchmarks if isinstance(benchmarks, list) else []:
        stats = entry.get("stats") if isinstance(entry, dict) else None
        if not isinstance(stats, dict):
            continue
        data = stats.get("data")
        quantities = {"": data} if isinstance(data, list) and data else {f" {name}": [stats.get(key)] for name, key in ROUNDS.items()}
        for quantity, values in quantities.items():
            rounds = [value * 1e9 for value in values if isinstance(value, int | float) and 0 <= value < LARGEST]
            name = f"{str(entry.get('fullname', entry.get('name', '')))[:120]}{quantity}"
            if len(rounds) == len(values) and name not in {amount.name for amount in amounts}:
                amounts.append(Amount(PYTEST, Metric.DURATION, name, None, tuple(rounds)))
    if not amounts:
        raise DataError("no benchmark of pytest-benchmark", "name the JSON of a whole run", place=place)
    machine = root.get("machine_info")
    facts = [(key, str(machine[key])[:120]) for key in MACHINE if machine.get(key)] if isinstance(machine, dict) else []
    return Benchmark(PYTEST, tuple(amounts), facts=tuple(facts))


def read_google_benchmark(root: Mapping[str, object], place: str) -> Benchmark:
    """Means, medians and deviations that the library computed are left out: the repetitions say them."""
    entries = root.get("benchmarks")
    if not isinstance(entries, list):
        raise DataError("no list `benchmarks` of Google's benchmark library", "name another file", place=place)
    if entries and all(isinstance(entry, dict) and set(entry) == {"name"} for entry in entries):
        raise DataError("the names that --benchmark_list_tests prints, without a time", "run the benchmarks", place=place)
    parsed = _Entries(frozenset(str(entry.get("name")) for entry in entries if isinstance(entry, dict)))
    for number, entry in enumerate(entries, 1):
        _take(parsed, entry, place, number)
    parsed.problems += [
        f"{place}: {name!r} has aggregates only; run it without --benchmark_report_aggregates_only"
        for name in parsed.aggregates
        if name not in parsed.values
    ]
    if not parsed.values:
        skipped = f"{place}: every benchmark was skipped: {next(iter(parsed.skipped), '')}"
        none = skipped if parsed.skipped else f"{place}: no benchmark ran; name the JSON of a whole run"
        raise DataError(parsed.problems[0] if parsed.problems else none)
    amounts = tuple(Amount(TOOL, Metric.DURATION, name, None, tuple(values)) for name, values in parsed.values.items())
    return Benchmark(TOOL, amounts, facts=_facts(root, parsed), problems=tuple(parsed.problems))


def _take(parsed: _Entries, entry: object, place: str, number: int) -> None:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        parsed.problems.append(f"{place}: entry {number} of `benchmarks` has no name; it is left out")
        return
    name = str(entry.get("run_name", entry["name"]))[:120]
    aggregate_of = name if entry.get("run_type", "iteration") != "iteration" else _old_aggregate(parsed, entry)
    if aggregate_of:
        parsed.aggregates[aggregate_of] = None
        return
    if entry.get("skipped") is True:
        parsed.skipped[f"{name} ({str(entry.get('skip_message', ''))[:60]})"] = None
        return
    time, unit = entry.get("real_time"), NS.get(str(entry.get("time_unit", "ns")))
    is_time = isinstance(time, int | float) and not isinstance(time, bool) and 0 <= time < LARGEST
    if entry.get("error_occurred") or unit is None or not is_time:
        parsed.problems.append(f"{place}: {name!r} has no time ({str(entry.get('error_message', time))[:60]}); it is left out")
        return
    parsed.values.setdefault(name, []).append(float(str(time)) * unit)
    parsed.counters |= dict.fromkeys(key for key in entry if key not in OF_LIBRARY)


def _old_aggregate(parsed: _Entries, entry: Mapping[str, object]) -> str:
    """The benchmark whose aggregate this entry without a `run_type` is, by the names of the others."""
    match = None if "run_type" in entry else OLD_AGGREGATE.match(str(entry["name"]))
    if match is None:
        return ""
    of_one = match[1] in parsed.names or {f"{match[1]}_mean", f"{match[1]}_stddev"} <= parsed.names
    return match[1][:120] if of_one else ""


def _facts(root: Mapping[str, object], parsed: _Entries) -> tuple[tuple[str, str], ...]:
    context = root.get("context")
    facts = [(key, str(context[key])[:120]) for key in CONTEXT if key in context] if isinstance(context, dict) else []
    if parsed.skipped:
        facts.append(("skipped benchmarks", ", ".join(parsed.skipped)[:240]))
    if parsed.counters:
        facts.append(("counters that are not read", ", ".join(parsed.counters)[:240]))
    return tuple(facts)
