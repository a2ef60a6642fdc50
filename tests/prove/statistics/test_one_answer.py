# SPDX-License-Identifier: BSD-3-Clause
"""Three hundred and fifty drawn pairs: every output says one thing of each. And a site says of two stored runs what `compare` says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.command import latlab
from truth.asked_gate import Asked
from truth.machines import JUNO
from truth.mutated_kinds import DocumentPair
from truth.one_answer import contradictions, drawn_pair
from truth.verdict_cases import documents, one_truth, recorded_with

pytestmark = pytest.mark.slow

FIRST, PAIRS, SHARDS = 71_000, 350, 7
WORDS = {"regressed": 1, "inconclusive": 3}


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_output_of_a_drawn_pair_says_one_thing(shard: int, tmp_path: Path):
    said = {seed: [*contradictions(Asked(tmp_path), drawn_pair(seed))] for seed in range(FIRST + shard, FIRST + PAIRS, SHARDS)}
    assert not {seed: sentences for seed, sentences in said.items() if sentences}


STORED: dict[str, Callable[[], DocumentPair]] = {
    "longer": lambda: recorded_with("psci-counts", "cpu_susp_parallel", "wakeup", 10.0),
    "the same": lambda: recorded_with("psci-counts", "cpu_susp_serial", "wakeup", 1.0),
    "another draw": lambda: documents(one_truth(JUNO, (1, 1), 1, 1)),
}


@pytest.mark.parametrize("name", STORED)
def test_a_site_says_of_two_runs_what_compare_says(name: str, tmp_path: Path):
    store = tmp_path / "store.sqlite"
    for day, document in enumerate(STORED[name](), 1):
        path = tmp_path / f"{day}.json"
        path.write_text(json.dumps({**document, "started_utc": f"2026-01-0{day}T00:00:00Z"}), encoding="utf-8")
        assert latlab("import", path, store=store).returncode == 0
    ids = [
        run["id"] for run in sorted(json.loads(latlab("ls", "--format", "json", store=store).stdout), key=lambda run: run["started_utc"])
    ]
    compared = latlab("compare", *ids, store=store)
    word = compared.stdout.partition("\n")[0].rpartition(f"{ids[1]}: ")[2].partition(" (")[0]
    assert WORDS.get(word, 0) == compared.returncode
    assert latlab("publish", "site", tmp_path / "site", store=store).returncode == 0
    assert word in (tmp_path / "site" / "compare" / f"{ids[0]}..{ids[1]}.html").read_text(encoding="utf-8")
