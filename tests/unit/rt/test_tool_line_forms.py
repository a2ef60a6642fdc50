# SPDX-License-Identifier: BSD-3-Clause
"""Forms of line that a tool's source prints and that no example of a real run has: read, or refused by name."""

from __future__ import annotations

import json
import re

import pytest

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.enums import RowKind
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, read_amounts, read_wakeups
from support.places import RT_DATA, TOOLS_DATA
from support.refusals import refused
from support.tool_texts import (
    HWLATDETECT_2_10,
    HWNOISE,
    ISOCHRON,
    LATMUS,
    RTEVAL_REPORT,
    RTEVAL_XML,
    RUNQLAT,
    SCHBENCH,
    XENOMAI,
    XENOMAI_HISTOGRAM,
)

TOP = (TOOLS_DATA / "timerlat_top.txt").read_text("utf-8")
HIST = (RT_DATA / "rtla-timerlat.txt").read_text("utf-8")
NOISE_HIST = "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:00:05\n"
ANALYSIS = """timerlat hit stop tracing
## CPU 2 hit stop tracing, analyzing it ##
  Previous IRQ interference:\t\t\t up to       1.50 us
  IRQ handler delay:\t\t(exit from idle)\t    36.93 us (38.36 %)
  IRQ latency:\t\t\t\t\t\t    39.48 us
  Timerlat IRQ duration:\t\t\t     8.49 us (8.82 %)
  Blocking thread:\t\t\t\t     7.00 us (7.27 %)
\t           my daemon:1234     \t\t     7.00 us
    Blocking thread stack trace
\t\t-> timerlat_irq
  NMI interference\t\t\t\t     1.00 us (1.04 %)
  IRQ interference\t\t\t\t    30.00 us (31.16 %)
\t         local_timer:236\t\t\t    30.00 us
  Softirq interference\t\t\t\t     4.00 us (4.15 %)
\t               TIMER:1  \t\t     4.00 us
  Thread interference\t\t\t\t     5.00 us (5.19 %)
\t          migration/2:21 \t\t\t     5.00 us
------------------------------------------------------------------------
  Thread latency:\t\t\t\t    96.27 us (100%)
## CPU 3 hit stop tracing, analyzing it ##
  IRQ handler delay:\t\t                \t    12.00 us (80.00 %)
  IRQ latency:\t\t\t\t\t\t    15.00 us
  Blocking thread:
\t               stress:99       
------------------------------------------------------------------------
  IRQ latency:\t\t\t\t\t    15.00 us (100%)

Max timerlat IRQ latency from idle: 36.93 us in cpu 2
  Saving trace to timerlat_trace.txt
"""
XENOMAI_TITLE, _, _ = XENOMAI.partition("RTT|")
XENOMAI_KILLED, _, _ = XENOMAI.partition("---|")
XENOMAI_PLOT = """# 00:00:02 (periodic user-mode task, 1000 us period, priority 99)
# ----lat min|----lat avg|----lat max|-overrun|---msw|
#       0.310|      1.502|     31.250|       0|     0|
# Xenomai version: Xenomai/cobalt v3.2.1
0 1
0.5 21
1 1
"""
LATMUS_PLOT = """# test started on: Sat Jan  3 11:00:00 2026
# Linux version 5.15.0-evl (gcc) #1 SMP
# sampling period: 1000 microseconds
# context: user
# thread affinity: CPU1
# min latency: 1.250
# avg latency: 1.500
# max latency: 2.500
1 2001
2 900
"""
SCHBENCH_INTERVALS, _, _ = SCHBENCH.partition("average rps")
SCHBENCH_WHOLE = SCHBENCH[SCHBENCH.index("Wakeup Latencies percentiles (usec) runtime 20") :]
SCHBENCH_DELAY = "sched delay: message 3 (usec) worker 4 (usec)\n"
SCHBENCH_JSON = (
    '{"normal": {"version": "6.12.0","hostname": "board","cmdline": "schbench -j -"},"int": {"time": 1764330000, '
    '"wakeup_latency_pct50.0": 7, "wakeup_latency_pct99.9": 909, "wakeup_latency_min": 1,"wakeup_latency_max": 10224, '
    '"request_latency_pct50.0": 0, "request_latency_min": 0,"request_latency_max": 0, "rps_pct50.0": 3020, "rps_min": 1,"rps_max": 3017, '
    '"runtime": 20}}'
)
RTEVAL_ABORTED = """      Run aborted: breaktrace
                   Aborted due to latency exceeding 30us.
                   Measured latency when stopping was 40us.

"""
RTEVAL_SYSTEM = """   Container:    Running in a container
   Tuned state:  not present

   Core Sharing Warnings:
       Warning: measurement CPU 0 shares core with load CPU 1

   System load:
       Load average: 3.10

       Executed loads:
         - kcompile: make -j 4
         - hackbench: (Not run)

 Cmdline:        console=ttyS0
"""
RTEVAL_BESIDE = """     Hardware latency detector
       Run duration: 60 seconds
       Threshold:    15us
       Width:       800000us
       Window size: 1000000us

       Threshold exceeded 1 times
         - @123.4  23us
       sysstat measurements
          Started: 03:04:05
          Stopped: 03:05:05
          Records saved: 5
"""
RTEVAL_SHELL = """rteval run on 6.12.0-rt5 started at Fri Jan  2 03:04:05 2026
started 2 loads on cores 0-1 
started measurement threads on cores 0-1
Run duration: 60.0 seconds
rteval time remaining: 0, 0, 0, 30
load average: 3.10
stopping run at Fri Jan  2 03:05:05 2026
"""
STRESS = (TOOLS_DATA / "stress_ng_dist.txt").read_text("utf-8")
CYCLIC = "stress-ng: info:  [31582] cyclic: "
SCREEN = """affinity: 2-3 = 2 [0xC]

\x1b[2AT: 0 ( 4711) A: 2 C:      1000 Min:         1 Avg:    5.25 Max:        12 \x1b[K
T: 1 ( 4712) A: 3 C:       999 Min:         2 Avg:    6.25 Max:        32 \x1b[K

Thread 4712 on CPU 1 hit 32 us latency
"""


