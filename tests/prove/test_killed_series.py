# SPDX-License-Identifier: BSD-3-Clause
"""Slow: a series of boots of the guest that is killed in its second boot; the same command goes on with what is left of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from latlab.campaigns.rt_results import results_of
from latlab.model.enums import RunStatus
from latlab.store.store import open_store
from support.killed_runs import Campaign, KilledRun, Moment

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMIT_S = 1800
BOOTS = 3
MEASURE = ("--duration", "20s", "--load", "idle", "--instrument", "recorder", "--threshold", "5000")
SERIES = Campaign("guest", ("run", "rt", "--boots", str(BOOTS), *MEASURE), "boot 2 of 3", 0)


@pytest.mark.parametrize("seconds", [0.1, 9.0])
def test_a_series_that_is_killed_goes_on_with_the_boots_that_are_left(tmp_path: Path, seconds: float) -> None:
    """Of the boot that was cut off there stays a partial run; all whole boots of the guest have the same samples."""
    run = KilledRun(tmp_path, SERIES)
    run.kill(Moment("measure", seconds))
    again = subprocess.run(
        [sys.executable, "-m", "latlab", *SERIES.arguments],
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
    (cut_off,) = [kept for kept in runs if kept.status is not RunStatus.COMPLETE]
    assert any("latlab was killed" in problem.message for problem in cut_off.problems)
    digests = set()
    for kept in whole:
        ((_, result),) = results_of(kept, store.logs(kept.id))
        assert result.recorder is not None
        digests.add(tuple(cpu.digest for cpu in result.recorder.cpus))
    assert len(digests) == 1
