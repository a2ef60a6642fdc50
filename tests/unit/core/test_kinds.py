# SPDX-License-Identifier: BSD-3-Clause
"""The table of kinds: each row is whole, names what exists, and is the only place that says what a kind of run needs."""

from __future__ import annotations

import ast
import json
from importlib import import_module
from pathlib import Path

import pytest

from latlab.core.kinds import registry
from latlab.core.kinds.kind import RunKind
from latlab.core.lifecycle.material import RunArtifacts
from latlab.core.report.page import Facts
from latlab.core.report.table import Table
from latlab.core.store.store import Store, open_store
from support.command import latlab
from support.every_kind import fill
from support.places import ROOT

SOURCES = ROOT / "src" / "latlab"
ROWS = [*registry.BUILT_IN.values(), *registry.CAMPAIGNS.values()]
CURE = "ask its row, `kind_of(run)` of latlab.core.kinds.registry, for what differs by kind"


def test_each_kind_stands_under_its_name_and_each_campaign_refines_one() -> None:
    assert [kind.name for kind in registry.kinds()][: len(registry.BUILT_IN)] == list(registry.BUILT_IN)
    for campaign, module in registry.CAMPAIGNS.items():
        row = import_module(module).KIND
        assert isinstance(row, RunKind) and row.campaign == campaign and row.contents is registry.kind_named(row.name).contents


@pytest.mark.parametrize("module", ROWS)
def test_what_a_row_calls_exists(module: str) -> None:
    """A row imports when it is called: a moved function fails here and not in front of a user."""
    tree = ast.parse((SOURCES.parent / Path(*module.split("."))).with_suffix(".py").read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("latlab")]
    assert len(imports) > 3
    for node in imports:
        for alias in node.names:
            assert node.module and hasattr(import_module(node.module), alias.name), f"{module} calls {node.module}.{alias.name}"


@pytest.mark.parametrize("kind", registry.kinds(), ids=lambda kind: kind.name)
def test_a_row_is_whole(kind: registry.AnyKind) -> None:
    """What a kind does not have it says in a sentence."""
    assert (kind.pairs is None) == bool(kind.incomparable), "give `pairs`, or the reason in `incomparable`"
    assert (kind.analysis.figures is None) == bool(kind.analysis.without_figures), "give `figures`, or the reason in `without_figures`"
    assert kind.codec.of_json(dict(kind.codec.keys)) == kind.contents(), "`of_json` has to read the empty `keys`"
    assert kind.codec.to_json(kind.contents()).keys() == kind.codec.keys.keys(), "`keys` are those of `to_json`"


def test_no_key_of_the_export_is_of_two_kinds() -> None:
    keys = [key for kind in registry.kinds() for key in kind.codec.keys]
    assert len(keys) == len(set(keys))


def test_the_verbs_of_each_row_exist() -> None:
    from typer.main import get_command

    from latlab.core.cli.app import app

    command = get_command(app)
    for module in ROWS:
        for verb in import_module(module).KIND.verbs:
            group = command
            for word in verb.split():
                group = group.commands[word]  # type: ignore[attr-defined]


def asked_kinds(text: str) -> list[int]:
    """Lines that compare `.kind` of anything with the name of a kind, or match on it."""
    names = set(registry.BUILT_IN)
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            is_kind = any(isinstance(side, ast.Attribute) and side.attr == "kind" for side in sides)
            constants = {n.value for side in sides for n in ast.walk(side) if isinstance(n, ast.Constant)}
            lines += [node.lineno] if is_kind and constants & names else []
        elif isinstance(node, ast.Match) and isinstance(node.subject, ast.Attribute) and node.subject.attr == "kind":
            patterns = {n.value for case in node.cases for n in ast.walk(case.pattern) if isinstance(n, ast.Constant)}
            lines += [node.lineno] if patterns & names else []
    return lines


def test_nobody_but_its_row_asks_which_kind_a_run_is_of() -> None:
    asked = [f"{path.relative_to(ROOT)}:{line}: {CURE}" for path in SOURCES.rglob("*.py") for line in asked_kinds(path.read_text())]
    assert not asked, "\n".join(asked)


def test_a_question_for_a_kind_is_found() -> None:
    assert asked_kinds("if run.kind == 'spans':\n    pass\n") == [1]
    assert asked_kinds("a = 1\nb = run.kind in ('wakeups', 'power')\n") == [2]
    assert asked_kinds("match run.kind:\n    case 'design':\n        pass\n") == [1]
    assert asked_kinds("if step.kind == 'online' or run.kind != other.kind:\n    pass\n") == []


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    place = tmp_path_factory.mktemp("kinds") / "store.sqlite"
    fill(place)
    return open_store(str(place))


def test_on_a_terminal_the_figures_of_every_run_come_before_its_facts(store: Store) -> None:
    shown = set()
    for head in store.runs():
        run = store.load(head.id)
        material = RunArtifacts(store, run)
        page = material.forms.screen(material)
        blocks = [block for section in page.sections for block in section.blocks]
        facts = [number for number, block in enumerate(blocks) if isinstance(block, Facts)]
        tables = [number for number, block in enumerate(blocks) if isinstance(block, Table)]
        if facts and tables:
            shown.add(run.kind)
            assert max(tables) < min(facts), (run.id, run.kind)
    assert shown >= {"spans", "wakeups", "amounts", "attacks"}


def test_a_label_goes_with_its_run_to_every_form(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    fill(place)
    by_kind = {run.kind: run.id for run in open_store(str(place)).runs() if run.kind in ("spans", "wakeups", "amounts", "attacks")}
    for run_id in by_kind.values():
        assert latlab("runs", "label", run_id, "base-line-7", store=place).returncode == 0
        for form in (("show", run_id, "--verbose"), ("show", run_id, "--format", "rst"), ("report", run_id)):
            assert "base-line-7" in latlab(*form, store=place).stdout, form
        assert json.loads(latlab("export", run_id, store=place).stdout)["label"] == "base-line-7"
        assert latlab("runs", "label", run_id, "", store=place).returncode == 0
