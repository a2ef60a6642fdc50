# SPDX-License-Identifier: BSD-3-Clause
"""Power cycles of a Linux machine whose /sys is a folder, from the survey to the run."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from latlab.core.cli import showing
from latlab.core.cli.options import Format
from latlab.core.errors import UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.store.store import Store, open_store
from latlab.rt.campaign import power as campaign
from latlab.rt.campaign.power_results import power_result
from latlab.rt.targets.power_job import PowerCycle
from support.power_machine import PowerMachine

Measure = Callable[[PowerCycle], tuple[Store, Run]]


@pytest.fixture(name="machine")
def fixture_machine(tmp_path: Path) -> PowerMachine:
    return PowerMachine(tmp_path / "machine")


@pytest.fixture(name="measure")
def fixture_measure(machine: PowerMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    monkeypatch.setattr(campaign, "timed_write_for", lambda kind: machine.root / "timed-write")

    def made(power: PowerCycle) -> tuple[Store, Run]:
        store = open_store(str(tmp_path / "store.sqlite"))
        return store, store.load(campaign.run_power_linux(store, machine.machine, power, lambda said: None))

    return made


def test_a_run_has_the_time_of_each_step_by_cpu(measure: Measure, capsys: pytest.CaptureFixture[str]) -> None:
    store, run = measure(PowerCycle(4, 1))
    assert (run.kind, run.campaign, run.status, run.problems) == ("power", "rt-power", RunStatus.COMPLETE, ())
    assert (run.conditions.hotplug_cycles, run.conditions.suspends) == (4, 1)
    found = [(one.kind.value, one.cpu, len(one.ns)) for one in power_result(store.logs(run.id)).steps]
    assert found == [("offline", 1, 2), ("offline", 2, 2), ("online", 1, 2), ("online", 2, 2), ("suspend", None, 1)]
    showing.print_run(store, run, Format.TABLE)
    screen = capsys.readouterr().out
    assert "All 9 power-state changes were done; the longest took 9.0 µs: suspend and resume" in screen
    showing.print_run(store, run, Format.CSV)
    assert "CPU on: write of 1 to `online`,2,2," in capsys.readouterr().out
    showing.print_run(store, run, Format.JSON)
    data = json.loads(capsys.readouterr().out)
    assert [len(step["ns"]) for step in data["steps"]] == [2, 2, 2, 2, 1] and data["steps"][-1]["cpu"] is None
    assert (data["run"], data["problems"], data["firmware"]) == (run.id, [], [])
    for form in (Format.MD, Format.RST, Format.HTML):
        assert "CPU off: write of 0" in showing.document_of(store, run, form)


def test_a_lost_cpu_is_the_first_sentence_with_its_call_and_code(
    machine: PowerMachine, measure: Measure, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.refuse("online cpu=2", errno.EIO, "[5.0] psci: failed to boot CPU2 (-22)\n")
    store, run = measure(PowerCycle(4, 0))
    assert run.status is RunStatus.PARTIAL
    first = "CPU 2 did not come on in its cycle 1: CPU_ON with code -22 (EINVAL); the CPU is lost"
    assert run.problems[0].message == first
    showing.print_run(store, run, Format.TABLE)
    out = capsys.readouterr().out
    assert out.startswith(f"Partial run: {first}") and out.count(first) == 1
    assert "WARNING" not in str(run.problems), "what the kernel printed before is not of this run"


def test_a_machine_that_lacks_something_is_refused_before_any_cpu_goes_off(machine: PowerMachine, measure: Measure) -> None:
    def refused(power: PowerCycle, said: str) -> None:
        with pytest.raises(UsageError, match=said):
            measure(power)

    refused(PowerCycle(1, 0, cpus=(7,)), "the kernel cannot take CPU 7 off; it offers CPU 1, CPU 2")
    machine.file("sys/power/state", "freeze\n")
    refused(PowerCycle(1, 1), "cannot suspend .* use --suspends 0")
    machine.file("sys/power/state", "mem\n")
    (machine.root / "sys/class/rtc/rtc0/wakealarm").unlink()
    refused(PowerCycle(1, 1), "no writable wakealarm")
    machine.file("sys/devices/system/cpu/cpu0/online", "1\n")
    refused(PowerCycle(1, 0, cpus=(0, 1, 2)), "one CPU must stay online")
    for cpu in (0, 1, 2):
        (machine.root / f"sys/devices/system/cpu/cpu{cpu}/online").unlink()
    refused(PowerCycle(1, 0), "offers no CPU besides CPU 0")
    assert machine.text("done") == ""
