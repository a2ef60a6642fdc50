# SPDX-License-Identifier: BSD-3-Clause
"""Whose calls the thefts were: the steal meter in the guest, and the probe outside of the same boot as the one that knows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from latlab.benchmarks.analysis.amount_findings import StolenBy
from latlab.rt.analysis.by_whom import by_whom, theft_sizes
from latlab.rt.readers.steal_meter import read_stolen
from latlab.rt.targets.guest.guest import GuestMachine
from latlab.rt.targets.guest.guest_image import guest_image
from support.probed_guest import probed_guest

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

INSTRUCTIONS_A_NS = 0.5
READS, INFOS = 6, 4
JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
insmod /modules/arm_smccc_trng.ko || exit 3
latlab-steal -o /out/steal.txt -t 0 -D 1 &
meter=$!
sleep 0.3
for i in $(seq {INFOS}); do cat /proc/latlab_el3/info >/dev/null; sleep 0.01; done
for i in $(seq {READS}); do dd if=/dev/hwrng of=/dev/null bs=64 count=1 2>/dev/null; done
wait $meter
"""


def test_every_theft_is_put_down_to_calls_that_the_probe_saw_in_the_same_boot(tmp_path: Path) -> None:
    probed = probed_guest(GuestMachine(cpu="cortex-a53"), guest_image(), JOB, tmp_path)
    found = read_stolen(probed.run.output.files["steal.txt"], "steal.txt")
    sizes = theft_sizes(found, INSTRUCTIONS_A_NS)
    told = [one.finding for one in by_whom("idle", sizes, probed.kinds) if isinstance(one.finding, StolenBy)]
    by_name: Counter[str] = Counter()
    for one in told:
        (call,) = one.calls
        by_name[call.name] += one.thefts
    assert by_name["TRACE_INFO"] == INFOS and READS <= by_name["TRNG_RND"] <= READS + 2, "the kernel takes a seed by itself now and then"
    assert set(by_name) == {"TRACE_INFO", "TRNG_RND"}
