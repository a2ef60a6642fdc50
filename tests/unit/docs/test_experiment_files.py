# SPDX-License-Identifier: BSD-3-Clause
"""The experiments of the repository: each is a plan, and its commands parse."""

from pathlib import Path

import pytest
import typer.main

from latlab.core.cli.app import app
from latlab.experiments.campaign.plan import load_plan
from support.places import ROOT

FILES = sorted((ROOT / "examples" / "experiments").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_level_of_an_experiment_has_options_that_its_verb_takes(path: Path) -> None:
    plan = load_plan(path)
    run_rt = typer.main.get_command(app).commands["run"].commands["rt"]  # type: ignore[attr-defined]
    taken = {text for parameter in run_rt.params for text in (*parameter.opts, *parameter.secondary_opts)}
    words = [*plan.run, *(option for factor in plan.factor for level in factor.level for option in level.options)]
    assert plan.run[:2] == ("run", "rt") and {word for word in words if word.startswith("--")} <= taken


def test_the_documents_have_the_file_as_it_is() -> None:
    body = (ROOT / "examples" / "experiments" / "trng.toml").read_text().split("\n", 2)[2]
    assert f"```toml\n{body}```" in (ROOT / "docs" / "results" / "trng.md").read_text()


def test_there_are_experiments() -> None:
    assert len(FILES) == 2
