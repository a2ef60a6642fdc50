# SPDX-License-Identifier: BSD-3-Clause
"""Slow: SIGKILL of latlab at 45 random moments, over every kind of run. What must hold is in `support.killed_runs`."""

from pathlib import Path

import pytest

from support.killed_runs import Campaign, KilledRun, Moment, moments
from support.places import ROOT

pytestmark = pytest.mark.slow

SEED = 20261122
SPEAKS = r"\w"
"""Of what shows the console of its machine: that runs."""
FIRMWARE = ROOT / "build" / "qemu_virt" / "firmware.bin"
PROGRAM = FIRMWARE.with_name("psci_stress.elf")
MACHINE = (
    *("qemu-system-aarch64", "-M", "virt,secure=on", "-cpu", "cortex-a57", "-smp", "4", "-m", "1024", "-display", "none", "-nic", "none"),
    *("-serial", "stdio", "-bios", str(FIRMWARE), "-device", f"loader,file={PROGRAM}", "-icount", "shift=4,sleep=off"),
)
RECORDER = ("--instrument", "recorder", "--threshold", "5000")
PSCI = Campaign("psci", ("run", "psci", "--iterations", "50"), "test ", 8)
PSA = Campaign("psa", ("run", "psa", "--build", "ipc_l1"), "test ", 8)
LINUX = Campaign(
    "linux", ("run", "rt", "--target", "linux", "--duration", "60s", "--load", "hackbench", "--no-probes", *RECORDER), "recorder,", 6
)
GUEST = Campaign("guest", ("run", "rt", "--duration", "60s", "--load", "idle", *RECORDER), "recorder,", 40)
FOREIGN = Campaign("foreign", ("run", "psci", "--firmware", str(FIRMWARE), "--machine", "virt", "--iterations", "1000"), "run ", 8)
WATCH = Campaign("watch", ("watch", "--", *MACHINE), SPEAKS, 8, SPEAKS)
SBI = Campaign("sbi", ("run", "calls", "--abi", "sbi", "--iterations", "1000"), SPEAKS, 8, SPEAKS)
ATTACK = Campaign("attack", ("run", "attack", "--build", "ipc_l1"), "run ", 8)
STEAL = Campaign("steal", ("run", "steal", "--target", "guest", "--duration", "60s", "--load", "idle"), "run ", 40)
CAMPAIGNS = (PSCI, PSA, LINUX, GUEST, FOREIGN, WATCH, SBI, ATTACK, STEAL)
EACH = 5
"""As many kinds of moments as there are."""
CASES = [
    pytest.param(campaign, moment, id=f"{campaign.name}-{number}-{moment.after}-{moment.seconds:.2f}")
    for campaign in CAMPAIGNS
    for number, moment in enumerate(moments(SEED + len(campaign.name), EACH, campaign.span_s))
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
