# SPDX-License-Identifier: BSD-3-Clause
"""A cause that comes twice as often, at rates from 1e-3 to 1e-6 per wake-up: how often it is named, with the length that is said to take.

Simulated: a run of 1e-6 would measure for most of a day. The counts of the wake-ups in time are those of a short run, as often as it takes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Statistic
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import Blame, BlameKind
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import LateWakeup
from latlab.core.model.run import Run
from latlab.core.store import run_json
from latlab.rt.analysis.cause_rates import events_to_see
from support.command import latlab
from support.wakeup_runs import distribution, drawn, wakeup_run

pytestmark = pytest.mark.slow

THIEF, OTHER = Blame(BlameKind.STOLEN), Blame(BlameKind.INTERRUPT, "eth0")
PAIRS = 100
INTERVAL_NS = 1_000_000


def long_run(random: np.random.Generator, wakeups: int, expected: dict[Blame, float], name: str) -> Run:
    late = []
    for blame, events in expected.items():
        late += [(int(at), blame, int(size)) for at, size in _late(random, wakeups, int(random.poisson(events)))]
    quiet = distribution(np.minimum(drawn(1, 2000), 20_000).tolist())
    times = max(1, (wakeups - len(late)) // 2000)
    counted = distribution([size for _, _, size in late] or [20_000])
    counts = sorted((*((low, high, n * times) for low, high, n in quiet.counts), *(counted.counts if late else ())))
    merged: dict[tuple[int, int], int] = {}
    for low, high, n in counts:
        merged[low, high] = merged.get((low, high), 0) + n
    kept = tuple(LateWakeup(at * INTERVAL_NS + size, size, 0, blame) for at, blame, size in sorted(late, key=lambda one: one[0]))
    whole = tuple((low, high, n) for (low, high), n in merged.items())
    maximum = max((size for _, _, size in late), default=20_000)
    total = times * 2000 + len(late)
    one = replace(quiet, counts=whole, got=total, expected=total, maximum_ticks=maximum, late=kept)
    return wakeup_run(one, name=name, mode=Mode.REAL, interval_ns=INTERVAL_NS)


def _late(random: np.random.Generator, wakeups: int, events: int) -> list[tuple[int, int]]:
    return [(int(random.integers(wakeups)), int(random.uniform(120_000, 200_000))) for _ in range(events)]


@pytest.mark.parametrize("rate", [1e-3, 1e-4, 1e-5, 1e-6])
def test_a_thief_that_comes_twice_as_often_is_named_in_the_length_that_is_said(rate: float) -> None:
    needed = events_to_see(2.0, Limits().alpha / 2)
    assert needed is not None
    wakeups = int(needed / rate)
    named: list[bool] = []
    others: list[Verdict] = []
    for seed in range(PAIRS):
        random = np.random.default_rng([seed, int(1 / rate)])
        a = long_run(random, wakeups, {THIEF: needed, OTHER: needed}, "a")
        b = long_run(random, wakeups, {THIEF: 2 * needed, OTHER: needed}, "b")
        verdicts = {row.name: row.verdict for row in compare(a, b).rows if row.statistic is Statistic.CAUSE}
        named.append(verdicts.pop(said_blame(THIEF), None) is Verdict.REGRESSED)
        others += verdicts.values()
    assert np.mean(named) >= 0.8
    assert not {Verdict.REGRESSED, Verdict.IMPROVED} & set(others)


@pytest.mark.parametrize("rate", [1e-3, 1e-4, 1e-5, 1e-6])
def test_the_command_names_the_thief_in_files_of_such_runs(rate: float, tmp_path: Path) -> None:
    """Files as `export` writes them and `compare` reads them, of the length that a comparison says to take, half as much again."""
    needed = events_to_see(2.0, Limits().alpha / 2)
    assert needed is not None
    random = np.random.default_rng(int(1 / rate))
    wakeups = int(1.5 * needed / rate)
    for name, thief in (("a", 1.5 * needed), ("b", 3 * needed)):
        run = long_run(random, wakeups, {THIEF: thief, OTHER: 1.5 * needed}, name)
        (tmp_path / f"{name}.json").write_text(run_json.render(run))
    done = latlab("compare", tmp_path / "a.json", tmp_path / "b.json", "--format", "json")
    rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    print(rate, f"{wakeups:,} wake-ups each, {wakeups * INTERVAL_NS / 3.6e12:.2f} h at 1 ms", rows[said_blame(THIEF)])
    assert done.returncode == 1 and rows[said_blame(THIEF)]["verdict"] == Verdict.REGRESSED
    assert rows[said_blame(OTHER)]["verdict"] not in (Verdict.REGRESSED, Verdict.IMPROVED)
