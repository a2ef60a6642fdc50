# SPDX-License-Identifier: BSD-3-Clause
"""The README is short, and its sample output is what its command prints."""

from __future__ import annotations

import re

from support.command import latlab
from support.documented import shown
from support.places import ROOT

README = ROOT / "README.md"
MOST_LINES = 120


def test_the_readme_fits_in_120_lines() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= MOST_LINES


def test_each_line_of_the_sample_is_printed_by_the_command_above_it_in_its_order() -> None:
    (sample,) = re.findall(r"```text\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (command,) = [one for one, stands_alone in shown(README) if stands_alone and one.startswith("latlab compare")]
    printed = latlab(*command.split()[1:]).stdout.splitlines()
    places = [printed.index(line) for line in sample.splitlines() if line != "..."]
    assert places == sorted(places) and len(places) == 4
