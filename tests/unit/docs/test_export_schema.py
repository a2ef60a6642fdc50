# SPDX-License-Identifier: BSD-3-Clause
"""The page of the export schema names every key of a file and every field of the conditions."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from importlib import import_module

import pytest

from latlab.calls.readers import decoder
from latlab.core.model.conditions import Conditions
from latlab.core.store import run_json
from latlab.core.store.schema import SCHEMA_VERSION
from support.places import ROOT
from support.runs import run_with

PAGE = ROOT / "docs" / "reference" / "export-schema.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTION = TEXT.partition("## Schema `latlab-run`")[2].partition("\n## ")[0]
NAMED = set(re.findall(r"`(?:conditions\.)?(\w+)`", "\n".join(line.split("|")[1] for line in SECTION.splitlines() if line.startswith("|"))))


@pytest.mark.parametrize("key", json.loads(run_json.render(run_with())))
def test_each_key_of_a_file_is_documented(key: str) -> None:
    assert key in NAMED, f"the key {key} has no row: describe it in {PAGE.relative_to(ROOT)}"


@pytest.mark.parametrize("name", [field.name for field in fields(Conditions)])
def test_each_condition_is_documented(name: str) -> None:
    assert name in NAMED, f"the condition {name} has no row: describe it in {PAGE.relative_to(ROOT)}"


@pytest.mark.parametrize(
    ("schema", "module"),
    [
        ("latlab-run", "latlab.core.store.run_json"),
        ("latlab-comparison", "latlab.core.report.comparison.data"),
        ("latlab-history", "latlab.core.report.history.pages"),
        ("latlab-design", "latlab.experiments.pages.data"),
        ("latlab-bisection", "latlab.commits.pages.bisection"),
        ("latlab-commits", "latlab.commits.pages.commit_history"),
        ("latlab-whatif", "latlab.virtual.pages.whatif"),
    ],
)
def test_a_schema_has_the_version_of_the_source(schema: str, module: str) -> None:
    source = import_module(module)
    assert schema == source.SCHEMA and f"## Schema `{schema}`, version {source.VERSION}\n" in TEXT


def test_no_schema_of_the_page_is_without_a_check() -> None:
    assert len(re.findall(r"^## Schema `", TEXT, re.M)) == 7


def test_the_store_and_the_probe_have_the_versions_of_the_source() -> None:
    assert f"A store has its own version, {SCHEMA_VERSION}." in TEXT
    probe = (PAGE.parent / "probe-format.md").read_text(encoding="utf-8")
    assert probe.startswith(f"# Probe format, version {decoder.VERSION}\n")
