# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the files of an rt run, and what is left of them where a part is damaged."""

from __future__ import annotations

import gzip

import pytest

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock
from latlab.core.model.run import Run
from latlab.core.readers.event_table import event_table
from latlab.rt.campaign.results import (
    NO_CAUSES,
    busy_facts,
    kernel_warnings,
    measured_on_facts,
    new_run,
    result_of,
    results_of,
    workload_conditions,
)
from latlab.rt.pages.late_causes import cause_table
from latlab.rt.targets.rt_job import Instrument, Workload
from support import recorder_files
from support.places import RT_DATA
from support.power_rings import CALLER, ring

RECORD = recorder_files.whole([[1000, 2000, 3000]])
LATE_RECORD = recorder_files.whole([[1000, 450_000]], [(recorder_files.START_NS + 500_000_000, 0, 450_000, 0, 2)])


def run(**conditions: object) -> Run:
    return new_run("rt", "guest", "x", 1, Conditions(mode=Mode.DETERMINISTIC, **conditions))  # type: ignore[arg-type]


def test_time_is_counted_by_the_mode() -> None:
    assert (run().kind, run().tick.clock, run().tick.value) == ("wakeups", Clock.INSTRUCTIONS, 0.5)
    in_real_time = new_run("rt", "linux", "x", 1, Conditions(mode=Mode.REAL))
    assert (in_real_time.tick.clock, in_real_time.tick.value) == (Clock.TIME, 1.0)


@pytest.mark.parametrize(
    "line", ["WARNING: CPU: 0", "BUG: x", "Internal error: Oops", "rcu: INFO: stall", "rcu_preempt detected", "soft lockup", "Call trace:"]
)
def test_a_line_of_the_kernel_that_should_not_be_there_is_quoted(line: str) -> None:
    assert kernel_warnings(f"  [1] {line}  \n[2] warning: small\n".encode()) == [f"the kernel warned: [1] {line}"]


def test_a_firmware_with_another_event_table_attributes_nothing_and_says_so() -> None:
    files = {"recorder.rec": RECORD, "el3-records.txt": ring(0, CALLER).encode()}
    assert result_of(run(), files).problems == (
        f"the firmware's event table is unknown, this latlab has {event_table().hash}; outliers are not attributed",
    )


def test_the_conditions_of_an_experiment_are_its_folders_and_come_in_the_order_of_their_names() -> None:
    files = {"b/recorder.rec": RECORD, "a/recorder.rec": RECORD, "c/console": b"x"}
    assert [name for name, _ in results_of(run(), files)] == ["a", "b"]
    assert [name for name, _ in results_of(run(), {"recorder.rec": RECORD, "job.log": b""})] == [""]
    with pytest.raises(DataError, match="no file of a recorder, cyclictest or rtla came back"):
        results_of(run(), {"c/console": b"x"})


def test_threads_of_an_emulator_have_no_causes_and_the_run_says_why() -> None:
    """Two thousand late wake-ups of a machine whose host stopped were named one by one."""
    files = {"recorder.rec": RECORD, "kernel-events.bin": EVENTS}
    threads = new_run("rt", "guest", "x", 2, Conditions(mode=Mode.MULTI_THREAD))
    assert result_of(run(), files).attributed is not None
    found = result_of(threads, files)
    assert found.attributed is None and NO_CAUSES in cause_table(found, is_exact=False).notes


def test_a_kernel_that_preempts_no_kernel_code_has_that_below_its_causes() -> None:
    """Also where nothing can tell a long system call from a hypervisor."""
    files = {"recorder.rec": LATE_RECORD, "kernel-events.bin": EVENTS}
    for model, is_noted in (("none", True), ("voluntary", True), ("full", False), (None, False)):
        notes = cause_table(result_of(run(preemption=model), files), is_exact=False).notes
        assert any(f"Preemption model {model}: " in note and "preempt=full" in note for note in notes) is is_noted