def jitterdebugger(cpus_online: int, **changed: object) -> str:
    root = json.loads((TOOLS_DATA / "jitterdebugger.json").read_text("utf-8"))
    root["sysinfo"]["cpus_online"] = cpus_online
    root["cpu"]["0"] |= changed
    return json.dumps(root, indent=1)


def wakeups(text: str) -> Wakeups:
    assert not holds_amounts(text.encode(), "x")
    return read_wakeups(text.encode(), "x")


def amounts(text: str) -> Benchmark:
    assert holds_amounts(text.encode(), "x")
    return read_amounts(text.encode(), "x")


def has_own_lines_only(found: Wakeups | Benchmark) -> bool:
    return re.fullmatch(r"\d+ of [^;]+", dict(found.facts)["lines"]) is not None


def test_cyclictests_counts_of_management_interrupts_are_kept() -> None:
    live = "T: 0 ( 4711) P:80 I:1000 C:   1000 Min:      4 Act:    9 Avg:   11 Max:     584 SMI:       3\n"
    found = wakeups(live)
    assert ("system management interrupts", "thread 0: 3") in found.facts and found.cpus[0].maximum_ticks == 584_000
    verbose = "       0:      12:      34       2\n       0:      13:       5       0\n"
    assert ("system management interrupts", "thread 0: 2") in wakeups(verbose).facts and wakeups(verbose).cpus[0].maximum_ticks == 34_000
    histogram = (RT_DATA / "cyclictest-h.txt").read_text("utf-8").rstrip() + "\n# SMIs: 00001 00000\n"
    assert ("system management interrupts", "thread 0: 1, thread 1: 0") in wakeups(histogram).facts
    assert all(map(has_own_lines_only, (found, wakeups(verbose), wakeups(histogram))))


def test_a_threshold_that_ended_cyclictest_is_said() -> None:
    found = wakeups((RT_DATA / "cyclictest-q.txt").read_text("utf-8") + "# Break thread: 4711\n# Break value: 584\n")
    assert dict(found.facts)["stopped"].startswith("by cyclictest's threshold: the maximum (584 µs)") and has_own_lines_only(found)


def test_samples_of_zero_leave_the_number_of_the_cycle_as_it_was() -> None:
    found = wakeups("       0:       0:       3\n       0:       0:       0\n       0:       2:       1\n")
    assert (found.cpus[0].got, found.problems) == (3, ())
    with pytest.raises(DataError, check=refused(place="x:2")):
        wakeups("       0:       7:       3\n       0:       2:       0\n")


def test_the_average_of_no_sample_as_c_prints_it_is_no_damage() -> None:
    text = (RT_DATA / "cyclictest.json").read_text("utf-8")
    entry = json.loads(text)["thread"]["0"]
    one = json.dumps({"cmdline:": "cyclictest -t1", "return_code": 0, "thread": {"0": entry | {"cycles": 0, "avg": 1.5, "histogram": {}}}})
    for printed in ("-nan", "nan"):
        found = wakeups(one.replace('"avg": 1.5', f'"avg": {printed}'))
        assert (found.cpus[0].got, found.cpus[0].average_ticks) == (0, 0.0)
    with pytest.raises(DataError, match="cannot be that of latencies"):
        wakeups(text.replace(f'"avg": {entry["avg"]}', '"avg": -nan', 1))


