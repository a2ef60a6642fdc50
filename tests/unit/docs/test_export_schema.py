# SPDX-License-Identifier: BSD-3-Clause
"""The page of the export schema names every key of a file and every field of the conditions."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import pytest

from latlab.core.model.conditions import Conditions
from latlab.core.store import run_json
from support.places import ROOT
from support.runs import run_with

PAGE = ROOT / "docs" / "reference" / "export-schema.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## Schema `latlab-run`")[2].partition("\n## ")[0]
NAMED = set(re.findall(r"`(?:conditions\.)?(\w+)`", "\n".join(line.split("|")[1] for line in SECTION.splitlines() if line.startswith("|"))))


@pytest.mark.parametrize("key", json.loads(run_json.render(run_with())))
def test_each_key_of_a_file_is_documented(key: str) -> None:
    assert key in NAMED, f"the key {key} has no row: describe it in {PAGE.relative_to(ROOT)}"


@pytest.mark.parametrize("name", [field.name for field in fields(Conditions)])
def test_each_condition_is_documented(name: str) -> None:
    assert name in NAMED, f"the condition {name} has no row: describe it in {PAGE.relative_to(ROOT)}"
