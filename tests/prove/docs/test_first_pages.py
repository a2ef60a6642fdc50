# SPDX-License-Identifier: BSD-3-Clause
"""Slow: the commands of README, how to install and begin, the tutorials, and what explanations and results show work in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.documented import PAGES
from support.documented_desk import check_page, fixture_desk  # noqa: F401 - a fixture

pytestmark = [pytest.mark.slow, pytest.mark.qemu]


@pytest.mark.parametrize("page", [page for page in PAGES if not {"howto", "reference"} & set(page.parts)], ids=lambda page: page.stem)
def test_the_commands_of_a_page_work_in_their_order(page: Path, desk: Path, tmp_path: Path) -> None:
    check_page(page, desk, tmp_path)