def test_other_measurements_that_began_meanwhile_or_were_there_at_the_end_are_named() -> None:
    files = {"recorder.rec": LATE_RECORD, "beside.txt": b"another latlab run began\n1 cyclictest\nanother latlab run began\n"}
    assert "Other measurements disturbed this one: another latlab run began; 1 cyclictest" in result_of(run(), files).sight
    assert not any("disturbed" in sentence for sentence in result_of(run(), {"recorder.rec": LATE_RECORD}).sight)


def test_late_wake_ups_of_which_some_are_missing_have_no_period() -> None:
    """Those behind each checkpoint are kept, so they come once a second."""
    late = [(recorder_files.START_NS + at * 1_000_000_000 + 500_000, 0, 500_000, 0, 2) for at in range(1, 60)]
    last = [recorder_files.tally([500_000] * 59, dropped=dropped) for dropped in (0, 1)]
    for tally, is_periodic in zip(last, (True, False), strict=True):
        head = recorder_files.header(1) + recorder_files.slot(1, [tally], False)
        data = head + recorder_files.slot(2, [tally], True, outliers=59) + recorder_files.batch(late)
        assert (result_of(run(), {"recorder.rec": data}).period is not None) is is_periodic


def test_a_file_that_cannot_be_read_costs_the_others_nothing() -> None:
    found = result_of(run(), {"recorder.rec": RECORD, "cyclictest.txt": b"nonsense\n"})
    assert [one.tool for one in found.wakeups] == ["recorder"] and "cyclictest.txt" in found.problems[0]
    with pytest.raises(DataError, match=r"cyclictest\.txt"):
        result_of(run(), {"cyclictest.txt": b"nonsense\n"})


EVENTS = gzip.decompress((RT_DATA / "kernel-events-x86.bin.gz").read_bytes())
SPIKES = b"T: 0 ( 11) P:80 I:200 C:  10 Min:  1 Act:  2 Avg:  3 Max:  40\nT: 1 ( 12) P:80 I:200 C:  10 Min:  1 Act:  2 Avg:  3 Max:  9\n"
SPIKES += b"T: 0 Spike:  40: TS:  5000\nT: 1 Spike:  9: TS:  6000\nT: 7 Spike:  5: TS:  7000\n"


def test_what_the_kernel_did_is_told_of_late_wake_ups_and_its_damage_beside_it() -> None:
    found = result_of(run(), {"recorder.rec": RECORD, "kernel-events.bin": EVENTS})
    assert (found.problems, found.attributed) == ((), ()) and found.sight != ()
    cut = result_of(run(), {"recorder.rec": RECORD, "kernel-events.bin": EVENTS[:-30]})
    assert len(cut.problems) >= 1 and all("kernel-events.bin" in problem for problem in cut.problems)
    none = result_of(run(), {"recorder.rec": RECORD, "kernel-events.bin": b"nonsense"})
    assert none.attributed is None and none.sight == ()
    assert len(none.problems) == 1 and none.problems[0].startswith("kernel-events.bin: begins with b'nonsense'")


def test_threads_of_cyclictest_stand_on_the_cpus_that_were_asked_for_in_their_order() -> None:
    (found,) = result_of(run(affinity=(3, 5)), {"cyclictest.txt": SPIKES}).wakeups
    assert [cpu.number for cpu in found.cpus] == [3, 5]
    assert [(late.cpu, late.late_ns) for late in found.outliers] == [(3, 40_000), (5, 9_000), (7, 5_000)]


@pytest.mark.parametrize("affinity", [None, (), (3,)])
def test_threads_keep_their_numbers_where_fewer_cpus_were_asked_for(affinity: tuple[int, ...] | None) -> None:
    (found,) = result_of(run(affinity=affinity), {"cyclictest.txt": SPIKES}).wakeups
    assert [cpu.number for cpu in found.cpus] == [0, 1] and [late.cpu for late in found.outliers] == [0, 1, 7]


