# SPDX-License-Identifier: BSD-3-Clause
"""Slow: Linux crosses power boundaries on the EL3 firmware, two hundred times by CPU hotplug and ten by suspend, on four vCPUs."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from latlab.core.model.conditions import Mode
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.power_cycles import PowerBoundary, passages
from latlab.rt.campaign.power import run_power_guest
from latlab.rt.campaign.power_results import power_records, power_result
from latlab.rt.campaign.results import kernel_warnings
from latlab.rt.model.power_steps import StepKind
from latlab.rt.targets.guest.guest import GuestMachine, GuestRun, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from latlab.rt.targets.power_job import PowerCycle, guest_script

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

CYCLES = 200
SUSPENDS = 10


@pytest.fixture(scope="module")
def done() -> GuestRun:
    machine = GuestMachine(cores=4, mode=Mode.MULTI_THREAD)
    return run_guest(find_qemu(), machine, guest_image(), guest_script(PowerCycle(CYCLES, SUSPENDS)), Limits(3600, 600))


def test_all_hotplug_cycles_and_suspends_come_to_an_end(done: GuestRun) -> None:
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


ROOT = Path(__file__).parents[3]
LOST_CORE, LOST_AT = 2, 3
STARTS = "    if (!psci.platform->core_on(core->index)) {"
LOSES = f"""\
    static unsigned starts;

    if (core->index == {LOST_CORE}U && ++starts == {LOST_AT}U) {{
        return PSCI_SUCCESS;
    }}
"""


@pytest.fixture(scope="module")
def losing_firmware(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of EL3 whose CPU_ON reports success for the third start of core 2 and starts nothing. The first start is the boot's."""
    tree = tmp_path_factory.mktemp("losing")
    for name in ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml"):
        shutil.copy(ROOT / name, tree)
    for name in ("cmake", "firmware", "probe"):
        shutil.copytree(ROOT / name, tree / name)
    source = tree / "firmware/el3/psci/psci_on_off.c"
    text = source.read_text("utf-8")
    assert text.count(STARTS) == 1
    source.write_text(text.replace(STARTS, LOSES + STARTS), "utf-8")
    subprocess.run(["cmake", "--preset", "qemu_virt"], cwd=tree, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", "--preset", "qemu_virt"], cwd=tree, check=True, capture_output=True)
    return tree / "build/qemu_virt"


def test_a_core_that_the_firmware_loses_is_named_with_its_cycle_and_call(losing_firmware: Path, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    machine = GuestMachine(cores=4, mode=Mode.MULTI_THREAD, firmware=losing_firmware)
    run = store.load(run_power_guest(store, find_qemu(), guest_image(), machine, PowerCycle(12, 0), Limits(600, 600)))
    assert run.problems[0].message == f"CPU {LOST_CORE} did not come on in its cycle {LOST_AT - 1}: CPU_ON without a code; the CPU is lost"
    steps = power_result(store.logs(run.id)).steps
    assert {one.cpu: len(one.ns) for one in steps if one.kind is StepKind.ONLINE} == {1: 5, LOST_CORE: 1, 3: 5}
