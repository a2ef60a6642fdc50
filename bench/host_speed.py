# SPDX-License-Identifier: BSD-3-Clause
"""How fast the host side is, beside a plain pandas version of the same job: ingesting console logs, comparing two large runs."""

from __future__ import annotations

import argparse
import os
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from scipy import stats

from latlab.adopters.dataframes import to_pandas
from latlab.core.comparison.by_kind import compare
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.figures import Figures
from latlab.core.model.run import Build, CoreId, Run, Sample, Spans, Tick, Topology
from latlab.core.readers.dump import console_log
from latlab.core.readers.dump.rt_instr import POWER_METRICS
from support.console_lines import format_figures

T = TypeVar("T")
JUNO = Topology((2, 4))
TESTS = ("susp_deep_parallel", "susp_deep_serial", "cpu_susp_parallel", "cpu_susp_serial", "cpu_off_serial")
LINES = 10_000
FIGURES_EVERY = 100
PANDAS_LOGS = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=1000, help="console logs of 10,000 lines")
    parser.add_argument("--samples", type=int, default=1_000_000, help="samples of each of the two runs")
    options = parser.parse_args()
    table = Table("job", "latlab", "target", "plain pandas", title="Host speed, seconds of one processor", title_justify="left")
    met = [_ingest(table, options.logs), _compare(table, options.samples)]
    Console(width=110).print(table)
    return 0 if all(met) else 1


def _ingest(table: Table, logs: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        paths = _write_logs(Path(folder), logs)
        size = sum(path.stat().st_size for path in paths)
        seconds, lines = _timed(lambda: sum(len(console_log.parse(p.read_bytes(), p.name, JUNO).samples) for p in paths))
        few = paths[:PANDAS_LOGS]
        pandas_seconds, pandas_lines = _timed(lambda: sum(_pandas_samples(path) for path in few))
    if lines * len(few) != pandas_lines * len(paths):
        raise SystemExit(f"the two ways read different figures: {lines} from {len(paths)} logs, {pandas_lines} from {len(few)}")
    speed, pandas_speed = size / seconds / 1e6, size * len(few) / len(paths) / pandas_seconds / 1e6
    table.add_row(f"ingest {logs} logs, {size / 1e6:.0f} MB", f"{speed:.0f} MB/s", ">= 100 MB/s", f"{pandas_speed:.0f} MB/s")
    return speed >= 100


def _compare(table: Table, samples: int) -> bool:
    before, after = (_large_run(samples, seed) for seed in (1, 2))
    seconds, comparison = _timed(lambda: compare(before, after))
    pandas_seconds, _ = _timed(lambda: _pandas_compare(to_pandas(before), to_pandas(after)))
    job = f"compare two runs of {len(before.samples):,} samples: {len(comparison.rows)} rows"
    table.add_row(job, f"{seconds:.2f} s", "<= 2 s", f"{pandas_seconds:.2f} s")
    return seconds <= 2


def _timed(job: Callable[[], T]) -> tuple[float, T]:
    """Seconds of one processor, children included, so that other work on the machine does not count."""
    start = os.times()
    result = job()
    end = os.times()
    return sum(end[:4]) - sum(start[:4]), result


def _write_logs(folder: Path, count: int) -> list[Path]:
    """Logs as a lab prints them: a time stamp before each line, one line in a hundred with figures."""
    rng = random.Random(1)
    noise = [
        f"[{i / 100:12.6f}] INFO:    BL31: message {rng.getrandbits(64):016x} of the boot, which is not looked at" for i in range(LINES)
    ]
    cores = JUNO.cores
    paths = []
    for number in range(count):
        lines = list(noise)
        for place in range(LINES // FIGURES_EVERY // len(cores) * len(cores)):
            values = tuple((metric, rng.randrange(10_000, 900_000)) for metric in POWER_METRICS)
            figures = Figures(TESTS[place // len(cores) % len(TESTS)], cores[place % len(cores)], values)
            lines[place * FIGURES_EVERY] = f"[{place:12.6f}] {format_figures(figures)}"
        paths.append(folder / f"console{number}.log")
        paths[-1].write_text("\r\n".join(lines) + "\r\n")
    return paths


_PLAIN = re.compile(r"<RT_INSTR:(\w+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)/>")


def _pandas_samples(path: Path) -> int:
    found = pd.Series(path.read_text().splitlines()).str.extract(_PLAIN).dropna()
    found.columns = ["test", "cluster", "core", *(metric.value for metric in POWER_METRICS)]
    return len(found.melt(id_vars=["test", "cluster", "core"]).astype({"value": int}))


def _large_run(samples: int, seed: int) -> Run:
    """Twenty boots with as many iterations as make the number of samples."""
    rng = np.random.default_rng(seed)
    per_iteration = len(TESTS) * len(POWER_METRICS) * len(JUNO.cores)
    boots = 20
    iterations = max(1, samples // per_iteration // boots)
    ladder = 5000 + 7000 * np.arange(len(JUNO.cores))
    out: list[Sample] = []
    for boot in range(boots):
        for iteration in range(iterations):
            for test in TESTS:
                powerdown = rng.permutation(ladder) if test.endswith("parallel") else np.full(len(ladder), 5000)
                values = {Metric.POWERDOWN: powerdown, Metric.WAKEUP: np.full(6, 1000), Metric.CACHE_FLUSH: np.full(6, 250)}
                for metric, ticks in values.items():
                    noisy = (ticks * (1 + 0.01 * rng.standard_normal(6))).astype(int).tolist()
                    out += [Sample(test, metric, core, boot, iteration, value) for core, value in zip(JUNO.cores, noisy, strict=True)]
    build = Build("bench")
    return Run(
        "psci", "bench", "juno", JUNO, Tick(Clock.TIME, 20.0), build, CoreId(0, 0), RunStatus.COMPLETE, Spans(tuple(out)), id=f"run {seed}"
    )


def _pandas_compare(before: pd.DataFrame, after: pd.DataFrame) -> dict[object, tuple[float, float]]:
    """What people do by hand: medians by boot for each core, a ratio and a Mann-Whitney test for each cell."""
    keys = ["test", "metric", "cluster", "core"]
    medians = [frame.groupby([*keys, "boot"], observed=True)["value"].median() for frame in (before, after)]
    first, second = (m.groupby(keys, observed=True).apply(list) for m in medians)
    return {
        key: (np.median(second[key]) / np.median(first[key]) - 1, stats.mannwhitneyu(first[key], second[key]).pvalue) for key in first.index
    }


if __name__ == "__main__":
    raise SystemExit(main())
