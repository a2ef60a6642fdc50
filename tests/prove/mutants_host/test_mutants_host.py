# SPDX-License-Identifier: BSD-3-Clause
"""Changed lines of what runs campaigns and keeps runs, a twentieth of the sample: `make mutants GROUPS=host` tries the whole sample."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from support.mutant_groups import assert_noticed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("universalmutator") is None, reason="universalmutator is not installed"),
]


def test_the_tests_notice_the_mutants_of_the_group(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    assert_noticed("host", tmp_path, record_property)
