"""Slow: Linux crosses power boundaries on the EL3 firmware, a thousand times by CPU hotplug and twenty by suspend, on four vCPUs."""

import pytest

from latlab.catalog import event_table
from latlab.formats.el3_records import read_records
from latlab.rt import kernel_warnings
from latlab.targets.console import Limits
from latlab.targets.guest import GuestMachine, GuestRun, run_guest
from latlab.targets.guest_image import guest_image
from latlab.targets.qemu import Mode, find_qemu
from latlab.targets.rt_job import power_script

CYCLES = 1000
SUSPENDS = 20


@pytest.fixture(scope="module")
def done() -> GuestRun:
    machine = GuestMachine(cores=4, mode=Mode.MULTI_THREAD, idle_states=True)
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


def test_the_rings_hold_the_last_crossings(done: GuestRun) -> None:
    records = read_records(done.output.files["el3-records.txt"].decode(), event_table(), "el3-records.txt")
    assert records.problems == () and len(records.cpus) == 4
    assert all(any(record.event == "ENTER_HW_LOW_PWR" for record in trace.records) for trace in records.traces)