@pytest.mark.parametrize("name", ["signaltest.json", "cyclicdeadline.json", "pmqtest.json"])
def test_no_sample_of_another_program_of_rt_tests_is_no_damage(name: str) -> None:
    text = (TOOLS_DATA / name).read_text("utf-8")
    counted = "samples" if name == "pmqtest.json" else "cycles"
    none = re.sub(r'"avg": [\d.]+', '"avg": -nan', re.sub(rf'"{counted}": \d+', f'"{counted}": 0', text))
    assert all((cpu.got, cpu.average_ticks) == (0, 0.0) for cpu in wakeups(none).cpus)


@pytest.mark.parametrize("said", ['"resolution_in_ns": 1', '"cmdline:": "cyclictest -SN -h 50"', '"cmdline:": "cyclictest --nsecs"'])
def test_nanoseconds_in_json_are_known_by_the_resolution_or_by_any_spelling_of_the_option(said: str) -> None:
    entry = {"cycles": 2, "min": 1200, "max": 3400, "avg": 2300.0, "cpu": 0}
    text = json.dumps({"thread": {"0": entry}, "return_code": 0}).replace("{", "{" + said + ",", 1)
    assert (wakeups(text).resolution_ns, wakeups(text).cpus[0].maximum_ticks) == (1, 3400)


def test_a_row_outside_of_its_histogram_is_no_sample() -> None:
    text = (RT_DATA / "cyclictest-histfile.txt").read_text("utf-8")
    whole = wakeups(text)
    for changed in ("000003 000017\t000006\n" + text, text + "000003 000017\t000006\n"):
        found = wakeups(changed)
        assert found.problems and [cpu.got for cpu in found.cpus] == [cpu.got for cpu in whole.cpus]
    signal = (TOOLS_DATA / "signaltest.txt").read_text("utf-8")
    found = wakeups(signal + "000003 000017\t000006\n")
    assert not any(cpu.counts for cpu in found.cpus) and "without `# Histogram`" in found.problems[0]


def test_newer_lines_of_hwlatdetect_are_read_and_its_gaps_are_of_the_time_that_it_sampled() -> None:
    found = amounts(HWLATDETECT_2_10)
    assert found.problems == () and has_own_lines_only(found)
    over = {amount.name: (amount.values, amount.over_s) for amount in found.amounts}
    assert over["gaps above the threshold"] == ((2.0,), 30.0) and over["system management interrupts"] == ((3.0,), 60.0)
    facts = dict(found.facts)
    assert facts["mean time between gaps"].startswith("41.816 s") and facts["system management interrupts on CPU 1"] == "3"
    assert facts["time sampled"].startswith("30 s of 60 s") and facts["CPUs with gaps"] == "0, 3"


def test_gaps_of_hwlatdetect_with_a_time_format_or_of_old_releases_are_held_against_its_summary() -> None:
    dated = HWLATDETECT_2_10.replace("ts: 1786805006.080003491", "ts: 2026-08-15 14:03:26.080003491")
    assert amounts(dated).problems == ()
    old = re.sub(r"^ts: .*\n", "", HWLATDETECT_2_10, flags=re.MULTILINE) + "1408928107.0286324723\t18\t17\n1408928180.0296881126\t15\t129\n"
    assert amounts(old).problems == () and has_own_lines_only(amounts(old))
    assert "x" in amounts(old.replace("\t129\n", "\t21\n")).problems[0]


def test_each_part_of_rtlas_analysis_is_kept_for_each_cpu() -> None:
    for text in (TOP + ANALYSIS, HIST + ANALYSIS, TOP + ANALYSIS.replace("timerlat hit", "rtla timelat hit", 1)):
        found = wakeups(text)
        facts = dict(found.facts)
        assert facts["rtla's analysis"] == "CPU 2: IRQ handler delay (exit from idle), 36.93 µs of 96.27 µs"
        assert facts["parts of the latency on CPU 2"] == (
            "previous IRQ interference 1.5 µs; IRQ handler delay (exit from idle) 36.93 µs; timerlat IRQ duration 8.49 µs; "
            "blocking thread (my daemon:1234) 7 µs; NMI interference 1 µs; IRQ interference (local_timer:236) 30 µs; "
            "softirq interference (TIMER:1) 4 µs; thread interference (migration/2:21) 5 µs"
        )
        assert facts["rtla's analysis of CPU 3"] == "CPU 3: IRQ handler delay, 12 µs of 15.00 µs"
        assert facts["parts of the latency on CPU 3"] == "IRQ handler delay 12 µs; blocking thread (stress:99)"
        assert facts["largest IRQ latency from idle"] == "36.93 µs on CPU 2"
        assert found.problems == () and has_own_lines_only(found), facts["lines"]


