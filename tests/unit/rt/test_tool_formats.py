# SPDX-License-Identifier: BSD-3-Clause
"""What rtla, rt-tests, jitterdebugger and TF-A's test framework printed, read back to the figures that they printed."""

import gzip
import json
import re
import struct

import pytest

from latlab.core.errors import DataError
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.readers.console_text import console_text
from latlab.core.readers.dump import tftf_calls
from latlab.rt.analysis.wakeup import percentile_ns
from latlab.rt.readers.jitter_samples import SAMPLE, read_samples
from latlab.rt.readers.measured import read_wakeups
from latlab.rt.readers.oslat import read_oslat
from latlab.rt.readers.rtla import read_osnoise
from latlab.rt.readers.rtla_top import read_timerlat_top
from latlab.rt.readers.sched_events import DAT_MAGIC, read_sched_events
from latlab.rt.readers.thread_lines import read_thread_lines
from support.places import TOOLS_DATA


def _real(name: str) -> bytes:
    return (TOOLS_DATA / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "tool", "metric", "figures"),
    [
        ("timerlat_top.txt", "rtla timerlat (Thr)", Metric.TASK_WAKEUP, [(0, 336, 44, 9902, 251138), (1, 334, 40, 10032, 410417)]),
        ("osnoise_hist.txt", "rtla osnoise", Metric.STALL, [(1, 748, 5, 1143, 77084)]),
        ("osnoise_hist_buckets.txt", "rtla osnoise", Metric.STALL, [(1, 719, 0, 1214, 191010)]),
        ("oslat.txt", "oslat", Metric.STALL, [(0, None, 1, 1.692, 128566), (1, None, 1, 2.047, 262827)]),
        ("oslat_z.txt", "oslat", Metric.STALL, [(0, 1048592, 1, 1.908, 133850), (1, 669239, 1, 2.423, 246501)]),
        ("oslat_guest.txt", "oslat", Metric.STALL, [(1, 536198, 1, 4.759, 175922)]),
        ("oslat.json", "oslat", Metric.STALL, [(0, 1048592, 1, 1.908, 133850), (1, 669239, 1, 2.423, 246501)]),
        ("signaltest.txt", "signaltest", Metric.TASK_WAKEUP, [(0, 100, 318, 222487, 1690213), (1, 100, 387, 226833, 1543134)]),
        ("cyclicdeadline.txt", "cyclicdeadline", Metric.TASK_WAKEUP, [(0, 50, 4, 816868, 1949538), (1, 48, 11, 920330, 2082331)]),
        ("cyclicdeadline.json", "cyclicdeadline", Metric.TASK_WAKEUP, [(0, 17, 4, 667161.71, 1541464)]),
    ],
)
def test_what_the_tools_really_print_reads_back_to_their_figures(name, tool, metric, figures):
    read = read_wakeups(_real(name), name)
    assert (read.tool, read.metric, read.problems, read.complete) == (tool, metric, (), True)
    for cpu, (number, got, low, average, high) in zip(read.cpus, figures, strict=True):
        assert cpu.number == number and got in (None, cpu.got)
        assert (cpu.minimum_ticks, cpu.maximum_ticks) == (low * 1000, high * 1000)
        assert cpu.average_ticks == pytest.approx(average * 1000, abs=1)
        assert not cpu.counts or cpu.counted == cpu.got


def test_the_file_of_signaltest_says_the_same_as_its_entry():
    entry = json.loads(_real("signaltest.json"))["thread"]
    read = read_wakeups(_real("signaltest.json"), "x")
    assert [(cpu.got, cpu.minimum_ticks, cpu.maximum_ticks) for cpu in read.cpus] == [
        (one["cycles"], one["min"] * 1000, one["max"] * 1000) for one in entry.values()
    ]
    assert ("rows", "threads, which the tool binds to no CPU") in read.facts


