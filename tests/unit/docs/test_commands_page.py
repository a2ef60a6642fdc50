# SPDX-License-Identifier: BSD-3-Clause
"""The page of all commands has every verb with its options, as the help has them."""

from __future__ import annotations

import re

import commands
from support.command import latlab

PAGE = commands.page()


def test_each_verb_has_its_help() -> None:
    verbs = re.findall(r"^## latlab ?(.*)$", PAGE, re.MULTILINE)
    assert {"run psci", "identify", "runs label", "guest build", "design show", "publish site"} <= set(verbs)
    assert len(verbs) == len(set(verbs)) > 40
    shown = latlab("runs", "label", "--help").stdout.split()
    section = PAGE.partition("## latlab runs label\n")[2].partition("\n## ")[0].split()
    assert [word for word in shown if word.startswith("-")] == [word for word in section if word.startswith("-")]
