# SPDX-License-Identifier: BSD-3-Clause
"""JSON of Google's benchmark library (--benchmark_format=json): the real time of each benchmark; repetitions are its values."""

from __future__ import annotations

import re
from collections.abc import Mapping

from latlab.errors import DataError
from latlab.model.benchmarks import Benchmark
from latlab.model.enums import Metric
from latlab.model.run import Amount

TOOL = "google-benchmark"
START = re.compile(r'"benchmarks"\s*:\s*\[')
CONTEXT = ("host_name", "num_cpus", "mhz_per_cpu")
LARGEST = 1e15
NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def read_google_benchmark(root: Mapping[str, object], place: str) -> Benchmark:
    """Means, medians and deviations that the library computed are left out: the repetitions say them."""
    entries = root.get("benchmarks")
    if not isinstance(entries, list):
        raise DataError(f"{place}: no list `benchmarks` of Google's benchmark library; name another file")
    values: dict[str, list[float]] = {}
    problems: list[str] = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            problems.append(f"{place}: entry {number} of `benchmarks` has no name; it is left out")
            continue
        if entry.get("run_type", "iteration") != "iteration":
            continue
        name = str(entry.get("run_name", entry["name"]))[:120]
        time, unit = entry.get("real_time"), NS.get(str(entry.get("time_unit", "ns")))
        is_time = isinstance(time, int | float) and not isinstance(time, bool) and 0 <= time < LARGEST
        if entry.get("error_occurred") or unit is None or not is_time:
            problems.append(f"{place}: {name!r} has no time ({str(entry.get('error_message', time))[:60]}); it is left out")
            continue
        values.setdefault(name, []).append(float(str(time)) * unit)
    if not values:
        raise DataError(problems[0] if problems else f"{place}: no benchmark ran; name the JSON of a whole run")
    context = root.get("context")
    facts = tuple((key, str(context[key])[:120]) for key in CONTEXT if key in context) if isinstance(context, dict) else ()
    amounts = tuple(Amount(TOOL, Metric.DURATION, name, None, tuple(found)) for name, found in values.items())
    return Benchmark(TOOL, amounts, facts=facts, problems=tuple(problems))
