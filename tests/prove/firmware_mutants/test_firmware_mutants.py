# SPDX-License-Identifier: BSD-3-Clause
"""Changed lines of the firmware in C and assembly, a twentieth of each group's sample.

`make mutants GROUPS=...` tries the whole sample of a group.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from support.mutant_groups import assert_noticed, groups

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("universalmutator") is None, reason="universalmutator is not installed"),
]


@pytest.mark.parametrize("group", groups(of_python=False))
def test_the_tests_notice_the_mutants_of_a_group(group: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    assert_noticed(group, tmp_path, record_property)
