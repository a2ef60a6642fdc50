# SPDX-License-Identifier: BSD-3-Clause
"""A twentieth of the sample of a group of mutants, by the group's seed, and every planted fault of it: the tests notice them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from mutants.plan import Group, read_groups
from support.places import ROOT, TESTS

PERCENT = 5


def groups(of_python: bool) -> list[str]:
    """The names of the groups whose sources are Python, or of the others."""
    return [name for name, group in read_groups(TESTS / "mutants" / "groups.toml").items() if is_python(group) == of_python]


def is_python(group: Group) -> bool:
    return all(source.endswith(".py") for source in group.sources)


def assert_noticed(group: str, folder: Path, record_property: Callable[[str, object], None]) -> None:
    tally = folder / "tally.json"
    words = (group, "--percent", str(PERCENT), "--tally", str(tally))
    command = (sys.executable, str(TESTS / "mutants" / "run.py"), *words)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert tally.exists(), done.stderr[-3000:]
    counts = json.loads(tally.read_text())
    record_property("mutants noticed", counts["noticed"])
    record_property("mutants tried", counts["tried"])
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert counts["tried"] > 0
