# SPDX-License-Identifier: BSD-3-Clause
"""The checker on a few screens of each kind, and each planted fault. `tests/prove/first_screens` renders 2,000."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from first_screens.check import check
from first_screens.drawn import Desk, Drawn, every_kind, of_truth
from first_screens.faults import FAULTS, planted
from first_screens.style import findings

JUNO = [f"published:tf-a/juno/{release}" for release in ("v2.9", "v2.10", "v2.11", "v2.12", "v2.13", "v2.14", "v2.15")]
HISTORY = "susp_deep_parallel/cache_flush"
STORED_WORDS = "dump line begins here"
MOST_MISSED = 3
"""Of the planted faults; none is today."""


@pytest.fixture(name="screens", scope="module")
def fixture_screens(tmp_path_factory: pytest.TempPathFactory) -> list[Drawn]:
    desk, runs = every_kind(tmp_path_factory.mktemp("screens") / "kinds.db")
    screens = [drawn for run in runs for drawn in desk.of_run(run)]
    screens += [drawn for pair in pairwise(runs) for drawn in desk.of_pair(*pair)]
    screens += [*desk.of_run(JUNO[1]), *desk.of_pair(JUNO[0], JUNO[1]), *desk.of_history(HISTORY, *JUNO)]
    return screens


def test_first_screens_of_every_kind_say_nothing_false(screens: list[Drawn]) -> None:
    found = {drawn.name: checked.false for drawn in screens if (checked := check(drawn.screen, drawn.documents)).false}
    assert not found
    assert sum(check(drawn.screen, drawn.documents).read for drawn in screens) > 2 * len(screens)


@pytest.mark.parametrize("seed", [4, 5, 6])
def test_first_screens_of_drawn_pairs_say_nothing_false(tmp_path: Path, seed: int) -> None:
    for drawn in of_truth(tmp_path, seed):
        assert check(drawn.screen, drawn.documents).false == [], drawn.name


def test_composed_sentences_keep_the_style(screens: list[Drawn]) -> None:
    """At most 25 words and the field's terms, once figures and names are in them. What a stored run says in its own words is no sentence of
    ours."""
    found = {line: drawn.name for drawn in screens for line in findings(drawn.text) if STORED_WORDS not in line}
    assert not found


def test_a_composed_sentence_of_28_words_is_found() -> None:
    long = " ".join(["word"] * 20)
    assert [*findings(f"{long} of core 0.0 in test.")] == []
    assert [line.partition(":")[0] for line in findings(f"{long} of core 0.0 takes 2 µs to 3 µs in one boot.")] == ["28 words"]
    assert "last core down" in next(findings("the last man of a cluster"))


def test_planted_faults_are_noticed(screens: list[Drawn]) -> None:
    assert len(FAULTS) >= 60
    missed = []
    for fault, before, after in planted(screens):
        assert after.text != before.text, f"{fault.name} is not planted"
        if not check(after.screen, after.documents).false:
            missed.append(fault.name)
    assert len(missed) <= MOST_MISSED, missed


def test_the_command_reads_a_screen_and_its_export(tmp_path: Path) -> None:
    drawn = next(Desk("/dev/null/store").of_run(JUNO[1], with_page=False))
    (tmp_path / "run.json").write_text(json.dumps(drawn.documents[0]), "utf-8")
    changes: list[tuple[Callable[[str], str], int]] = [(str, 0), (lambda text: text.replace("981.36 µs (", "98.14 µs ("), 1)]
    for change, code in changes:
        (tmp_path / "screen.txt").write_text(change(drawn.text), "utf-8")
        command = [sys.executable, "tests/first_screens/check.py", str(tmp_path / "screen.txt"), str(tmp_path / "run.json")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
        assert done.returncode == code, done.stdout + done.stderr
        assert ("longest powerdown: 98.14 is printed, it is 981.36" in done.stdout) == bool(code)


def test_the_checker_imports_nothing_of_what_it_checks() -> None:
    checker = ("check", "figures", "history_claims", "pair_claims", "pictures", "printed", "run_claims", "screen")
    for name in checker:
        text = Path(__file__).with_name(f"{name}.py").read_text("utf-8")
        assert "import latlab" not in text and "from latlab" not in text, name
