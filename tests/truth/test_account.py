# SPDX-License-Identifier: BSD-3-Clause
"""Every sample of two runs of spans is in a row or a part that is judged, or is named with the reason why it is not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from truth.asked_gate import Asked
from truth.data_mutants import How, drawn, mutants_of, mutated
from truth.draw import SpanCase, case_of
from truth.exported import Document, figures_of, with_figures
from truth.machines import JUNO
from truth.mutated_kinds import PAIRS, DocumentPair, board, pair_of_kind
from truth.one_answer import drawn_pair

SPANS = [kind for kind in PAIRS if "wake-ups" not in kind and "cyclictest" not in kind and "benchmark" not in kind]
SEEDS = [seed for seed in range(90_000, 90_060) if seed % 3 == 0 and isinstance(case_of(seed), SpanCase)]
REFUSED = 3


@pytest.fixture(name="asked")
def fixture_asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


def assert_accounted(asked: Asked, pair: DocumentPair) -> dict:
    """Of both runs: judged and unjudged samples are all samples of the file. Empty if the runs are not compared."""
    done = asked.compare(*pair, "--format", "json")
    if not done.stdout:
        assert done.returncode == REFUSED, done.stderr
        return {}
    account: dict = json.loads(done.stdout)["account"]
    assert account["samples"] == [len(document["samples"]) for document in pair]
    left = np.sum([part["samples"] for part in account["unjudged"]], axis=0, dtype=int) if account["unjudged"] else np.zeros(2, int)
    assert [*(np.array(account["judged"]) + left)] == account["samples"], account["unjudged"]
    return account


@pytest.mark.parametrize("kind", SPANS)
def test_all_samples_of_two_whole_runs_are_judged(asked: Asked, kind: str):
    account = assert_accounted(asked, pair_of_kind(kind))
    assert account["judged"] == account["samples"] and not account["unjudged"]


@pytest.mark.parametrize("kind", SPANS)
def test_all_samples_of_a_changed_run_are_judged_or_named(asked: Asked, kind: str):
    base, candidate = pair_of_kind(kind)
    figures = figures_of(base), figures_of(candidate)
    for mutant in drawn([*mutants_of(figures[0])], "account", 4):
        before, after = mutated(mutant, *figures)
        account = assert_accounted(asked, (with_figures(base, before), with_figures(candidate, after)))
        if account and mutant.how is How.TIMES:
            assert account["judged"] == account["samples"], mutant.name


@pytest.mark.parametrize("seed", SEEDS)
def test_all_samples_of_drawn_pairs_are_judged_or_named(asked: Asked, seed: int):
    assert_accounted(asked, drawn_pair(seed))


def test_an_iteration_that_lacks_a_core_a_boot_that_came_twice_and_a_test_of_one_run_are_named(asked: Asked):
    base, candidate = board(JUNO, 4, 5)
    odd = without(pasted(candidate), lambda test, core, boot, iteration: test == "cpu_off_serial" and core == "1.3")
    odd = without(odd, lambda test, core, boot, iteration: (test, core, boot, iteration) == ("susp_deep_parallel", "0.0", 1, 0))
    account = assert_accounted(asked, (base, odd))
    reasons = {part["reason"] for part in account["unjudged"]}
    assert {"an iteration that lacks a core", "a boot with the same figures as another one counts once"} <= reasons
    assert "the other run has no such samples of the same cores" in reasons


def pasted(document: Document) -> Document:
    """The last boot has the figures of the first."""
    last = max(row[3] for row in document["samples"])
    first = [row for row in document["samples"] if row[3] == 0]
    others = [row for row in document["samples"] if row[3] != last]
    return {**document, "samples": [*others, *([*row[:3], last, *row[4:]] for row in first)]}


def without(document: Document, is_gone) -> Document:
    rows = [row for row in document["samples"] if not is_gone(row[0], row[2], row[3], row[4])]
    return {**document, "samples": rows}