def test_a_bucket_of_oslat_ends_at_its_name_and_the_last_has_no_end():
    read = read_wakeups(_real("oslat_z.txt"), "x")
    first = read.cpus[0]
    assert first.counts == ((1, 1001, 1048526), (1001, 2001, 32), (2001, 3001, 14), (5001, 6001, 1))
    assert first.beyond == 19 and percentile_ns(first, 50) == 1000


def test_the_last_bucket_of_oslat_is_counted_where_nothing_was_longer():
    text = "oslat V 2.40\n  Core: 3\n 001 (us): 5\n 002 (us): 7 (including overflows)\n"
    text += " Minimum: 1 (us)\n Average: 1.5 (us)\n Maximum: 2 (us)\n"
    held = read_oslat(text, "x").cpus[0]
    assert (held.beyond, [n for _, _, n in held.counts]) == (0, [5, 7])


def test_half_microseconds_of_a_newer_oslat_are_kept():
    text = "oslat V 2.8\n  Core: 0\n 0.5 (us): 5\n 1.0 (us): 7\n Minimum: 0.5 (us)\n Average: 0.8 (us)\n Maximum: 1.0 (us)\n"
    read = read_oslat(text, "x")
    assert [high for _, high, _ in read.cpus[0].counts] == [501, 1001] and read.resolution_ns == 500


def test_figures_of_nine_digits_touch_the_bar_and_are_read():
    read = read_wakeups(_real("timerlat_top_ns.txt"), "x")
    assert read.problems == () and read.resolution_ns == 1
    assert [(cpu.got, cpu.minimum_ticks, cpu.average_ticks, cpu.maximum_ticks) for cpu in read.cpus] == [
        (113, 77440, 13769060.0, 166432336),
        (98, 101120, 16724730.0, 257544208),
    ]
    assert read_timerlat_top(console_text(_real("timerlat_top_ns.txt")).text, "x", "IRQ").cpus[1].maximum_ticks == 257409408


def test_the_last_screen_of_a_running_timerlat_counts():
    last = _real("timerlat_top_ns.txt")
    first = re.sub(rb"#\d+", b"#1", last)
    assert read_wakeups(first + b"\x1bc" + last, "x").cpus == read_wakeups(last, "x").cpus


def test_the_histogram_of_osnoise_keeps_its_counts_and_what_is_over():
    held = read_wakeups(_real("osnoise_hist.txt"), "x").cpus[0]
    rows = re.findall(r"^(\d+) +(\d+) *$", _real("osnoise_hist.txt").decode(), re.MULTILINE)
    assert held.beyond == 132
    assert {int(low) * 1000: int(n) for low, n in rows} == {low: n for low, _, n in held.counts}
    buckets = read_wakeups(_real("osnoise_hist_buckets.txt"), "x").cpus[0]
    assert {high - low for low, high, _ in buckets.counts} == {10_000}


def test_an_average_with_decimals_is_that_of_a_newer_rtla():
    text = _real("osnoise_hist.txt").decode()
    newer = re.sub(r"^avg: .*$", "avg:     1143.25 ", text, flags=re.MULTILINE)
    assert read_osnoise(newer, "x").cpus[0].average_ticks == 1143250.0


def test_samples_of_jitterdebugger_are_counted_as_it_counted_them_itself():
    """Its own count is of all cycles; the last ones stay in a buffer when it ends."""
    data = gzip.decompress(_real("samples.raw.gz"))
    read, own = read_wakeups(data, "samples.raw"), read_wakeups(_real("jitterdebugger.json"), "results.json")
    assert read.problems == () and sum(cpu.got for cpu in read.cpus) * SAMPLE.itemsize == len(data)
    for ours, theirs in zip(read.cpus, own.cpus, strict=True):
        assert 0 <= theirs.got - ours.got < 20
        assert (ours.number, ours.minimum_ticks, ours.maximum_ticks) == (theirs.number, theirs.minimum_ticks, theirs.maximum_ticks)


