# SPDX-License-Identifier: BSD-3-Clause
"""Slow: Linux crosses power boundaries on the EL3 firmware, a thousand times by CPU hotplug and twenty by suspend, on four vCPUs."""

from collections import Counter

import pytest

from latlab.analysis.wakeups.power_cycles import PowerBoundary, passages
from latlab.campaigns.rt_results import kernel_warnings, power_records
from latlab.model.conditions import Mode
from latlab.targets.guest.guest import GuestMachine, GuestRun, run_guest
from latlab.targets.guest.guest_image import guest_image
from latlab.targets.linux.rt_job import power_script
from latlab.targets.process.console import Limits
from latlab.targets.qemu.qemu import find_qemu

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

CYCLES = 1000
SUSPENDS = 20


@pytest.fixture(scope="module")
def done() -> GuestRun:
    machine = GuestMachine(cores=4, mode=Mode.MULTI_THREAD)
    return run_guest(find_qemu(), machine, guest_image(), power_script(CYCLES, SUSPENDS), Limits(3600, 600))


def test_a_thousand_hotplug_cycles_and_twenty_suspends_come_to_an_end(done: GuestRun) -> None:
    said = done.output.files["job.log"].decode()
    assert done.outcome.sentence == "" and done.output.status == 0, said
    assert f"hotplug_cycles={CYCLES} online=0-3" in said
    assert f"suspends={SUSPENDS} success={SUSPENDS} fail=0" in said


def test_the_kernel_warns_of_nothing(done: GuestRun) -> None:
    assert kernel_warnings(done.output.files["kernel.log"]) == []


def test_the_firmware_says_nothing_but_its_greeting(done: GuestRun) -> None:
    assert done.secure.count(b"latlab EL3 firmware") == 1 and b"PANIC" not in done.secure


def test_the_rings_saw_each_crossing(done: GuestRun) -> None:
    records = power_records(done.output.files)
    seen = Counter(crossed.boundary for crossed in passages(records.cpus, records.traces))
    assert seen[PowerBoundary.OFF] >= CYCLES and seen[PowerBoundary.ON] >= CYCLES
    assert seen[PowerBoundary.SUSPEND] == seen[PowerBoundary.RESUME] == SUSPENDS


def test_every_idle_state_is_entered_and_left_by_every_cpu() -> None:
    machine = GuestMachine(cores=4, mode=Mode.MULTI_THREAD, idle_states=True)
    job = "sleep 3; for f in /sys/devices/system/cpu/cpu*/cpuidle/state[123]/usage; do echo $f $(cat $f); done"
    done = run_guest(find_qemu(), machine, guest_image(), job, Limits(600, 600))
    usage = [int(line.split()[1]) for line in done.output.files["job.log"].decode().splitlines()]
    assert len(usage) == 12 and min(usage[2::3]) > 0 and sum(usage) > 100