@pytest.mark.parametrize("missed", ["12 (0.50%)", "unknown number of"])
@pytest.mark.parametrize("text", [TOP, HIST, HWNOISE], ids=["top", "hist", "hwnoise"])
def test_events_that_rtla_missed_make_the_run_partial(missed: str, text: str) -> None:
    lost = text + f"{missed} events missed, results might not be accurate\n"
    found = amounts(lost) if text is HWNOISE else wakeups(lost)
    assert len(found.problems) == 1 and "missed" in found.problems[0] and has_own_lines_only(found)


def test_a_stop_of_osnoise_is_said() -> None:
    assert "threshold" in dict(amounts(HWNOISE + "osnoise hit stop tracing\n").facts)["stopped"]


@pytest.mark.parametrize("rows", ["over: 0\ncount: 0\nmin: 0\navg: 0\nmax: 0\n", "over: \ncount:\nmin:  \navg:  \nmax:  \n"])
def test_a_quiet_machine_is_no_file_that_was_cut_off(rows: str) -> None:
    with pytest.raises(DataError, match="saw no noise above its threshold in 0 00:00:05"):
        wakeups(NOISE_HIST + "Index\n" + rows)
    with pytest.raises(DataError, match="saw no wake-up in 0 00:00:05"):
        wakeups(NOISE_HIST.replace("osnoise", "timerlat") + "Index\n" + rows)


def test_a_histogram_of_rtla_without_an_index_is_refused_by_the_options_name() -> None:
    text = NOISE_HIST.replace("osnoise", "timerlat") + "   IRQ-000   Thr-000\n        1         0 \n        0         2 \n"
    with pytest.raises(DataError, match="without --no-index"):
        wakeups(text)


@pytest.mark.parametrize(
    ("text", "last", "said"),
    [
        (HIST, "min:", "no line `max:`"),
        (ISOCHRON, "Waking up", "no line `Driver takes on average`"),
        (
            (TOOLS_DATA / "stress_ng_dist.txt").read_text("utf-8"),
            "cyclic:        20000",
            "2 buckets are printed, and stress-ng announces 4",
        ),
        ((TOOLS_DATA / "perf_sched.txt").read_text("utf-8"), "  pytest:", "no line `TOTAL:`"),
        (RUNQLAT, "         0 -> 1", "no bar is full"),
        (SCHBENCH, "          50.0th: 16864", "request latency have no line `min=`"),
    ],
)
def test_a_summary_that_was_cut_off_is_partial(text: str, last: str, said: str) -> None:
    lines = text.splitlines(keepends=True)
    end = max(number for number, line in enumerate(lines, 1) if last in line)
    data = "".join(lines[:end]).encode()
    found = read_amounts(data, "x") if holds_amounts(data, "x") else read_wakeups(data, "x")
    assert any(said in problem for problem in found.problems), found.problems


def test_a_damaged_field_of_a_sample_is_no_sample_and_stumbles_over_nothing() -> None:
    whole = "       0:      12:      34       2\n"
    found = wakeups(whole + "       0:      13:       500000 15\n       0:      14:" + "9" * 25 + "\n")
    assert found.cpus[0].got == 1 and dict(found.facts)["lines"].startswith("1 of cyclictest; 2 of no known tool")
    with pytest.raises(DataError, match="a second run of isochron"):
        amounts(ISOCHRON + "HW TX deadline misses: 1 (0.100%)\n")


def test_json_and_xml_are_read_where_a_terminal_shows_them() -> None:
    text = (TOOLS_DATA / "oslat.json").read_text("utf-8")
    around = wakeups(f"$ cat oslat.json\n{text}\n$ exit\n")
    assert [cpu.got for cpu in around.cpus] == [cpu.got for cpu in wakeups(text).cpus]
    assert dict(around.facts)["lines"].endswith("2 of no known tool (from line 1: '$ cat oslat.json')")
    with pytest.raises(DataError, match="two tools, cyclictest and jitterdebugger"):
        wakeups((RT_DATA / "cyclictest-q.txt").read_text("utf-8") + text)