def _sample(cpu: int, late: int, ns: int = 5) -> bytes:
    return struct.pack("<IqqQ", cpu, 100, ns, late)


def test_samples_may_be_nanoseconds_and_a_cut_one_is_told():
    data = _sample(2, 7) + _sample(2, 9) + _sample(0, 3)[:11]
    read = read_samples(data, "s.raw", nanoseconds=True)
    assert [(cpu.number, cpu.got, cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks) for cpu in read.cpus] == [(2, 2, 7, 9, 8.0)]
    assert read.problems == ("s.raw: 11 bytes after the last sample; the tool was killed while it wrote",)


def test_samples_end_where_they_can_be_none():
    read = read_samples(_sample(0, 1) + _sample(1, 2, ns=1_000_000_000) + _sample(0, 1), "s.raw")
    assert [(cpu.number, cpu.got) for cpu in read.cpus] == [(0, 1)]
    assert read.problems == ("s.raw: byte 28: no sample any more; the 1 before it are kept",)
    with pytest.raises(DataError, match=r"^s\.raw: does not begin with a sample"):
        read_samples(b"\xff" * 28, "s.raw")


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("timerlat_top.txt", "  0 #336 ", "  0 #x36 ", None),
        ("timerlat_top.txt", "|      808        44", "|      808       44-", "t:4: '0 #336       |    18445"),
        (
            "osnoise_hist.txt",
            "count:      748",
            "count:      749",
            "CPU 1: the histogram holds 616 samples and 132 over, the count says 749",
        ),
        ("oslat.txt", "    003 (us):", "    002 (us):", "the bucket of 2 us appears twice; the second is left out"),
        ("oslat_z.txt", "003 (us):\t 14 0", "003 (us):\t 14", "1 figures where 2 cores are named; the line is left out"),
        ("oslat_z.txt", "003 (us):\t 14 0", "003 (us):\t 14 x", "is not a row of the histogram"),
        ("oslat.txt", "        Core:", "    009 (us):\t 1\n        Core:", "t:14: the row 009 (us) is before the row `Core:`"),
        ("cyclicdeadline.txt", "T: 1 (  133) I:20500 C:     48", "T: 1 (  133) I:20500 C:     4", None),
        ("cyclicdeadline.txt", "Max: 2082331", "Max:", "t:12: 'T: 1 (  133) I:20500 C:     48"),
    ],
)
def test_a_damaged_line_is_named_with_its_place_and_costs_no_other(name, before, after, said):
    text = _real(name).decode()
    assert before in text
    read = read_wakeups(text.replace(before, after, 1).encode(), "t")
    if said is None:
        assert read.cpus
    else:
        assert len(read.problems) == 1 and said in read.problems[0] and not read.complete


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("oslat.txt", "Core:", "Cor:", "t: no row `Core:` of oslat; it prints its figures when it ends, so it was stopped before"),
        ("oslat.txt", "Maximum:", "Mximum:", "t: no row `Maximum:` of oslat; the output was cut off"),
        ("oslat.txt", "Core:\t 0 1", "Core:\t 0 0", "t: a CPU is named twice"),
        ("osnoise_hist.txt", "CPU-001", "", "t: the histogram of rtla has no column"),
        ("osnoise_hist.txt", "CPU-001", "CPU-001 CPU-001", "t: the heading of rtla's histogram names a column twice"),
        ("timerlat_top.txt", "#", "", "t: the screen names no CPU"),
        ("oslat.json", '"avg": ', '"avg": "many', "t:22: not whole JSON"),
        ("oslat.json", '"max": 133850', '"max": -1', "t: max is '-1' and no figure of rt-tests"),
        (
            "signaltest.json",
            "signaltest ",
            "pmqtest ",
            "t: the JSON of pmqtest, which is not read; give that of cyclictest, oslat",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(name, before, after, said):
    text = _real(name).decode()
    assert before in text
    with pytest.raises(DataError) as refused:
        read_wakeups(text.replace(before, after).encode(), "t")
    assert str(refused.value).startswith(said) and "\n" not in str(refused.value)


def test_text_of_neither_thread_tool_is_refused():
    with pytest.raises(DataError, match=r"^x: no line of a thread of cyclicdeadline or signaltest"):
        read_thread_lines("T: 0 ( 1) P:80 I:1000 C: 100 Min: 1 Act: 2 Avg: 3 Max: 4\n", "x")


def test_the_figures_of_a_thread_are_not_gathered_from_two_lines():
    with pytest.raises(DataError, match=r"^x: no line of a thread"):
        read_thread_lines("T: 0 (  132) I:20000 C: 50 Min: 4 Act:1538 Avg:816868 Max: \n2082331\n", "x")


def _sched() -> str:
    return gzip.decompress(_real("sched_events.txt.gz")).decode()


def test_wake_ups_of_a_trace_are_those_that_trace_cmd_finds_itself():
    """`trace-cmd report -w` goes by sched_wakeup: real-time threads 8.366 us on average, 19.279 at most, migration/0's one 1.703."""
    text = "\n".join(line for line in _sched().splitlines() if "sched_waking" not in line)
    read = read_wakeups(text.encode(), "x")
    assert ("other real-time threads", "migration/0 (1)") in read.facts
    assert [cpu.number for cpu in read.cpus] == [0, 1] and max(cpu.maximum_ticks for cpu in read.cpus) == 19279
    total = sum(cpu.got * cpu.average_ticks for cpu in read.cpus) + 1703
    assert round(total / (sum(cpu.got for cpu in read.cpus) + 1)) == 8366


def test_a_trace_counts_from_the_waking_where_it_has_it():
    read = read_wakeups(_sched().encode(), "x")
    assert ("rows", "wake-ups of cyclictest, from sched_waking to the switch to it") in read.facts
    assert [(cpu.got, cpu.minimum_ticks, cpu.maximum_ticks) for cpu in read.cpus] == [(194, 6780, 19088), (200, 8082, 25458)]
    assert read.complete and read.resolution_ns == 1


WAKING = "  a-1 [000] dNh4. {}: sched_waking: comm=rt task pid=9 prio=10 target_cpu=001\n"
TO_IT = "  <idle>-0 [001] d..2. {}: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> "
TO_IT += "next_comm=rt task next_pid=9 next_prio=10\n"
FROM_IT = "  rt task-9 [001] d..2. {}: sched_switch: rt task:9 [10] {} ==> swapper/1:0 [120]\n"


def test_a_thread_that_is_woken_while_it_runs_does_not_wait():
    text = WAKING.format("1.000001") + TO_IT.format("1.000004") + WAKING.format("1.000005") + FROM_IT.format("1.000006", "R")
    read = read_sched_events(text + TO_IT.format("1.900000"), "x")
    assert [(cpu.number, cpu.got, cpu.maximum_ticks) for cpu in read.cpus] == [(1, 1, 3000)] and read.resolution_ns == 1000


def test_a_wake_up_that_the_trace_did_not_see_begin_again_is_not_counted_from_the_old_one():
    text = WAKING.format("1.000001") + FROM_IT.format("1.000002", "S") + TO_IT.format("1.500000")
    with pytest.raises(DataError, match="no thread with a real-time priority was woken and switched to"):
        read_sched_events(text, "x")


def test_lost_events_of_a_trace_are_told_and_nobody_waits_across_them():
    text = WAKING.format("1.000001") + "CPU:1 [LOST 7 EVENTS]\n" + TO_IT.format("1.000009")
    read = read_sched_events(text + FROM_IT.format("1.100000", "S") + WAKING.format("2.000000") + TO_IT.format("2.000002"), "x")
    assert [cpu.got for cpu in read.cpus] == [1] and not read.complete
    assert read.problems == ("x:2: 'CPU:1 [LOST 7 EVENTS]': the kernel's buffer was too small; who waited then is left out",)


def test_a_thread_of_no_real_time_priority_is_no_wake_up_of_a_trace():
    with pytest.raises(DataError, match="record sched_waking and sched_switch while one runs"):
        read_sched_events((WAKING.format("1.000001") + TO_IT.format("1.000004")).replace("prio=10", "prio=120"), "x")


def test_a_file_of_trace_cmd_says_how_it_is_given():
    with pytest.raises(DataError, match=r"^t\.dat: a file of trace-cmd; name what `trace-cmd report -t` prints of it"):
        read_wakeups(DAT_MAGIC + b"7", "t.dat")


def _tftf() -> bytes:
    return gzip.decompress(_real("tftf-performance.log.gz"))


def test_round_trips_of_the_test_framework_are_samples_and_agree_with_its_report():
    run = tftf_calls.parse(_tftf(), "tftf.log")
    assert run is not None and run.status is RunStatus.COMPLETE and run.problems == ()
    reported = re.findall(r"^Average time: (\d+) ns \(ranging from (\d+) to (\d+)\)", _tftf().decode(), re.MULTILINE)
    tests = list(dict.fromkeys(sample.test for sample in run.samples))
    assert tests == ["PSCI_VERSION-latency", "Standard-Service-Call-UID-latency", "SMCCC_ARCH_WORKAROUND_1-latency"]
    for test, (average, low, high) in zip(tests, reported, strict=True):
        values = [sample.value_ticks for sample in run.samples if sample.test == test]
        assert (len(values), min(values), max(values)) == (1000, int(low), int(high))
        assert 0 <= sum(values) / 1000 - int(average) < 16
    assert dict(run.resolutions)[Metric.CALL] == 16.0


def test_a_report_that_its_lines_deny_is_a_problem_of_that_line():
    text = _tftf().decode().replace("ranging from 272 to", "ranging from 271 to")
    run = tftf_calls.parse(text.encode(), "tftf.log")
    assert run is not None and run.status is RunStatus.PARTIAL
    (problem,) = run.problems
    assert text.splitlines()[problem.line - 1].startswith("Average time") and "the report says 271" in problem.message


def test_ticks_until_a_core_is_on_are_worth_what_the_round_trips_say():
    lines = ["> Executing 'PSCI_VERSION latency'", "NOTICE:  20 cycles\t320 ns", "> Executing 'Test cluster power up latency'"]
    lines += ["Baseline data: \t1200 \t\t\t3", "Test data: \t1300 \t\t\t4"]
    found = tftf_calls.read_calls(list(enumerate(lines, 1)))
    ons = [(s.test, s.value_ticks) for s in found.samples if s.metric is Metric.WAKEUP]
    assert ons == [("Test-cluster-power-up-latency-baseline", 19200), ("Test-cluster-power-up-latency-test", 20800)]
    alone = tftf_calls.read_calls(list(enumerate(lines[2:], 1)))
    assert alone.samples == () and "ticks of an unknown counter" in alone.problems[0].message


def test_a_second_run_of_a_test_in_a_log_is_another_boot():
    lines = ["> Executing 'a'", "NOTICE:  1 cycles\t16 ns", "> Executing 'a'", "NOTICE:  2 cycles\t32 ns"]
    assert [(s.boot, s.iteration) for s in tftf_calls.read_calls(list(enumerate(lines, 1))).samples] == [(0, 0), (1, 0)]


def test_a_log_without_notices_is_told_what_to_do():
    run = tftf_calls.parse(b"Average time: 320 ns (ranging from 272 to 12608)\n", "x")
    assert run is not None and run.samples == () and "LOG_LEVEL of 20" in run.problems[0].message
    assert tftf_calls.parse(b"NOTICE:  hello\n", "x") is None
