# SPDX-License-Identifier: BSD-3-Clause
"""Slow: SIGKILL of latlab at a hundred random moments, over every kind of run. What must hold is in `support.killed_runs`."""

from pathlib import Path

import pytest

from support.killed_runs import Campaign, KilledRun, Moment, moments

pytestmark = pytest.mark.slow

SEED = 20261122
RECORDER = ("--instrument", "recorder", "--threshold", "5000")
PSCI = Campaign("psci", ("run", "psci", "--iterations", "50"), "test ", 8)
PSA = Campaign("psa", ("run", "psa", "--build", "ipc_l1"), "test ", 8)
LINUX = Campaign(
    "linux", ("run", "rt", "--target", "linux", "--duration", "60s", "--load", "hackbench", "--no-probes", *RECORDER), "recorder,", 6
)
GUEST = Campaign("guest", ("run", "rt", "--duration", "60s", "--load", "idle", *RECORDER), "recorder,", 40)
TRNG = Campaign("rt-trng", ("run", "rt-trng", "--duration", "60s"), "recorder,", 40)
COUNTS = ((PSCI, 30), (PSA, 20), (LINUX, 30), (GUEST, 12), (TRNG, 8))
CASES = [
    pytest.param(campaign, moment, id=f"{campaign.name}-{number}-{moment.after}-{moment.seconds:.2f}")
    for campaign, count in COUNTS
    for number, moment in enumerate(moments(SEED + len(campaign.name), count, campaign.span_s))
]


@pytest.mark.realtime
@pytest.mark.parametrize(("campaign", "moment"), CASES)
def test_what_was_measured_until_latlab_was_killed_is_kept_and_nothing_is_left(
    tmp_path: Path, campaign: Campaign, moment: Moment, capsys: pytest.CaptureFixture[str]
) -> None:
    run = KilledRun(tmp_path, campaign)
    run.kill(moment)
    found = run.check()
    with capsys.disabled():
        print(f" {found}", end="")