@pytest.mark.parametrize("option", ["-l 0", "-q"])
def test_the_period_of_xenomais_latency_is_in_its_title_too(option: str) -> None:
    kept = [line for line in XENOMAI.splitlines(keepends=True) if not line.startswith(("RTT|", "RTH|") if option == "-l 0" else "RT")]
    rest = "" if option == "-l 0" else "running quietly for 2 seconds\n" + XENOMAI.splitlines(keepends=True)[-1]
    found = wakeups("".join(kept) + rest)
    assert (found.interval_ns, found.cpus[0].got, dict(found.facts)["mode"]) == (100_000, 19_999, "periodic user-mode task")
    assert found.complete and has_own_lines_only(found)


def test_a_run_of_xenomais_latency_without_a_whole_second_is_refused() -> None:
    for seconds in ("00:00:00", "00:00:-1"):
        with pytest.raises(DataError, match="stopped before its first second was over"):
            wakeups(f"{XENOMAI_TITLE}RTS|  10000.000|      0.000| -10000.000|       0|     0|    {seconds}/{seconds}\n")
    with pytest.raises(DataError, match="x: no line RTD or RTS of latency or latmus; latency stopped itself: process memory not locked"):
        wakeups(f"{XENOMAI_TITLE}RTH|----lat min\nlatency: process memory not locked\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (XENOMAI_KILLED + "latency: watchdog triggered (period too short?)\n", "no line RTS, latency stopped itself: watchdog triggered"),
        (
            XENOMAI_KILLED + "received signal, aborting.\n(enabling CONFIG_XENO_OPT_DEBUG_TRACE_RELAX may help)\n",
            "at a switch of mode (-b)",
        ),
        (
            LATMUS.partition("RTS|")[0] + "latency threshold is exceeded (2000 >= 2.500), aborting.\n",
            "its threshold (-A): latency threshold",
        ),
        (LATMUS.partition("RTS|")[0] + "results look weird, aborting.\n", "contradict each other: results look weird"),
        (LATMUS + "*** WARNING: unexpected switches to in-band mode detected,\n", "latmus calls its figures not reliable"),
        ("running quietly for 3 seconds on CPU1\n" + LATMUS.splitlines()[-1], "no line names the period"),
    ],
)
def test_why_latency_or_latmus_stopped_is_said(text: str, said: str) -> None:
    found = wakeups(text)
    assert len(found.problems) == 1 and said in found.problems[0] and has_own_lines_only(found), (found.problems, found.facts)


def test_switches_of_mode_and_a_cpu_that_is_not_isolated_are_kept() -> None:
    warned = "Warning! some latency peaks may have been due to involuntary mode switches.\nPlease contact xenomai@xenomai.org\n"
    found = wakeups(XENOMAI.replace("|     0|    00", "|     3|    00") + warned)
    assert ("switches of mode", "3") in found.facts and has_own_lines_only(found)
    for text in (LATMUS.replace("CPU1)", "CPU1-noisol)"), LATMUS.replace("CPU1...", "CPU1 (not isolated)...")):
        assert ("isolation", "CPU 1 was not isolated") in wakeups(text).facts


def test_buckets_of_xenomai_that_are_not_whole_microseconds_are_left_out() -> None:
    rows = "---|--param|----range-|--samples\nHSD|    max|   {} -{}   |        2\nHSH|"
    whole = wakeups(XENOMAI_HISTOGRAM.replace("HSH|", rows.format(9, 10), 1))
    assert whole.cpus[0].counts and whole.complete
    tenths = wakeups(XENOMAI_HISTOGRAM.replace("HSH|", rows.format(312, 313), 1))
    tens = wakeups(XENOMAI_HISTOGRAM.replace("RTS|      0.310", "RTS|      1.310"))
    for found in (tenths, tens):
        assert not found.cpus[0].counts and found.cpus[0].got == 2000 and "(-B)" in dict(found.facts)["histogram"]


def test_latencies_below_zero_are_in_no_bucket_of_their_absolute_value() -> None:
    below = wakeups(XENOMAI_HISTOGRAM.replace("RTS|      0.310", "RTS|     -0.310")).cpus[0]
    assert below.counts[0][:2] == (-310, 1000)
    found = wakeups(XENOMAI_HISTOGRAM.replace("RTS|      0.310", "RTS|     -4.250"))
    assert not found.cpus[0].counts and "below zero, to -4.25 µs" in dict(found.facts)["histogram"]


