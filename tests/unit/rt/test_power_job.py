# SPDX-License-Identifier: BSD-3-Clause
"""The job of power cycles on this machine, whose /sys is a folder and whose kernel is a script."""

from __future__ import annotations

import errno
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from latlab.rt.model.power_steps import PowerStep
from latlab.rt.readers.power_steps import read_steps
from latlab.rt.targets.power_job import PowerCycle, guest_script, linux_script
from support.power_machine import PowerMachine, on_folder


@pytest.fixture(name="machine")
def fixture_machine(tmp_path: Path) -> PowerMachine:
    return PowerMachine(tmp_path)


def started(machine: PowerMachine, script: str) -> subprocess.Popen[str]:
    text = on_folder(machine.root, script).replace("/bin/latlab-timed-write", f"{machine.root}/timed-write")
    text = re.sub(r"(?<![\w.])(/out|/modules)\b", rf"{machine.root}\1", text)
    text = re.sub(r'(?<!>)>(\S*/dev/console|"\$PHASE"|\$CONSOLE)', r">>\1", text)
    text = f"PATH={machine.root}/bin:$PATH\nOUT={machine.root}/out PHASE={machine.root}/dev/console\n{text}"
    return subprocess.Popen(["sh", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=machine.root)


def run(machine: PowerMachine, script: str) -> tuple[int, str]:
    with started(machine, script) as job:
        printed, _ = job.communicate(timeout=60)
    return job.returncode, printed


def on_linux(machine: PowerMachine, power: PowerCycle, module: str = "") -> str:
    return linux_script(power, str(machine.root), module).replace("latlab-timed-write", "timed-write")


def steps(machine: PowerMachine) -> list[str]:
    return [_said(step) for step in read_steps((machine.root / "out/steps.txt").read_bytes(), "steps.txt")]


def _said(step: PowerStep) -> str:
    return step.kind if step.cpu is None else f"{step.kind} {step.cpu}{'' if step.is_done else f' {step.errno}'}"


def test_each_cpu_but_the_first_goes_off_and_on_in_turn_and_then_the_machine_sleeps(machine: PowerMachine) -> None:
    status, printed = run(machine, on_linux(machine, PowerCycle(3, 2, alarm_s=7)))
    assert status == 0
    assert printed.splitlines() == [
        "hotplug_cycles=3 online=0-2",
        "mem_sleep=deep",
        "suspends=2 success=2 fail=0",
    ]
    turn = ["offline 1", "online 1", "offline 2", "online 2", "offline 1", "online 1"]
    assert steps(machine) == [*turn, "suspend", "suspend"]
    assert machine.text("sys/class/rtc/rtc0/wakealarm") == "+7\n" and machine.text("sys/power/state") == "mem\n"
    phases = re.findall("name=([^>]*)", machine.text("dev/console"))
    assert phases == ["hotplug:0/3", "suspend:1/2", "suspend:2/2"] and "STEP" not in machine.text("dev/console")


def test_a_cpu_that_does_not_come_back_is_left_out_and_tried_once_more(machine: PowerMachine) -> None:
    machine.refuse("online cpu=1", errno.EIO, "[5.0] psci: failed to boot CPU1 (-22)\n")
    status, printed = run(machine, on_linux(machine, PowerCycle(4, 0)))
    assert status == 1 and "hotplug_cycles=4" in printed
    assert steps(machine) == [
        *("offline 1", "online 1 5"),
        *("offline 2", "online 2") * 3,
        "online 1 5",
    ]
    assert "failed to boot CPU1" in machine.text("out/kernel.log")


def test_if_no_cpu_is_left_the_cycles_end(machine: PowerMachine) -> None:
    machine.refuse("online cpu=1", errno.EIO)
    machine.refuse("offline cpu=2", errno.EBUSY)
    assert run(machine, on_linux(machine, PowerCycle(1000, 0)))[0] == 1
    assert steps(machine) == ["offline 1", "online 1 5", "offline 2 16", "online 1 5"]


def test_cpus_that_were_chosen_or_are_off_already(machine: PowerMachine) -> None:
    machine.file("sys/devices/system/cpu/cpu2/online", "0\n")
    assert run(machine, on_linux(machine, PowerCycle(2, 0)))[0] == 0
    assert steps(machine) == ["offline 1", "online 1"] * 2 and machine.text("sys/devices/system/cpu/cpu2/online") == "0\n"
    machine.file("sys/devices/system/cpu/cpu2/online", "1\n")
    machine.file("out/steps.txt", "")
    assert run(machine, on_linux(machine, PowerCycle(2, 0, cpus=(2,))))[0] == 0
    assert steps(machine) == ["offline 2", "online 2"] * 2


def test_the_kernel_s_log_begins_with_the_job(machine: PowerMachine) -> None:
    machine.refuse("offline cpu=1", errno.EBUSY, "[6.0] BUG: of now\n")
    run(machine, on_linux(machine, PowerCycle(1, 0)))
    before, after = machine.text("dev/kmsg"), machine.text("out/kernel.log")
    assert "latlab: power cycles begin" in before and "BUG: of now" in after and "power cycles begin" not in after


def test_a_job_that_is_ended_brings_its_cpus_back(machine: PowerMachine) -> None:
    machine.hang("online cpu=2")
    with started(machine, on_linux(machine, PowerCycle(4, 0))) as job:
        end = time.monotonic() + 30
        while "online cpu=2" not in machine.text("out/steps.txt") and time.monotonic() < end:
            time.sleep(0.05)
        job.send_signal(signal.SIGTERM)
        (machine.root / "refuses/online-cpu-2.hang").unlink()
        job.communicate(timeout=60)
    assert job.returncode == 143 and steps(machine)[-1] == "online 2"
    assert machine.text("sys/devices/system/cpu/cpu2/online") == "1\n"


def test_a_job_that_is_ended_between_the_two_steps_of_a_cycle_brings_the_cpu_back(machine: PowerMachine) -> None:
    machine.hang("offline cpu=2")
    with started(machine, on_linux(machine, PowerCycle(4, 0))) as job:
        end = time.monotonic() + 30
        while "offline cpu=2" not in machine.text("out/steps.txt") and time.monotonic() < end:
            time.sleep(0.05)
        job.send_signal(signal.SIGTERM)
        (machine.root / "refuses/offline-cpu-2.hang").unlink()
        job.communicate(timeout=60)
    assert job.returncode == 143 and steps(machine)[-2:] == ["offline 2", "online 2"]
    assert machine.text("sys/devices/system/cpu/cpu2/online") == "1\n"


def test_the_load_runs_during_the_cycles_and_its_early_end_is_a_problem(machine: PowerMachine) -> None:
    assert run(machine, on_linux(machine, PowerCycle(1, 0, f"touch {machine.root}/loaded")))[0] == 4
    assert (machine.root / "loaded").exists()
    assert run(machine, on_linux(machine, PowerCycle(1, 0, "sleep 60")))[0] == 0


def test_the_rings_are_read_before_they_are_full(machine: PowerMachine) -> None:
    machine.file("proc/latlab_el3/info", "known\n")
    machine.file("proc/latlab_el3/new_records", "core 0.0 cpu=0 next=1 oldest=0\n0 5 1 0\n")
    assert run(machine, on_linux(machine, PowerCycle(20, 0)))[0] == 0
    assert machine.text("out/el3-power.txt").count("read\n") == 3 and machine.text("out/el3-info.txt") == "known\n"
    assert re.findall("hotplug:([^>]*)", machine.text("dev/console")) == ["0/20", "9/20", "18/20"]


def test_a_module_that_the_kernel_refuses_is_said_and_the_cycles_go_on(machine: PowerMachine) -> None:
    machine.program("bin/insmod", "#!/bin/sh\necho wrong version >&2\nexit 1\n")
    assert run(machine, on_linux(machine, PowerCycle(1, 0), "x.ko"))[0] == 0
    assert machine.text("out/refused.txt") == "the module was not loaded: wrong version\n"


def test_a_second_job_does_not_begin_while_another_takes_cpus_off(machine: PowerMachine) -> None:
    machine.hang("offline cpu=1")
    with started(machine, on_linux(machine, PowerCycle(1, 0))) as first:
        end = time.monotonic() + 30
        while "offline cpu=1" not in machine.text("out/steps.txt") and time.monotonic() < end:
            time.sleep(0.05)
        assert run(machine, on_linux(machine, PowerCycle(1, 0)))[0] == 5
        (machine.root / "refuses/offline-cpu-1.hang").unlink()
        first.communicate(timeout=60)
    assert first.returncode == 0 and steps(machine) == ["offline 1", "online 1"]
    assert machine.text("out/refused.txt") == "another run takes CPUs of this machine off; wait for its end\n"


def test_a_cpu_that_went_off_since_it_was_asked_for_is_said(machine: PowerMachine) -> None:
    for cpu in (1, 2):
        machine.file(f"sys/devices/system/cpu/cpu{cpu}/online", "0\n")
    assert run(machine, on_linux(machine, PowerCycle(1, 0)))[0] == 5
    assert machine.text("out/refused.txt") == "no CPU is on that may be taken off\n"


def test_a_guest_announces_each_step_on_its_console_and_needs_no_firmware_of_ours(machine: PowerMachine) -> None:
    machine.program("bin/insmod", "#!/bin/sh\nexit 1\n")
    machine.file("modules/latlab_el3.ko", "")
    status, printed = run(machine, guest_script(PowerCycle(1, 1)))
    assert status == 0 and "it has no rings" in printed
    assert re.findall("STEP ([^>]*)>", machine.text("dev/console")) == ["offline cpu=1", "online cpu=1", "suspend"]
    assert not (machine.root / "out/el3-power.txt").exists()
