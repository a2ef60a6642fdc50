# SPDX-License-Identifier: BSD-3-Clause
"""The table of the forms that each kind of run has."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from inspect import Parameter, signature

import pytest

from latlab.campaigns.material import RunArtifacts
from latlab.model.enums import Kind
from latlab.report.kinds import CAMPAIGNS, KINDS, PAIRS, Form, Forms, PairForms, forms_of
from latlab.report.page import Facts
from latlab.report.table import Table
from latlab.store.store import Store, open_store
from support.every_kind import fill

FORMS = [
    pytest.param(form, id=f"{name} {field.name}")
    for name, forms in (*KINDS.items(), *CAMPAIGNS.items())
    for field in fields(Forms)
    if isinstance(form := getattr(forms, field.name), Form)
]

PAIR_FORMS = [
    pytest.param(form, id=f"{kind} {field.name}")
    for kind, forms in PAIRS.items()
    for field in fields(PairForms)
    if isinstance(form := getattr(forms, field.name), Form)
]


def test_every_kind_of_run_has_forms() -> None:
    assert set(KINDS) == set(Kind)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_a_function_of_that_many_fields_of_a_runs_material(form: Form) -> None:
    module, _, name = form.place.partition(":")
    parameters = signature(getattr(import_module(f"latlab.report.{module}"), name)).parameters.values()
    needed = [one for one in parameters if one.default is Parameter.empty]
    assert len(needed) <= len(form.takes) <= len(parameters)
    for field in form.takes:
        assert field == "run" or hasattr(RunArtifacts, field)


@pytest.mark.parametrize("form", PAIR_FORMS)
def test_a_form_of_a_pair_is_a_function_of_the_comparison_of_its_kind(form: Form) -> None:
    (parameter,) = signature(form.function).parameters.values()
    kind = next(kind for kind, forms in PAIRS.items() if form in (forms.headline, forms.results, forms.sections, forms.json))
    assert parameter.annotation == {Kind.SPANS: "SpanComparison", Kind.WAKEUPS: "WakeupComparison", Kind.AMOUNTS: "AmountComparison"}[kind]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    place = tmp_path_factory.mktemp("kinds") / "store.sqlite"
    fill(place)
    return open_store(str(place))


def test_on_a_terminal_the_figures_of_every_run_come_before_its_facts(store: Store) -> None:
    seen = set()
    for head in store.runs():
        run = store.load(head.id)
        material = RunArtifacts(store, run)
        page = forms_of(material).screen.of(material)
        blocks = [block for section in page.sections for block in section.blocks]
        facts = [number for number, block in enumerate(blocks) if isinstance(block, Facts)]
        tables = [number for number, block in enumerate(blocks) if isinstance(block, Table)]
        if facts and tables:
            seen.add(run.kind)
            assert max(tables) < min(facts), (run.id, run.kind)
    assert seen >= {Kind.SPANS, Kind.WAKEUPS, Kind.AMOUNTS, Kind.ATTACKS}