def test_what_latency_and_latmus_print_for_gnuplot_is_theirs() -> None:
    found = wakeups(XENOMAI_HISTOGRAM.replace("RTS|", XENOMAI_PLOT + "RTS|"))
    assert found.cpus[0].got == 2000 and has_own_lines_only(found)
    cells = wakeups(LATMUS.replace("RTS|", LATMUS_PLOT + "RTS|"))
    assert [(low, n) for low, _, n in cells.cpus[0].counts] == [(1000, 2000), (2000, 900)]
    assert has_own_lines_only(cells) and "wake-ups" not in dict(cells.facts)
    for plot in (XENOMAI_PLOT, LATMUS_PLOT):
        with pytest.raises(DataError, match="a file for gnuplot of Xenomai's latency or latmus"):
            wakeups(plot)


def test_what_latmus_tuned_is_no_latency() -> None:
    with pytest.raises(DataError, match="measured no latency; run it without -t"):
        wakeups("== latmus started for core tuning, period=1000 microseconds (may take a while)\nirq gravity...1000 ns\n")


@pytest.mark.parametrize("seconds", [20, 21])
def test_schbenchs_whole_run_follows_its_last_interval_and_is_no_second_run(seconds: int) -> None:
    intervals = SCHBENCH_INTERVALS.replace("runtime 20 (s)", f"runtime {seconds} (s)")
    text = intervals + SCHBENCH_DELAY + "current rps: 3017.20\n" + SCHBENCH_WHOLE + SCHBENCH_DELAY
    found = amounts(text)
    values = {one.name: one.values for one in found.amounts}
    assert values["wakeup latency 50 %"] == (7000.0,) and values["requests per second average"] == (3024.6,)
    assert ("scheduling delay", "message threads 3 µs, workers 4 µs") in found.facts and has_own_lines_only(found)
    with pytest.raises(DataError, match=r"a second run of schbench \(percentiles after the figures of the whole run\)"):
        amounts(text + SCHBENCH)
    with pytest.raises(DataError, match="after 20 s come 20 s"):
        amounts(SCHBENCH_INTERVALS + SCHBENCH_WHOLE.replace("(80 total", "(79 total"))


def test_percentiles_of_no_sample_are_none() -> None:
    none = "Request Latencies percentiles (usec) runtime 20 (s) (0 total samples)\n\t  50.0th: 0          (0 samples)\n\t  min=0, max=0\n"
    text = SCHBENCH_WHOLE[: SCHBENCH_WHOLE.index("Request")] + none + SCHBENCH_WHOLE[SCHBENCH_WHOLE.index("RPS") :]
    found = amounts(text)
    assert found.problems == () and not any(one.name.startswith("request latency") for one in found.amounts)
    with pytest.raises(DataError, match="no percentile of schbench; it was stopped before it measured"):
        amounts(none)


def test_schbenchs_rates_and_its_json_are_read() -> None:
    piped = SCHBENCH_WHOLE[: SCHBENCH_WHOLE.index("Request")] + "avg worker transfer: 123456.78 ops/sec 60.28MB/s\n"
    assert ("transfers per second", (123456.78,)) in [(one.name, one.values) for one in amounts(piped).amounts]
    scaled = SCHBENCH_INTERVALS + "final rps goal was 3000\n"
    assert ("goal of requests per second", "3000") in amounts(scaled).facts
    alone = amounts(SCHBENCH_JSON)
    assert [(one.name, one.values) for one in alone.amounts] == [
        ("wakeup latency 50 %", (7000.0,)),
        ("wakeup latency 99.9 %", (909000.0,)),
        ("wakeup latency maximum", (10224000.0,)),
        ("requests per second 50 %", (3020.0,)),
    ]
    both = amounts(SCHBENCH_JSON + SCHBENCH_WHOLE)
    assert {one.name for one in both.amounts} >= {one.name for one in amounts(SCHBENCH_WHOLE).amounts} and both.problems == ()
    assert all(map(has_own_lines_only, (amounts(piped), amounts(scaled), alone, both)))


@pytest.mark.parametrize(
    "form",
    [
        "Latency percentiles (usec)\n\t50.0000th: 66\n\t*99.0000th: 109\n\tOver=0, min=0, max=300\n",
        "Latency percentiles (usec) runtime 5 (s)\n\t50.0th: 66\n\tmin=0, max=300\n",
        "Wakeup latency percentiles (usec) runtime 5 (s) (9 total samples)\n\t50.0th: 66 (5 samples)\n\tmin=0, max=300\nautobench rps 20\n",
    ],
)
def test_percentiles_of_schbenchs_older_releases_are_read(form: str) -> None:
    found = amounts(form + "rps: 8001.10 p95 (usec) 52 p99 (usec) 70 p95/cputime 1.20% p99/cputime 2.33%\n")
    values = {one.name: one.values for one in found.amounts}
    assert values["wakeup latency 50 %"] == (66000.0,) and values["wakeup latency maximum"] == (300000.0,)
    assert values["requests per second average"] == (8001.1,) and found.problems == () and has_own_lines_only(found)


