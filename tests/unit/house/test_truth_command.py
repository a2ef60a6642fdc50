# SPDX-License-Identifier: BSD-3-Clause
"""The bench of CONTRIBUTING as a command: it draws, keeps, and adds what was kept."""

import subprocess
import sys
from pathlib import Path

from support.places import ROOT


def rates(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "tests/truth/run.py", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_kept_of_some_pairs_gives_the_same_rates(tmp_path: Path) -> None:
    kept = tmp_path / "pairs.jsonl"
    drawn = rates("--seed", "9100100", "--count", "3", "--keep", str(kept))
    assert len(kept.read_text().splitlines()) == 3 and "all " in drawn
    assert rates("--add", str(kept)) == drawn
