# SPDX-License-Identifier: BSD-3-Clause
"""The page of subject files has every key that latlab takes, and its examples are read."""

from __future__ import annotations

import re
import textwrap
import tomllib
from typing import Any

import msgspec
import pytest

from latlab.calls.campaign import sbi
from latlab.calls.targets import subject
from latlab.psa.targets import psa_subject
from support.places import ROOT

PAGE = (ROOT / "docs" / "reference" / "subject-files.md").read_text("utf-8")
FILES = {"PSCI and SMC calls": subject, "PSA calls": psa_subject, "SBI calls": sbi}


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def keys_of(module: Any) -> set[str]:
    """Of all structs of the module, as the file writes them."""
    structs = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    return {field.encode_name for each in structs for field in msgspec.structs.fields(each)} - {"image", "call", "veneers", "non_secure"}


@pytest.mark.parametrize("title", FILES)
def test_each_key_is_on_the_page(title: str) -> None:
    named = {*re.findall(r"`([a-z_0-9]+)`", section(title))}
    assert keys_of(FILES[title]) - named <= {"version"}


@pytest.mark.parametrize("title", FILES)
def test_the_example_is_read(title: str) -> None:
    (example,) = re.findall(r"((?:^(?:    .*)?\n)*^    .+\n?)", section(title), re.MULTILINE)
    assert msgspec.convert(tomllib.loads(textwrap.dedent(example)), FILES[title]._File)