def test_what_schbench_says_of_its_threads_is_its_own() -> None:
    said = "auto pinning message and worker threads\nPinning to message thread index 0 cpu 1\nCPU Topology: 2 dies detected\n"
    said += "  Die 0: 0-7 (8 CPUs)\nMessage thread 0: cpus 0-7\nsetting worker threads to 4\nwarmup done, zeroing stats\n"
    said += "split mode: 50% private (128 KB per thread), 50% shared (128 KB total)\nmatrix sizes: private=10, shared=20\n"
    assert has_own_lines_only(amounts(said + SCHBENCH))


def test_buckets_that_stress_ng_leaves_out_are_zero() -> None:
    head, _, _ = STRESS.partition(CYCLIC + "latency distribution")
    rows = [f"{CYCLIC}{at:12d} {count:10d}\n" for at, count in ((0, 1474), (1000, 507), (2000, 18), (3000, 0), (4000, 1))]
    skipped = [f"{CYCLIC}          ..         .. (all zeros hereafter)\n", f"{CYCLIC}          ..         ..\n"]
    last = [f"{CYCLIC}{at:12d} {0:10d}\n" for at in (247000, 248000, 249000)]
    title = f"{CYCLIC}latency distribution (1000 ns intervals):\n{CYCLIC}(for the first 250 buckets of 400)\n"
    found = wakeups("".join([head, title, *rows, *skipped, *last]))
    assert [n for _, _, n in found.cpus[0].counts] == [1474, 507, 18, 0, 1] and found.cpus[0].beyond == 0
    assert found.complete and has_own_lines_only(found)
    cut = wakeups("".join([head, title, *rows, *skipped, *last[:2]]))
    assert "the buckets end at 248000 ns where stress-ng announces 250" in cut.problems[0]


def test_stress_ngs_statistics_are_kept_and_a_wake_up_may_be_early() -> None:
    facts = dict(wakeups("stress-ng: debug: [31582] cyclic: using method 'itimer'\n" + STRESS).facts)
    assert (facts["method"], facts["mode"], facts["standard deviation"]) == ("itimer", "13759 ns", "5446.60")
    assert facts["percentiles"].endswith("99.9 % 59537 ns, 99.99 % 65115 ns") and facts["samples needed to keep all"] == "24730"
    early = wakeups(STRESS.replace("min: 8972", "min: -350")).cpus[0]
    assert early.minimum_ticks == -350 and early.counts[0][0] == -350
    assert wakeups(STRESS.replace("mean: 17841.11", "mean: -41.11")).cpus[0].average_ticks == -41.11


def test_a_scheduler_of_sched_ext_is_named() -> None:
    found = wakeups(STRESS.replace("SCHED_RR:", "SCHED_EXT (scx_simple):"))
    assert ("scheduler", "SCHED_EXT (scx_simple)") in found.facts and has_own_lines_only(found)


@pytest.mark.parametrize("said", ["SCHED_FIFO: no latency information available", "no scheduling policies available, skipping stressor"])
def test_a_stressor_that_measured_nothing_is_refused_by_name(said: str) -> None:
    with pytest.raises(DataError, match="stress-ng's cyclic measured nothing"):
        wakeups(f"{CYCLIC}{said}\n")


def test_threads_of_jitterdebugger_are_cpus_only_where_all_cpus_are_measured() -> None:
    every, some = wakeups(jitterdebugger(2)), wakeups(jitterdebugger(4))
    assert (every.rows, some.rows) == (RowKind.CPU, RowKind.THREAD) and every.max_ns == some.max_ns
    assert "rows" not in dict(every.facts) and "does not name the CPU of a thread" in dict(some.facts)["rows"]


@pytest.mark.parametrize("largest", [2**32 - 1, 2**64 - 1])
def test_jitterdebuggers_minimum_of_no_sample_is_none(largest: int) -> None:
    text = jitterdebugger(2, count=0, min=largest, max=0, avg=0.5, histogram={}).replace('"avg": 0.5', '"avg": -nan')
    found = wakeups(text)
    assert (found.cpus[0].got, found.cpus[0].minimum_ticks, found.cpus[0].maximum_ticks) == (0, 0, 0)
    assert has_own_lines_only(found) and has_own_lines_only(wakeups(SCREEN + text))


