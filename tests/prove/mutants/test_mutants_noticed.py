# SPDX-License-Identifier: BSD-3-Clause
"""A sample of each group's mutants, by the group's seed, and every fault of planted.toml: the tests notice them.

`make mutants GROUPS=...` tries a group's whole sample.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mutants.plan import read_groups
from support.places import ROOT, TESTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("universalmutator") is None, reason="universalmutator is not installed"),
]

PERCENT = 10


@pytest.mark.parametrize("group", read_groups(TESTS / "mutants" / "groups.toml"))
def test_the_tests_notice_the_mutants_of_a_group(group: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    tally = tmp_path / "tally.json"
    words = (group, "--percent", str(PERCENT), "--tally", str(tally))
    done = subprocess.run(
        (sys.executable, str(TESTS / "mutants" / "run.py"), *words), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert tally.exists(), done.stderr[-3000:]
    counts = json.loads(tally.read_text())
    record_property("mutants noticed", counts["noticed"])
    record_property("mutants tried", counts["tried"])
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert counts["tried"] > 0
