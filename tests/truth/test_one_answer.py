# SPDX-License-Identifier: BSD-3-Clause
"""Every output says one thing of a pair, whatever the pair is; and what is the same data gives the same answer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Comparison
from support.command import latlab
from support.slow_but import slow_but
from truth.asked_gate import Asked
from truth.data_mutants import How, drawn, mutants_of, mutated
from truth.draw import SpanCase, case_of
from truth.exported import Document, figures_of, with_figures
from truth.machines import DEEP_SERIAL, JUNO, N1SDP, UP, Machine
from truth.mutated_kinds import PAIRS, DocumentPair, board, pair_of_kind
from truth.noise import Noise
from truth.one_answer import contradictions, drawn_pair
from truth.planted import Pathology, Planted
from truth.reading import runs_of_spans
from truth.spans import pair_of
from truth.verdict_cases import two_parts_of_one_run
from truth.written import Form

# The last one stops for a part that changed together, in no single row.
SEEDS = (*range(70_000, 70_010), 71_022)
CHANGED = ("regressed", "improved")
PARTS = [((20, 3), (1, 1)), ((3, 20), (1, 1)), ((20, 5), (1, 1)), ((100, 10), (1, 1)), ((5, 5), (4, 4)), ((1, 1), (4, 4)),
         ((20, 3), (4, 4)), ((3, 20), (1, 4)), ((1, 1), (20, 1)), ((1, 1), (100, 1)), ((1, 1), (1, 100))]  # fmt: skip


@pytest.fixture(name="asked")
def fixture_asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_output_of_a_pair_says_one_thing(asked: Asked, seed: int):
    assert [*contradictions(asked, drawn_pair(seed))] == []


@pytest.mark.parametrize("machine", [JUNO, N1SDP], ids=["juno", "n1sdp"])
@pytest.mark.parametrize(("iterations", "boots"), PARTS)
def test_two_parts_of_one_run_are_never_called_changed(asked: Asked, iterations: tuple[int, int], boots: tuple[int, int], machine: Machine):
    done = asked.compare(*two_parts_of_one_run(iterations, boots, 7, machine), "--format", "json")
    comparison = json.loads(done.stdout)
    changed = [(row["test"], row["metric"], row["name"]) for row in comparison["rows"] if row["verdict"] in CHANGED]
    assert comparison["verdict"] not in CHANGED and not changed, changed


@pytest.mark.parametrize("kind", PAIRS)
def test_a_run_is_not_changed_from_itself(asked: Asked, kind: str):
    base, _ = pair_of_kind(kind)
    assert asked.gate(base, base).returncode == asked.compare(base, base).returncode == 0


@pytest.mark.parametrize("kind", ["psci, counts", "Juno, 4 boots of 5", "calls of a trace", "cyclictest, drawn", "benchmark, drawn"])
def test_the_order_of_lines_in_a_file_does_not_matter(asked: Asked, kind: str):
    base, candidate = pair_of_kind(kind)
    assert _answer(asked, (base, candidate)) == _answer(asked, (_shuffled(base, 1), _shuffled(candidate, 2)))


def _shuffled(document: Document, seed: int) -> Document:
    rng = np.random.default_rng(seed)
    out = dict(document)
    for key in ("samples", "distributions", "amounts"):
        rows = document.get(key, [])
        out[key] = [rows[at] for at in rng.permutation(len(rows))]
    return out


def _answer(asked: Asked, pair: DocumentPair) -> tuple[int, str, list[tuple]]:
    comparison = json.loads(asked.compare(*pair, "--format", "json").stdout)
    rows = sorted((row["test"], row["metric"], row["name"], row["verdict"], _six_digits(row["shift"])) for row in comparison["rows"])
    return asked.gate(*pair).returncode, comparison["verdict"], rows


def _six_digits(shift: float | None) -> str:
    return "" if shift is None else f"{shift:.6g}"


def test_the_order_in_which_boots_are_named_does_not_matter(tmp_path: Path):
    base, candidate = board(JUNO, 4, 5)
    answers = []
    for order in ((0, 1, 2, 3), (2, 0, 3, 1)):
        names = ["+".join(str(_boot(tmp_path, document, boot)) for boot in order) for document in (base, candidate)]
        done = latlab("compare", *names, "--format", "json", store=tmp_path / "store.sqlite")
        rows = json.loads(done.stdout)["rows"]
        answers.append((done.returncode, sorted((row["test"], row["metric"], row["name"], row["verdict"]) for row in rows)))
    assert answers[0] == answers[1]


def _boot(folder: Path, document: Document, boot: int) -> Path:
    """A file of one boot alone."""
    path = folder / f"{document['id']}-{boot}.json"
    samples = [[test, metric, core, 0, iteration, value] for test, metric, core, of, iteration, value in document["samples"] if of == boot]
    path.write_text(json.dumps({**document, "id": path.stem, "samples": samples}), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", PAIRS)
def test_what_is_judged_does_not_depend_on_the_candidate(asked: Asked, kind: str):
    """The rows and parts of a run against itself are those of the run against any other that has all its samples."""
    base, _ = pair_of_kind(kind)
    figures = figures_of(base)
    judged = _judged(asked, (base, base))
    for mutant in drawn([one for one in mutants_of(figures) if one.how is How.TIMES and not one.in_base], kind, 3):
        _, after = mutated(mutant, figures, figures)
        assert _judged(asked, (base, with_figures(base, after))) == judged, mutant.name


@pytest.mark.parametrize("seed", slow_but(range(72_000, 72_060), 72_000, 72_008, 72_018, 72_021, 72_033))
def test_the_tree_of_a_pair_is_that_of_its_base(seed: int):
    """Whatever moves, drifts or scatters in the candidate, if it has all samples."""
    case = case_of(seed)
    if isinstance(case, SpanCase):
        before, after = runs_of_spans(pair_of(case.machine, case.planted, case.noise, (case.boots,) * 2, case.iterations, seed), case.form)
        if len(before.samples) == len(after.samples) and not (found := compare(before, after)).suspicions:
            assert _tree(found) == _tree(compare(before, before))


@pytest.mark.parametrize("iterations", [20, 40])
def test_the_tree_of_a_candidate_that_drifts_is_that_of_its_base(iterations: int):
    planted = Planted(Pathology.DRIFT, "", 0.5, (DEEP_SERIAL, UP))
    found = [runs_of_spans(pair_of(JUNO, planted, Noise.GAUSSIAN, (boots,) * 2, iterations, 7), Form.JSON) for boots in (1, 4)]
    for before, after in found:
        drifting = compare(before, after)
        assert any(row.drifts[1] for row in drifting.rows)
        assert _tree(drifting) == _tree(compare(before, before))


def _tree(comparison: Comparison) -> tuple[list, list]:
    claims = [(claim.level, claim.metric, claim.test, claim.name) for claim in comparison.claims]
    return sorted(claims), sorted((row.test, row.metric, row.name) for row in comparison.leaves)


def _judged(asked: Asked, pair: DocumentPair) -> set[tuple[str, str, str]]:
    comparison = json.loads(asked.compare(*pair, "--format", "json").stdout)
    return {(row["test"], row["metric"], row["name"]) for row in comparison["rows"]}