def test_a_recorder_names_its_cpus_itself() -> None:
    (found,) = result_of(run(affinity=(4,)), {"recorder.rec": RECORD}).wakeups
    assert [cpu.number for cpu in found.cpus] == [0]


def test_what_was_due_is_known_of_a_tool_that_does_not_say_it_where_duration_and_interval_are_known() -> None:
    (known,) = result_of(run(interval_ns=100_000, duration_s=1), {"cyclictest.txt": SPIKES}).wakeups
    assert known.interval_ns == 100_000
    for missing in ({"interval_ns": 100_000}, {"duration_s": 1}):
        (unknown,) = result_of(run(**missing), {"cyclictest.txt": SPIKES}).wakeups
        assert unknown.interval_ns == 200_000


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("10 0 10 80 0 0 0 0 9 9", "20 0 20 140 20 0 0 0 99 99", (("CPUs busy", "20 %"),)),
        ("0 0 0 0 0 0 0 0", "1 1 1 1 1 1 1 1", (("CPUs busy", "75 %"),)),
        ("1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1", ()),
        ("1 1 1 1 1 1 1", "2 2 2 2 2 2 2", ()),
    ],
)
def test_how_busy_the_cpus_were_is_what_was_neither_idle_nor_waiting(before: str, after: str, said: tuple[tuple[str, str], ...]) -> None:
    assert busy_facts({"cpu-time.txt": f"cpu  {before}\ncpu  {after}\n".encode()}) == said
    assert busy_facts({"cpu-time.txt": f"cpu  {before}\n".encode()}) == () == busy_facts({})


def test_a_machine_is_told_by_what_was_collected_and_its_heat_by_both() -> None:
    zone = b"/sys/class/thermal/thermal_zone0/temp:%d\n"
    assert measured_on_facts({"machine.txt": zone % 40_000}) == (("temperature", "zone 0 40 \u00b0C"),)
    assert measured_on_facts({"machine.txt": zone % 40_000, "heat.txt": zone % 50_000}) == (("temperature", "zone 0 40 to 50 \u00b0C"),)
    assert measured_on_facts({"heat.txt": zone % 50_000}) == ()


@pytest.mark.parametrize(
    ("instrument", "load", "commands"),
    [
        (Instrument.RECORDER, "idle", ["recorder"]),
        (Instrument.CYCLICTEST, "idle", ["cyclictest"]),
        (Instrument.BOTH, "hackbench", ["hackbench", "cyclictest", "recorder"]),
    ],
)
def test_the_conditions_of_a_workload_say_every_command_that_ran(instrument: Instrument, load: str, commands: list[str]) -> None:
    workload = Workload(7, load, instrument, interval_us=300, priority=70, affinity=(1, 2), idle_states=True)
    said = workload_conditions(workload, Mode.REAL)
    assert len(said.commands) == len(commands)
    assert all(name in command for name, command in zip(commands, said.commands, strict=True))
    assert said.commands[0].endswith(" &") == (load != "idle") and not said.commands[-1].endswith("&")
    assert (said.mode, said.duration_s, said.interval_ns, said.priority) == (Mode.REAL, 7, 300_000, 70)
    assert (said.affinity, said.idle_states, said.load) == ((1, 2), True, workload.load_command)
    assert workload_conditions(Workload(7), Mode.REAL).affinity is None


def test_without_the_recorder_nobody_is_blamed_whatever_was_traced() -> None:
    traced = {"ftrace.txt": b"", "kernel-events.bin": EVENTS}
    found = result_of(run(), {"cyclictest.txt": SPIKES, **traced})
    assert (found.attributed, found.exposure) == (None, ()) and [one.tool for one in found.wakeups] == ["cyclictest"]
    assert result_of(run(), {"recorder.rec": RECORD, **traced}).attributed == ()