def test_what_names_no_unit_of_jitterdebugger_is_refused_by_name() -> None:
    for screen in (SCREEN, "\nT: 0 ( 4711) C:      1000 Min:         1 Max:        12 Avg:    5.25 \x1b[K\n"):
        with pytest.raises(DataError, match="the screen of jitterdebugger"):
            wakeups(screen)
    with pytest.raises(DataError, match="jitterdebugger's samples as text"):
        wakeups("0;1234.000000123;5\n1;1234.000000124;7\n")


def test_the_mean_of_one_sample_is_that_sample_and_no_sample_is_no_damage() -> None:
    core = RTEVAL_XML.index('<core id="1"')
    one = RTEVAL_XML[:core] + re.sub(
        r"<samples>4</samples><minimum unit=\"us\">6", '<samples>1</samples><minimum unit="us">40', RTEVAL_XML[core:]
    )
    one = re.sub(r'<bucket index="6" value="1"/><bucket index="9" value="2"/>', "", one).replace("16.25", "0.0")
    assert (wakeups(one).cpus[1].got, wakeups(one).cpus[1].average_ticks, wakeups(one).complete) == (1, 40_000.0, True)
    text = (
        RTEVAL_REPORT.replace("Samples:           4", "Samples:           1")
        .replace("16.25us", "0.0us")
        .replace("Min:               6us", "Min: 40us")
    )
    assert wakeups(text).cpus[1].average_ticks == 40_000.0
    none = re.sub(r"Samples:           4\n(?:.*\n){3}", "Samples:           0\n", RTEVAL_REPORT)
    assert (wakeups(none).cpus[1].got, wakeups(none).problems) == (0, ())


def test_a_report_of_rteval_that_was_stopped_says_so() -> None:
    aborted = wakeups(RTEVAL_REPORT.replace("          System:", RTEVAL_ABORTED + "          System:"))
    assert aborted.problems == ("x: rteval stopped it, as a wake-up was later than its threshold",) and has_own_lines_only(aborted)
    stopped = wakeups("*** stop signal received - stopping rteval run ***\n" + RTEVAL_REPORT)
    assert "stopped by a signal" in stopped.problems[0] and has_own_lines_only(stopped)


def test_every_section_of_a_report_of_rteval_is_its_own_and_what_it_measured_beside_is_kept() -> None:
    report, _, _ = RTEVAL_REPORT.rpartition("  =====")
    more = report.replace("   Measurements:", RTEVAL_SYSTEM + "   Measurements:").replace(
        "            Median:", "            Mode:              5us\n            Mean Absolute Dev: 1.2us\n            Median:"
    )
    found = wakeups(RTEVAL_SHELL + more + RTEVAL_BESIDE)
    facts = dict(found.facts)
    assert (facts["gaps of hwlatdetect"], facts["records of sysstat"]) == ("1", "5") and has_own_lines_only(found), facts["lines"]
    assert facts["shared cores"] == "Warning: measurement CPU 0 shares core with load CPU 1" and found.complete
    beside = '<hwlatdetect format="1.0"><samples count="1"/></hwlatdetect><sysstat num_entries="5"/>'
    xml = dict(wakeups(RTEVAL_XML.replace("</Measurements>", beside + "</Measurements>")).facts)
    assert (xml["gaps of hwlatdetect"], xml["records of sysstat"]) == ("1", "5")


def test_several_latency_tests_in_a_report_of_rteval_are_refused() -> None:
    begin, end = RTEVAL_XML.index("    <cyclictest"), RTEVAL_XML.index("  </Measurements>")
    with pytest.raises(DataError, match="x: 2 latency tests in one report of rteval"):
        wakeups(RTEVAL_XML[:end] + RTEVAL_XML[begin:end] + RTEVAL_XML[end:])
    begin = RTEVAL_REPORT.index("   Measurements:")
    profile = RTEVAL_REPORT[begin:].replace("Measurements:", "Measurement profile 1: With loads, measurements in parallel")
    gaps = "   Measurement profile 2: Without loads, measurements serialised\n" + RTEVAL_BESIDE
    one = RTEVAL_REPORT[:begin] + profile + gaps
    assert len(wakeups(one).cpus) == 2 and has_own_lines_only(wakeups(one))
    with pytest.raises(DataError, match="x: 2 latency tests in one report of rteval"):
        wakeups(one + profile.replace("profile 1", "profile 3"))
