# SPDX-License-Identifier: BSD-3-Clause
"""Files of benchmarks and noise meters: of hackbench and osnoise as they are, of hwlatdetect and Zephyr by a writer of their forms."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.rt.readers.measured import holds_amounts, read_amounts, read_wakeups
from support.examples import examples
from support.places import RT_DATA, TOOLS_DATA


def _real(name: str) -> bytes:
    return (TOOLS_DATA / name).read_bytes()


def test_the_times_of_hackbench_are_repetitions_of_one_setting():
    read = read_amounts(_real("hackbench.txt"), "h")
    assert read.problems == ()
    assert [(one.name, one.values) for one in read.amounts] == [
        ("process mode, 2 groups, 40 descriptors, 50 messages of 100 bytes", (3_045_000_000.0, 2_872_000_000.0)),
        ("threaded mode, 1 groups, 40 descriptors, 50 messages of 100 bytes", (355_000_000.0,)),
    ]


def test_a_hackbench_that_printed_no_time_is_named_by_the_line_where_it_began():
    read = read_amounts(_real("hackbench.txt") + _real("hackbench.txt").split(b"\n")[0] + b"\n", "h")
    assert len(read.amounts) == 2 and read.problems[0].startswith("h:10: this run of hackbench printed no time")
    with pytest.raises(DataError, match=r"^h:1: this run of hackbench printed no time"):
        read_amounts(_real("hackbench.txt").split(b"\n")[0], "h")


def test_the_screen_of_osnoise_reads_back_to_its_figures():
    read = read_amounts(_real("osnoise_top.txt"), "o")
    core, over = CoreId(0, 1), 1.287163
    assert read.problems == () and read.tool == "rtla-osnoise"
    assert read.amounts == (
        Amount("rtla-osnoise", Metric.AVAILABLE, "to the thread", core, (19.65166,)),
        Amount("rtla-osnoise", Metric.DURATION, "noise", core, (1_034_214_000.0,), over),
        Amount("rtla-osnoise", Metric.DURATION, "most noise of a period", core, (323_186_000.0,)),
        Amount("rtla-osnoise", Metric.DURATION, "longest single noise", core, (269_974_000.0,)),
        Amount("rtla-osnoise", Metric.EVENTS, "hardware", core, (128.0,), over),
        Amount("rtla-osnoise", Metric.EVENTS, "NMI", core, (0.0,), over),
        Amount("rtla-osnoise", Metric.EVENTS, "interrupts", core, (127.0,), over),
        Amount("rtla-osnoise", Metric.EVENTS, "soft interrupts", core, (0.0,), over),
        Amount("rtla-osnoise", Metric.EVENTS, "threads", core, (56.0,), over),
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("19.65166", "19.75166", "o:4: CPU 1: 1034214 µs of 1287163 µs leave 19.65"),
        ("1034214", "10342x4", "o:4: '1 #4           1287163      10342x4"),
        ("  1 #4 ", "    ", "o: the screen names no CPU"),
    ],
)
def test_a_line_of_osnoise_that_cannot_be_right_is_refused_with_its_place(before, after, said):
    with pytest.raises(DataError) as refused:
        read_amounts(_real("osnoise_top.txt").decode().replace(before, after).encode(), "o")
    assert str(refused.value).startswith(said)


def test_noise_of_the_hardware_alone_has_two_sources():
    """As rtla prints it since it has `hwnoise`; only the heading and the last columns differ."""
    text = _real("osnoise_top.txt").decode().replace("Operating System Noise", "Hardware-related Noise")
    read = read_amounts(text.replace("          127            0           56", " ").encode(), "o")
    assert read.tool == "rtla-hwnoise" and [one.name for one in read.amounts if one.metric is Metric.EVENTS] == ["hardware", "NMI"]


def _hwlat(largest: str = "27us", count: int = 2, gaps: str = "ts: 1700.5, inner:12, outer:0\nts: 1701.5, inner:0, outer:27\n") -> str:
    """As version 0.8 prints it."""
    return (
        "hwlatdetect:  test duration 30 seconds\n   detector: tracer\n   parameters:\n        CPU list:          None\n"
        "        Latency threshold: 10us\n        Sample window:     1000000us\n        Sample width:      500000us\n"
        "     Non-sampling period:  500000us\n        Output File:       None\n\nStarting test\ntest finished\n"
        f"Max Latency: {largest}\nSamples recorded: {count}\nSamples exceeding threshold: {count}\nSMIs during run: 3\n{gaps}"
    )


def test_gaps_of_the_hardware_are_counted_and_the_largest_kept():
    read = read_amounts(_hwlat().encode(), "w")
    assert read.problems == () and read.conditions.duration_s == 30.0
    assert {one.name: (one.metric, one.values, one.over_s) for one in read.amounts} == {
        "gaps above the threshold": (Metric.EVENTS, (2.0,), 15.0),
        "system management interrupts": (Metric.EVENTS, (3.0,), 30.0),
        "largest gap": (Metric.DURATION, (27_000.0,), None),
    }
    assert ("latency threshold", "10 us") in read.facts


def test_no_gap_above_the_threshold_is_no_largest_gap():
    read = read_amounts(_hwlat("Below threshold", 0, "").encode(), "w")
    assert [one.name for one in read.amounts] == ["gaps above the threshold", "system management interrupts"]
    assert ("largest gap", "below the threshold of 10 us") in read.facts


def test_a_list_of_gaps_that_its_summary_denies_is_a_problem():
    assert read_amounts(_hwlat(largest="28us").encode(), "w").problems == ("w: 2 gaps up to 27 µs are listed, 2 up to 28 µs stated",)
    with pytest.raises(DataError, match=r"^w: hwlatdetect printed no result, so it was stopped before the end of its 30 seconds"):
        read_amounts(_hwlat().partition("Max Latency")[0].encode(), "w")


def _latency(cycles: int = 519, ns: int = 4325, end: str = "PROJECT EXECUTION SUCCESSFUL\r\n") -> str:
    rows = f"{'thread.yield.k_to_k - Context switch':<60}:{cycles:8d} cycles , {ns:8d} ns :\r\n"
    rows += f"{'heap.malloc':<60}:     620 cycles ,     5166 ns\r\n"
    return f"*** Booting Zephyr ***\r\nSTART - Time Measurement\r\nTiming results: Clock frequency: 120 MHz\r\n{rows}{end}"


def test_averages_of_zephyr_are_durations_and_another_boot_repeats_them():
    read = read_amounts((_latency() + _latency(520, 4334)).encode(), "z.log")
    assert read.problems == () and dict(read.facts)["clock"] == "120 MHz"
    assert [(one.name, one.values) for one in read.amounts] == [
        ("thread.yield.k_to_k - Context switch", (4325.0, 4334.0)),
        ("heap.malloc", (5166.0, 5166.0)),
    ]


def test_the_csv_of_latency_measure_is_read_too():
    text = f"START - Time Measurement\n{'semaphore.give':<60},{134:8d},{1116:8d}\nPROJECT EXECUTION SUCCESSFUL\n"
    assert [(one.name, one.values) for one in read_amounts(text.encode(), "z").amounts] == [("semaphore.give", (1116.0,))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_latency(ns=4425), "z:4: 519 cycles at 120 MHz are not 4425 ns; the line is left out"),
        (_latency(end=""), "z: no line `PROJECT EXECUTION`, so the log was cut off"),
        (_latency(end="PROJECT EXECUTION FAILED\n"), "z:6: the benchmark says that it failed"),
        (_latency().replace("5166 ns", "51"), "z:5: 'heap.malloc"),
    ],
)
def test_what_is_wrong_with_a_log_of_zephyr_is_said_with_its_place(text, said):
    (problem,) = read_amounts(text.encode(), "z").problems
    assert problem.startswith(said)


def _thread_metric(*totals: int, name: str = "Basic Single Thread Processing", error: str = "") -> str:
    return "".join(
        f"**** Thread-Metric {name} Test **** Relative Time: {30 * i}\n{error}Time Period Total:  {total}\n\n"
        for i, total in enumerate(totals, 1)
    )


def test_totals_of_thread_metric_are_repetitions_of_a_period():
    text = _thread_metric(20170, 20165) + _thread_metric(7, name="Message Processing") + _thread_metric(20171)
    read = read_amounts(text.encode(), "t")
    assert read.problems == ()
    assert [(one.metric, one.name, one.values, one.over_s) for one in read.amounts] == [
        (Metric.THROUGHPUT, "Basic Single Thread Processing", (20170.0, 20165.0, 20171.0), 30.0),
        (Metric.THROUGHPUT, "Message Processing", (7.0,), 30.0),
    ]


def test_an_error_of_thread_metric_is_a_problem_and_a_torn_total_too():
    read = read_amounts(_thread_metric(5, error="ERROR: thread died!\n").encode(), "t")
    assert read.problems == ("t:2: the test says: thread died!",)
    torn = _thread_metric(5, 6).replace("Total:  6", "Total:  6x")
    assert read_amounts(torn.encode(), "t").problems[0].startswith("t:5: 'Time Period Total:  6x' is no whole line")


RECORDING = '"metric","cycles","nanoseconds"\n"sem.give","134","1116"\n"sem.take","53","441"\n"sem.give","135","1124"\n'


def test_a_recording_of_twister_names_its_metrics():
    read = read_amounts(RECORDING.encode(), "recording.csv")
    assert [(one.test, one.metric, one.name, one.values) for one in read.amounts] == [
        ("recording", Metric.DURATION, "sem.give", (1116.0, 1124.0)),
        ("recording", Metric.DURATION, "sem.take", (441.0,)),
    ]


def test_merged_records_are_lists_as_python_prints_them():
    read = read_amounts(b'"total_time_period","error_details"\n"[\'20170\', \'20165\']",""\n', "r.csv")
    assert [(one.metric, one.values) for one in read.amounts] == [(Metric.THROUGHPUT, (20170.0, 20165.0))]


def test_a_number_of_an_unknown_recording_is_a_value_and_its_words_its_name():
    read = read_amounts(b'"board","ram_kb"\n"frdm","12"\n"k64","13.5"\n', "r.csv")
    assert [(one.metric, one.name, one.values) for one in read.amounts] == [
        (Metric.VALUE, "frdm ram_kb", (12.0,)),
        (Metric.VALUE, "k64 ram_kb", (13.5,)),
    ]


def _twister(**changes) -> bytes:
    suite = {"name": "benchmark.kernel.latency", "platform": "qemu_x86", "status": "passed"}
    suite |= {"recording": [{"metric": "sem.give", "cycles": "134", "nanoseconds": "1116"}]} | changes
    silent = {"name": "kernel.common", "platform": "qemu_x86", "status": "passed"}
    return json.dumps({"environment": {}, "testsuites": [silent, suite]}).encode()


def test_a_report_of_twister_gives_the_recordings_of_its_suites():
    read = read_amounts(_twister(), "twister.json")
    assert [(one.test, one.name, one.values) for one in read.amounts] == [("benchmark.kernel.latency", "sem.give", (1116.0,))]
    failed = read_amounts(_twister(status="failed"), "twister.json")
    assert failed.problems == ("twister.json: benchmark.kernel.latency failed; its recording is kept",)


def test_derived_figures_of_a_recording_are_not_taken_as_measured():
    record = {"total_time_period": ["5", "7"], "total_time_period_median": 6, "baseline_median": 6, "benchmark_name": "Basic"}
    read = read_amounts(_twister(recording=[record]), "t")
    assert [(one.name, one.values) for one in read.amounts] == [("total of a period", (5.0, 7.0))]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "x: empty"),
        (b"hello\n", "x: the format is not known"),
        (b'{"testsuites": [', "x:1: not whole JSON"),
        (_twister(recording=[]), "x: no suite of twister's report has a recording"),
        (_twister(recording=[{"name": "a"}]), "x: benchmark.kernel.latency, record 1: no number in it"),
        (b'"metric","nanoseconds"\n"a"\n', "x: record 1: 1 fields where the header names 2"),
        (b'"a","a"\n"1","2"\n', "x:1: no header of distinct names"),
        (b'"metric","nanoseconds"\n"a","many"\n', "x: record 1: a: 1 of 1 are no numbers"),
        (b"**** Thread-Metric Basic Test **** Relative Time: 30\n", "x: no total of Thread-Metric"),
        (b"Time: 1.2.3\n", "x:1: 'Time: 1.2.3' is no time of hackbench"),
        (b"START - Time Measurement\n", "x: no figure of latency_measure"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(data, said):
    with pytest.raises(DataError) as refused:
        read_amounts(data, "x")
    assert str(refused.value).startswith(said) and "\n" not in str(refused.value)


OF_AMOUNTS = ("google_benchmark.json", "hackbench.txt", "osnoise_top.txt", "perf_sched.txt")


def test_no_file_is_taken_for_one_of_the_other_kind():
    for path in sorted(one for folder in (RT_DATA, TOOLS_DATA) for one in folder.iterdir() if one.is_file()):
        data = path.read_bytes()
        assert holds_amounts(data, "x") == (path.name in OF_AMOUNTS), path.name
    for name in OF_AMOUNTS:
        with pytest.raises(DataError):
            read_wakeups(_real(name), name)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=6), st.lists(st.integers(0, 10**9), min_size=1, max_size=6))
@examples(40)
def test_any_totals_come_back(first, second):
    read = read_amounts((_thread_metric(*first) + _thread_metric(*second, name="Message")).encode(), "t")
    assert [one.values for one in read.amounts] == [tuple(map(float, first)), tuple(map(float, second))]
