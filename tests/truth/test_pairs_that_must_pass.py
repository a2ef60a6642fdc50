# SPDX-License-Identifier: BSD-3-Clause
"""Pairs on which a verdict once stopped or blamed without a reason, and words that once said another thing than the decision."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latlab.core.model.blame import Blame, BlameKind
from latlab.core.model.run import Run
from latlab.core.store import run_json
from latlab.rt.targets.rt_job import Workload
from support.command import Done, latlab
from support.wakeup_runs import distribution, drawn, wakeup_run, with_late
from truth.asked_gate import Asked
from truth.draw import case_of
from truth.held import held
from truth.machines import JUNO, N1SDP
from truth.mutated_kinds import DocumentPair, recorded
from truth.verdict_cases import nobody_flushes_once, of_different_length, one_clock, slow_first_boot

CHANGED = ("regressed", "improved")
LENGTHS = [(20, 3), (3, 20), (20, 5), (100, 10)]
PERCENT = re.compile(r"([-+]\d+\.\d) %")


@pytest.fixture(name="asked")
def fixture_asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


@pytest.mark.parametrize("machine", [JUNO, N1SDP], ids=["juno", "n1sdp"])
@pytest.mark.parametrize("boots", [1, 4])
@pytest.mark.parametrize("iterations", LENGTHS, ids=[f"{n} and {m}" for n, m in LENGTHS])
def test_a_long_and_a_short_run_of_one_truth_pass(asked: Asked, iterations: tuple[int, int], boots: int, machine):
    for seed in range(2):
        done = asked.gate(*of_different_length(iterations, (boots, boots), seed, machine))
        assert done.returncode == 0, f"seed {seed}: {done.stdout}"


def test_a_base_of_100_boots_and_a_candidate_of_one_pass(asked: Asked):
    done = asked.gate(*of_different_length((1, 1), (100, 1), 1))
    assert done.returncode == 0, done.stdout


def test_orders_of_a_queue_that_only_one_run_has_stop_nothing():
    """Last cores down at other positions: a term of the base's model is not in each iteration of the candidate."""
    done = held(case_of(6_000_028))
    assert done.gate == 0 and not done.faults


def test_two_releases_without_a_change_of_the_code_are_not_called_improved():
    done = latlab("compare", "published:tf-a/juno/v2.10", "published:tf-a/juno/v2.12")
    assert "improved by" not in done.stdout, done.stdout
    verdicts = json.loads(latlab("compare", "published:tf-a/juno/v2.10", "published:tf-a/juno/v2.12", "--format", "json").stdout)
    assert verdicts["verdict"] not in CHANGED


@pytest.mark.parametrize("factor", [1.1, 1.2, 1.5, 1 / 1.2])
def test_one_factor_on_everything_is_one_sentence_and_no_list_of_rows(asked: Asked, factor: float):
    """A clock of 5/6 or 2/3: who reads it must ask about the clock, not about 38 rows."""
    pair = one_clock(factor, 1)
    assert asked.gate(*pair).returncode != 0
    lines = asked.compare(*pair).stdout.splitlines()
    assert any("factor" in line for line in lines[:3]), lines[:3]
    assert sum(any(word in line for word in CHANGED) for line in lines) <= 5, lines


def test_a_first_boot_that_is_slow_in_both_runs_is_a_note(asked: Asked):
    for seed in range(3):
        done = asked.gate(*slow_first_boot(seed))
        assert done.returncode == 0, done.stdout


def test_the_first_line_of_a_gate_that_fails_by_a_rule_names_the_rule(asked: Asked):
    done = asked.gate(*nobody_flushes_once(1))
    assert done.returncode == 1, done.stdout
    first = done.stdout.splitlines()[0]
    assert re.match(r"fail: (1|one) rule", first), first


def test_no_figure_falls_by_more_than_itself(asked: Asked):
    """A shift is a share of the figure that moved, not of another core's."""
    for pair in _both_ways(recorded("psci-virtual")[0], recorded("psci-virtual-other")[0]):
        done = asked.compare(*pair)
        shares = [float(share) for share in PERCENT.findall(done.stdout)]
        assert shares and min(shares) >= -100, done.stdout


def _both_ways(first: dict, second: dict) -> tuple[DocumentPair, DocumentPair]:
    return (first, second), (second, first)


def test_a_changed_row_is_beyond_the_threshold_that_is_printed_beside_it(asked: Asked):
    for pair in _both_ways(recorded("psci-virtual")[0], recorded("psci-virtual-other")[0]):
        comparison = json.loads(asked.compare(*pair, "--format", "json").stdout)
        changed = [row for row in comparison["rows"] if row["verdict"] in CHANGED]
        assert changed and all(abs(row["shift"]) > row["threshold"] for row in changed)
        heads = [line for line in asked.compare(*pair, "--verbose").stdout.splitlines() if "Before" in line and "After" in line]
        assert heads and all("hreshold" in line for line in heads), heads


def rt_run(seed: int, causes: bool, late: bool = False) -> Run:
    values = drawn(seed)
    one = distribution(values)
    if late:
        one = with_late(one, int(np.quantile(values, 0.999)), seed)
        blamed = tuple(replace(wakeup, blame=Blame(BlameKind.SOFTIRQ, "NET_RX")) for wakeup in one.late)
        one = replace(one, late=blamed)
    return wakeup_run(one, name=f"run{seed}", workload=Workload(10, causes=causes))


def asked_of(folder: Path, verb: str, before: Run, after: Run, *options: str) -> Done:
    files = [folder / "before.json", folder / "after.json"]
    for path, run in zip(files, (before, after), strict=True):
        path.write_text(run_json.render(run), encoding="utf-8")
    return latlab(verb, *files, *options, store=folder / "store.sqlite")


def test_runs_with_and_without_tracing_of_causes_are_not_compared_unasked(tmp_path: Path):
    """The tracepoints cost several us a wake-up."""
    plain, traced = rt_run(1, causes=False), rt_run(2, causes=True)
    done = asked_of(tmp_path, "gate", plain, traced)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "instrument" in done.stderr
    assert asked_of(tmp_path, "gate", plain, rt_run(3, causes=False)).returncode == 0


def test_a_count_by_cause_that_was_not_taken_is_not_zero(tmp_path: Path):
    plain, traced = rt_run(1, causes=False), rt_run(2, causes=True, late=True)
    done = asked_of(tmp_path, "compare", plain, traced, "--allow-different", "instrument")
    assert "from 0 per million" not in done.stdout
    assert "regressed" not in done.stdout, done.stdout
