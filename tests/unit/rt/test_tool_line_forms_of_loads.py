# SPDX-License-Identifier: BSD-3-Clause
"""Forms of line and of JSON that the sources of load generators, benchmarks and event traces print: read, or refused by name."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, read_amounts, read_wakeups
from support.places import TOOLS_DATA
from support.tool_texts import THREAD_METRIC

HACKBENCH = "".join((TOOLS_DATA / "hackbench.txt").read_text("utf-8").splitlines(keepends=True)[:3])
INTERRUPTED = HACKBENCH.replace(
    "Time:",
    "Signal 2 caught, longjmp'ing out!\nlongjmp'ed out, reaping children\nsending SIGTERM to all child processes\n"
    "signaling 80 worker threads to terminate\nTime:",
)
PERF_MESSAGING = """# Running 'sched/messaging' benchmark:
# 20 sender and receiver threads per group
# 4 groups == 160 threads run

     Total time: 0.124 [sec]
"""
PERF_PIPE = """# Running 'sched/pipe' benchmark:
# Executed 500 pipe operations between two processes

     Total time: 0.015 [sec]

      31.008000 usecs/op
"""
PERF_SCHED = (TOOLS_DATA / "perf_sched.txt").read_text("utf-8")


SCHED = "".join(gzip.decompress((TOOLS_DATA / "sched_events.txt.gz").read_bytes()).decode().splitlines(keepends=True)[:401])
EVENT = re.compile(r"^(?P<task>.{16}-\d+ *)\[(?P<cpu>\d+)\] (?P<time>[\d.]+): (?P<rest>sched_.*)$", re.MULTILINE)


def wakeups(text: str) -> Wakeups:
    assert not holds_amounts(text.encode(), "x")
    return read_wakeups(text.encode(), "x")


def amounts(text: str) -> Benchmark:
    assert holds_amounts(text.encode(), "x")
    return read_amounts(text.encode(), "x")


def has_own_lines_only(found: Wakeups | Benchmark) -> bool:
    return re.fullmatch(r"\d+ of [^;]+", dict(found.facts)["lines"]) is not None


def values_of(found: Benchmark) -> dict[str, tuple[float, ...]]:
    return {one.name: one.values for one in found.amounts}


def test_the_time_until_a_signal_is_no_time_of_hackbench() -> None:
    with pytest.raises(DataError, match="x:7: a signal interrupted this run of hackbench; its time is left out"):
        amounts(INTERRUPTED)
    found = amounts(HACKBENCH + INTERRUPTED + HACKBENCH)
    assert [one.values for one in found.amounts] == [(3_045_000_000.0, 3_045_000_000.0)]
    assert found.problems == ("x:10: a signal interrupted this run of hackbench; its time is left out",) and has_own_lines_only(found)


@pytest.mark.parametrize("line", ["SENDER: write (error: Connection reset by peer)", "CLIENT: ready write (error: Broken pipe)"])
def test_a_run_whose_worker_failed_has_no_time(line: str) -> None:
    found = amounts(HACKBENCH + HACKBENCH.replace("Time:", f"{line}\nTime:"))
    assert [len(one.values) for one in found.amounts] == [1] and has_own_lines_only(found)
    assert found.problems[0].startswith(f"x:7: a worker of this run of hackbench failed ({line[:30]}")


def test_a_hackbench_that_could_not_start_is_known_by_its_lines() -> None:
    lines = "fork() (error: Resource temporarily unavailable)\n12 children started.  Expected 40\nNo measurements available\n"
    found = amounts(HACKBENCH + HACKBENCH.split("Time:")[0] + lines)
    assert len(found.problems) == 1 and "failed (fork()" in found.problems[0] and has_own_lines_only(found)


def test_settings_of_the_hackbench_before_rt_tests_are_no_repetitions_of_each_other() -> None:
    found = amounts("Running with 10*40 (== 400) tasks.\nTime: 0.310\nRunning with 20*40 (== 800) tasks.\nTime: 0.620\n")
    assert values_of(found) == {"10 groups of 40 tasks": (310e6,), "20 groups of 40 tasks": (620e6,)} and has_own_lines_only(found)


def test_the_hackbench_of_perf_is_read_and_its_other_benchmarks_are_not() -> None:
    found = amounts(PERF_MESSAGING + PERF_MESSAGING.replace("0.124", "1.500"))
    assert values_of(found) == {"perf bench, 4 groups, 160 threads": (124e6, 1500e6)} and has_own_lines_only(found)
    both = amounts(PERF_MESSAGING + PERF_PIPE)
    assert values_of(both) == {"perf bench, 4 groups, 160 threads": (124e6,)}
    with pytest.raises(DataError, match="printed no time"):
        amounts(PERF_MESSAGING.split("     Total")[0])
    with pytest.raises(DataError, match=r"a worker of this run of hackbench failed \(perf: SENDER: write: Broken pipe\)"):
        amounts(PERF_MESSAGING.replace("     Total", "perf: SENDER: write: Broken pipe\n     Total"))


def test_a_figure_of_perf_sched_as_wide_as_its_column_is_read() -> None:
    wide = PERF_SCHED.replace("|    841.452 ms |      550 |", "|1499451.694 ms |123456550 |")
    total = wide.replace("|     3392 |", "|123459392 |")
    assert values_of(amounts(total)) == values_of(amounts(PERF_SCHED)) and amounts(total).problems == ()
    assert "the tasks have 123459392 switches, `TOTAL:` has 3392, so rows are missing" in amounts(wide).problems[0]


def test_events_that_perf_lost_make_the_run_partial() -> None:
    lost = "  INFO: 1.250% lost events (5 out of 400, in 2 chunks)\n"
    bugs = "  INFO: 0.500% state machine bugs (2 out of 400) (due to lost events?)\n"
    found = amounts(PERF_SCHED + lost + bugs)
    assert len(found.problems) == 1 and "perf lost events" in found.problems[0] and has_own_lines_only(found)
    assert dict(found.facts)["perf's complaints"].endswith("(12 out of 3); 0.500% state machine bugs (2 out of 400) (due to lost events?)")
    warned = amounts("Warning:\nProcessed 4123 events and lost 3 chunks!\n\nCheck IO/CPU overload!\n\n" + PERF_SCHED)
    assert "lost 3 chunks" in warned.problems[0]


def test_the_other_table_of_perf_sched_is_refused_by_name() -> None:
    text = "Samples do not have callchains.\n           time    cpu  task name                       wait time  sch delay   run time\n"
    with pytest.raises(DataError, match="perf sched timehist, which has no switches; import the perf"):
        wakeups(text + "    123.456789 [0001]  sleep[4711]                         0.000      0.012      0.250\n")


def test_a_task_without_an_id_is_a_task() -> None:
    row = next(line for line in PERF_SCHED.splitlines(keepends=True) if "sleep:31501" in line)
    found = amounts(PERF_SCHED.replace(row, row.replace("sleep:31501 ", ":-1:-1      ")))
    assert ":-1 average delay" in values_of(found) and found.problems == ()


def sched(template: str) -> str:
    """The trace with its events in another form."""
    return EVENT.sub(template, SCHED)


@pytest.mark.parametrize(
    "template",
    [
        r"\g<task>[\g<cpu>] dNLh4.1 \g<time>: \g<rest>",
        r"\g<task>[\g<cpu>] d..2.... \g<time>: \g<rest>",
        r"\g<task>[\g<cpu>] \g<time>: (+15522) \g<rest>",
        r"\g<task>  \g<cpu>d..2. \g<time>: \g<rest>",
    ],
    ids=["lazy preemption", "eight flags", "--ts-diff", "-l"],
)
def test_every_form_of_an_event_is_read(template: str) -> None:
    plain, found = wakeups(SCHED), wakeups(sched(template))
    assert [(cpu.number, cpu.got, cpu.maximum_ticks) for cpu in found.cpus] == [
        (cpu.number, cpu.got, cpu.maximum_ticks) for cpu in plain.cpus
    ]
    assert sum(cpu.got for cpu in plain.cpus) > 50 and found.facts[0] == plain.facts[0] and has_own_lines_only(found)


def test_latencies_that_trace_cmd_computes_itself_are_known_lines() -> None:
    text = "CPU 3 is empty\n" + SCHED.replace("next_prio=19\n", "next_prio=19 Latency: 8.366 usecs\n")
    text += "\nAverage wakeup latency: 8.366 usecs\nMaximum Latency: 19.279 usecs at timestamp: 39821.1\n"
    text += "Minimum Latency: 1.703 usecs at timestamp: 39821.000000\n\nRT task timings:\n"
    assert wakeups(text).cpus[0].maximum_ticks == wakeups(SCHED).cpus[0].maximum_ticks and has_own_lines_only(wakeups(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SCHED + SCHED, "x:402: a second run of trace-cmd report .'cpus=2': another trace, file or buffer., the first is at line 1"),
        (SCHED + SCHED.split("\n", 1)[1].replace("] 3982", "] 1982"), "x:402: a second run of trace-cmd report .the time falls."),
        ("a.dat: cpus=2\nb.dat: cpus=2\n" + SCHED.split("\n", 1)[1], "x:2: a second run of trace-cmd report"),
        (sched(r"\g<task>[\g<cpu>] 81283718211: \g<rest>"), "x: time stamps in ticks"),
        (sched(r"\g<task>[\g<cpu>]-0x1 \g<time>: \g<rest>"), "x: the raw fields of trace-cmd report -R"),
        (SCHED.replace(" prev_comm", " [FAILED TO PARSE] prev_comm"), "x:2: trace-cmd failed to parse sched_switch"),
    ],
    ids=["two reports", "falling time", "two files", "ticks", "raw", "not parsed"],
)
def test_a_report_that_gives_no_latencies_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        wakeups(text)


def test_a_truncated_file_of_trace_cmd_is_partial() -> None:
    found = wakeups("File possibly truncated. Need at least 8192, but file size is 4096.\n" + SCHED)
    assert found.problems == ("x:1: trace-cmd says that its file is truncated",) and not found.complete


def test_a_wake_up_of_a_thread_that_was_awake_is_none() -> None:
    waking = "  a-1 [000] d..4. 1.00000{}: sched_wakeup: rt:9 [10] success={} CPU:001\n"
    switch = "  b-2 [001] d..2. 1.0000{}: sched_switch: b:2 [120] R ==> rt:9 [10]\n"
    away = "  rt-9 [001] d..2. 1.000020: sched_switch: rt:9 [10] R ==> b:2 [5]\n"
    found = wakeups(
        waking.format(1, 1) + switch.format("09") + away + waking.format(21, 0).replace("1.0000021", "1.000021") + switch.format(50)
    )
    assert [(cpu.got, cpu.maximum_ticks) for cpu in found.cpus] == [(1, 8000)]


def test_a_period_of_thread_metric_that_the_console_missed_changes_no_other() -> None:
    head = "**** Thread-Metric Message Processing Test **** Relative Time: {}\nTime Period Total:  {}\n\n"
    late = "".join(head.format(30 * number, 500 + number) for number in (10, 11, 13))
    found = amounts(late)
    assert [(one.values, one.over_s) for one in found.amounts] == [((510.0, 511.0, 513.0), 30.0)]
    other = amounts(late + head.format(10, 170) + head.format(20, 171))
    assert [(one.values, one.over_s) for one in other.amounts] == [((510.0, 511.0, 513.0), 30.0), ((170.0, 171.0), 10.0)]


def test_counters_and_details_of_thread_metric_are_known_lines() -> None:
    counters = "".join(f"tm_cooperative_thread_{thread}_counter: 4711\n" for thread in range(5))
    error = "ERROR: Invalid counter value(s). Preemptive counters should not be more that 1 different than the average!\n"
    details = "   Average: 120, 0: 120, 1: 120, 2: 120, 3: 120, 4: 118\n"
    found = amounts(THREAD_METRIC.replace("Time Period", f"{counters}{error}{details}Time Period", 1))
    assert values_of(found) == values_of(amounts(THREAD_METRIC)) and has_own_lines_only(found)
    assert found.problems[0].startswith("x:7: the test says: Invalid counter value(s). Preemptive")


def suite(**changed: object) -> dict[str, object]:
    record = {"metric": "sem.give", "nanoseconds": "1116"}
    whole = {
        "name": "benchmark.kernel.latency",
        "arch": "arm",
        "platform": "frdm_k64f",
        "toolchain": "zephyr",
        "run_id": "1f",
        "retries": 0,
    }
    return {**whole, "runnable": True, "status": "passed", "execution_time": "1.00", "recording": [record], **changed}


def twister(*suites: dict[str, object]) -> Benchmark:
    return amounts(json.dumps({"environment": {"os": "Linux", "zephyr_version": "v4.2.0"}, "testsuites": suites}))


def test_suites_of_two_toolchains_are_no_repetitions_of_each_other() -> None:
    found = twister(suite(), suite(toolchain="llvm", retries=2))
    assert [one.test for one in found.amounts] == ["zephyr/benchmark.kernel.latency", "llvm/benchmark.kernel.latency"]
    assert dict(found.facts)["retries"] == "llvm/benchmark.kernel.latency (2)"
    assert [one.test for one in twister(suite(), suite()).amounts] == ["benchmark.kernel.latency"]


@pytest.mark.parametrize(
    ("status", "said"), [("failed", "latency failed"), (None, "latency has no status"), ("skipped", "latency skipped")]
)
def test_a_suite_that_did_not_pass_makes_the_run_partial(status: str | None, said: str) -> None:
    (problem,) = twister(suite(status=status)).problems
    assert f"{said}; its recording is kept" in problem


def test_objects_within_a_record_are_left_out_by_name() -> None:
    record = {"metric": "sem.give", "nanoseconds": "1116", "parts": {"enter": 3, "leave": 4}}
    found = twister(suite(recording=[record, {"metric": "sem.take", "nanoseconds": ["44", "45"], "parts": [{"enter": 3}, {"enter": 5}]}]))
    assert values_of(found) == {"sem.give": (1116.0,), "sem.take": (44.0, 45.0)}
    assert [problem.split(": ", 2)[2] for problem in found.problems] == [
        "parts is an object of the suite's own (`as_json`); it is left out"
    ] * 2
    csv = '"board","parts","ram_kb"\n"frdm","{\'enter\': 3}","12"\n"k64","[{\'enter\': 3}, {\'enter\': 4}]",""\n'
    assert values_of(amounts(csv)) == {"frdm ram_kb": (12.0,)} and "parts is an object" in amounts(csv).problems[0]


def google(*entries: dict[str, object], **context: object) -> Benchmark:
    return amounts(json.dumps({"context": {"num_cpus": 2, **context}, "benchmarks": entries}))


def timed(name: str, real_time: float = 12.5, **more: object) -> dict[str, object]:
    whole = {"name": name, "run_name": name, "run_type": "iteration", "iterations": 100, "real_time": real_time, "cpu_time": 12.0}
    return {**whole, "time_unit": "ns", **more}


def test_a_skipped_benchmark_took_no_time_of_zero() -> None:
    skipped = timed("read", 0.0, skipped=True, skip_message="no such device", iterations=0)
    found = google(timed("sum"), skipped)
    assert values_of(found) == {"sum": (12.5,)} and dict(found.facts)["skipped benchmarks"] == "read (no such device)"
    with pytest.raises(DataError, match=r"every benchmark was skipped: read \(no such device\)"):
        google(skipped)


def test_aggregates_without_repetitions_are_named() -> None:
    mean = timed("sum_mean", run_name="sum", run_type="aggregate", aggregate_name="mean", aggregate_unit="time")
    (problem,) = google(timed("copy"), mean).problems
    assert problem == "x: 'sum' has aggregates only; run it without --benchmark_report_aggregates_only"
    with pytest.raises(DataError, match="'sum' has aggregates only"):
        google(mean)


def test_aggregates_of_a_release_without_run_types_are_no_benchmarks() -> None:
    names = ("sum", "sum_mean", "go_mean")
    old = [dict[str, object](name=name, iterations=9, real_time=1.5, cpu_time=1.0, time_unit="us") for name in names]
    big_o: dict[str, object] = {"name": "sum_BigO", "cpu_coefficient": 1.0, "real_coefficient": 2.0, "big_o": "N", "time_unit": "us"}
    found = google(*old, big_o, {"name": "sum_RMS", "rms": 0.02})
    assert values_of(found) == {"sum": (1500.0,), "go_mean": (1500.0,)} and found.problems == ()


def test_counters_and_the_build_of_googles_library_are_kept_as_facts() -> None:
    entry = timed("sum", bytes_per_second=1e9, allocs_per_iter=2.0, net_heap_growth=0, label="warm")
    facts = dict(google(entry, library_build_type="debug", library_version="v1.9.5", aslr_enabled=True).facts)
    assert facts["counters that are not read"] == "bytes_per_second, allocs_per_iter, net_heap_growth"
    assert (facts["library_build_type"], facts["library_version"], facts["aslr_enabled"]) == ("debug", "v1.9.5", "True")


def test_what_googles_library_prints_without_a_time_in_json_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="the names that --benchmark_list_tests prints"):
        google({"name": "sum"}, {"name": "copy"})
    table = "Running ./b\n---------\nBenchmark           Time             CPU   Iterations\n---------\nsum   12.5 ns   12.0 ns   100\n"
    for text in (table, 'name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label\n"sum",100,12.5,12,ns,,,\n'):
        with pytest.raises(DataError, match="run it with --benchmark_format=json"):
            wakeups(text)
