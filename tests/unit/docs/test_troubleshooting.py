# SPDX-License-Identifier: BSD-3-Clause
"""Each message on the page of troubleshooting is one that latlab prints."""

from __future__ import annotations

import re

import pytest

from support.places import ROOT

PAGE = (ROOT / "docs" / "howto" / "troubleshooting.md").read_text("utf-8")
MESSAGES = re.findall(r"^\| `(.+?)` \|", PAGE, re.MULTILINE)
TEXT = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "src/latlab").rglob("*.py")))
# Literals that stand side by side are one text; the second argument of an error is its next step.
SOURCES = re.sub(r"[\"'],\s*f?[\"']", "; ", re.sub(r"[\"']\s*\n\s*f?[\"']", "", TEXT))


def test_the_page_has_the_messages_that_users_meet() -> None:
    assert 40 <= len(MESSAGES) == len(set(MESSAGES))


@pytest.mark.parametrize("message", MESSAGES)
def test_latlab_prints_the_message(message: str) -> None:
    pattern = r"[^\n]*?".join(map(re.escape, message.split("...")))
    assert re.search(pattern, SOURCES), message
