# SPDX-License-Identifier: BSD-3-Clause
"""Each tutorial has sample output, every line of which a command prints, in its order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from latlab.psa.targets.mps2 import BUILDS
from latlab.psa.verbs.run_psa import BUILD_HELP
from latlab.rt.targets.rt_job import Workload
from support.command import latlab
from support.places import ROOT
from support.stored_campaigns import unpack_campaigns

TUTORIALS = ROOT / "docs" / "tutorials"
PAIR = ("published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10")
COMMANDS = {
    "tf-a": ("explain", *PAIR),
    "board-log": ("show", PAIR[1]),
    "ci-gate": ("gate", *PAIR),
    "cortex-m": ("show", "psa-8692"),
    "own-firmware": ("show", "psci-0660"),
    "preempt-rt": ("show", "rt-3473"),
}


@pytest.fixture(name="store", scope="module")
def fixture_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tutorials") / "store.sqlite"
    unpack_campaigns(place)
    return place


@pytest.mark.parametrize("page", sorted(path.stem for path in TUTORIALS.glob("*.md")))
def test_each_line_of_the_sample_is_printed_in_its_order(store: Path, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    (sample,) = re.findall(r"```text\n(.*?)```", (TUTORIALS / f"{page}.md").read_text("utf-8"), re.DOTALL)
    printed = [line.rstrip() for line in latlab(*COMMANDS[page], store=store).stdout.splitlines()]
    places = [printed.index(line) for line in sample.splitlines() if line != "..."]
    assert places == sorted(places) and len(places) >= 3


def test_the_command_of_cyclictest_is_the_one_that_runs() -> None:
    assert f"`{Workload(60).cyclictest}`" in (TUTORIALS / "preempt-rt.md").read_text("utf-8")


def test_the_help_names_the_builds_of_the_spm() -> None:
    assert [name for name in BUILDS if name not in BUILD_HELP] == []
