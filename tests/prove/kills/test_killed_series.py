# SPDX-License-Identifier: BSD-3-Clause
"""Slow: a series of boots of the guest that is killed in its second boot; the same command goes on with what is left of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from support.killed_runs import Campaign, KilledRun, Moment

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMIT_S = 3600
BOOTS = 3
MEASURE = ("--duration", "20s", "--load", "idle", "--instrument", "recorder", "--threshold", "5000")
SERIES = ("run", "rt", "--boots", str(BOOTS), *MEASURE)
SECOND_BOOT = "boot 2 of 3"


@pytest.mark.parametrize(
    ("words", "seconds"), [(SECOND_BOOT, 0.1), (f"{SECOND_BOOT}.*run rt-", 6.0)], ids=["before its run", "within its run"]
)
def test_a_series_that_is_killed_goes_on_with_the_boots_that_are_left(tmp_path: Path, words: str, seconds: float) -> None:
    """Of a boot that was cut off there stays a partial run, of one that had not begun nothing."""
    run = KilledRun(tmp_path, Campaign("guest", SERIES, words, 0))
    run.kill(Moment("measure", seconds))
    again = subprocess.run(
        [sys.executable, "-m", "latlab", *SERIES],
        capture_output=True,
        text=True,
        env=run.environment,
        timeout=LIMIT_S,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert "goes on: 1 of 3 boots are done" in again.stderr
    run.check_nothing_is_left()
    store = open_store(run.environment["LATLAB_STORE"])
    runs = [store.load(head.id) for head in store.runs()]
    whole = [kept for kept in runs if kept.status is RunStatus.COMPLETE]
    assert sorted(kept.id for kept in whole) == sorted(again.stdout.split()[-1].split("+")) and len(whole) == BOOTS
    cut_off = [kept for kept in runs if kept.status is not RunStatus.COMPLETE]
    assert len(cut_off) == 1 or (cut_off == [] and words == SECOND_BOOT)
    assert all(any("latlab was killed" in problem.message for problem in kept.problems) for kept in cut_off)
