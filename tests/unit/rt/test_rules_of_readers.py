# SPDX-License-Identifier: BSD-3-Clause
"""Rules for the output of every tool: what it did not count is unknown, a part is not the whole, its unit is in the file or asked for, its
own failure decides, and figures that cannot be are refused."""

from __future__ import annotations

import json
import re

import pytest

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Metric, RowKind
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, known_names, proven_tools, read_amounts, read_wakeups
from support.mixed_outputs import clean_texts
from support.refusals import refused

SAMPLES = "Thread 0 Interval: 1000\n" + "".join(f"{0:8}:{cycle:8}:{20 + cycle:8}\n" for cycle in range(6))
SCREEN = "T: 0 ( 4711) P:80 I:1000 C:   {0} Min:     11 Act:   14 Avg:   13 Max:      16\n"
HISTOGRAM = """# Histogram
000011 000003
000013 000005
000016 000002
# Total: 000000010
# Min Latencies: 00011
# Avg Latencies: 00013
# Max Latencies: 00016
# Histogram Overflows: 00000
"""
PAIRS = """#0: ID4711, P80, CPU3, I1000; #1: ID4712, P80, CPU2, TO 0, Cycles 40
#2: ID4713, P79, CPU1, I1500; #3: ID4714, P79, CPU0, TO 0, Cycles 30
#1 -> #0, Min    5, Cur    9, Avg    7, Max   21
#3 -> #2, Min    6, Cur    8, Avg    8, Max   19
"""


def imported(text: str, stated: str = "") -> Wakeups | Benchmark:
    data = text.encode()
    return read_amounts(data, "x", stated) if holds_amounts(data, "x", stated) else read_wakeups(data, "x", stated)


def wakeups(text: str, stated: str = "") -> Wakeups:
    found = imported(text, stated)
    assert isinstance(found, Wakeups)
    return found


def amounts(text: str, stated: str = "") -> dict[str, tuple[float, ...]]:
    found = imported(text, stated)
    assert isinstance(found, Benchmark)
    return {one.name: one.values for one in found.amounts}


@pytest.mark.parametrize(("column", "counted"), [("", None), ("       0", "0"), ("       2", "12")])
def test_what_a_tool_did_not_count_is_unknown_and_not_zero(column: str, counted: str | None) -> None:
    text = re.sub(r"(?<=\d)$", column, SAMPLES.partition("\n")[2].rstrip(), flags=re.MULTILINE) + "\n"
    smis = dict(wakeups(text).facts).get("system management interrupts")
    assert smis == (None if counted is None else f"thread 0: {counted}")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (SAMPLES, ""),
        ("".join(SAMPLES.splitlines(keepends=True)[::2]), "x: thread 0: 3 of 6 cycles are in it"),
        ("\n".join(SAMPLES.split("\n")[4:]), "x: thread 0: 3 of 6 cycles are in it"),
        (SCREEN.format(90) + SCREEN.format(70).replace("T: 0 ( 4711)", "T: 1 ( 4712)"), ""),
        (SCREEN.format(90) + SCREEN.format(70).replace("T: 0 ( 4711)", "T: 2 ( 4713)"), "x: thread 1 is not in it and thread 2 is"),
        (SCREEN.format(90).replace("T: 0 ", "T: 1 "), "x: thread 0 is not in it and thread 1 is"),
    ],
)
def test_a_subset_is_not_the_whole(text: str, part: str) -> None:
    problems = wakeups(text).problems
    assert problems == () if not part else problems[0].startswith(part)


@pytest.mark.parametrize(
    "text",
    [
        SAMPLES.replace(":      2", ":   2100"),
        SCREEN.format(90).replace("Min:     11", "Min:   2100").replace("Avg:   13", "Avg: 2300").replace("Max:      16", "Max:    2600"),
        "# Histogram\n" + "".join(f"{row:06} 000000\n" for row in range(100_001)) + HISTOGRAM.partition("# Histogram\n")[2],
    ],
    ids=["samples later than their period", "a thread later than its period", "a row for each of 100,000 units"],
)
def test_figures_that_contradict_microseconds_ask_for_their_unit(text: str) -> None:
    text = "# Histogram\n" + "".join(f"{row:06} {row % 2:06}\n" for row in range(100_001)) if "# Histogram" in text else text
    with pytest.raises(DataError, match="the file does not name its unit; say it with --unit ns"):
        imported(text)
    nanoseconds, microseconds = wakeups(text, "\nns"), wakeups(text, "\nus")
    assert microseconds.max_ns == 1000 * nanoseconds.max_ns and nanoseconds.resolution_ns == 1
    named = wakeups(f"$ cyclictest -p80 -i 1000\n{text}")
    assert named.resolution_ns == 1000, "the command has no -N"


def test_a_unit_that_the_file_names_is_not_taken_from_the_user() -> None:
    with pytest.raises(UsageError, match="the output of pmqtest names its unit and columns; leave out --unit and --column"):
        imported(PAIRS, "\nns")
    with pytest.raises(UsageError, check=refused(value="hours")):
        imported(SAMPLES, "\nhours")


FAILED = (
    "Tracer timerlat not found!",
    "stress-ng: error: [99] cyclic: [100] terminated with an error, exit status=2 (stressor failed)",
    "stress-ng: info:  [99] unsuccessful run completed in 5.00 secs",
    "FATAL: could not access /dev/cpu_dma_latency",
    "Traceback (most recent call last):",
    "./measure.sh: line 7: 4711 Segmentation fault      cyclictest -q",
    "E: >>> ZEPHYR FATAL ERROR 3: Kernel oops on CPU 0",
    "cyclictest: option '--histfile' requires an argument",
    "/usr/bin/cyclictest: unrecognized option '--histogramm'",
    "hwlatdetect: error: unrecognized arguments: --json=h.json",
)


@pytest.mark.parametrize("line", FAILED)
def test_a_tool_that_says_that_it_failed_makes_no_complete_run(line: str) -> None:
    for name, text in sorted(clean_texts().items()):
        if text.lstrip().startswith(("{", "<", '"')):
            continue
        try:
            found = imported(f"{text}\n{line}\n")
        except DataError:
            continue
        assert any(line[:30] in problem for problem in found.problems), name
    with pytest.raises(DataError, match="x:2: a tool failed and printed no figure; line 2: "):
        imported(f"+ ./measure.sh -d 60s\n{line}\nmeasure pass\n")


def test_of_a_traceback_the_exception_is_told() -> None:
    raised = 'Traceback (most recent call last):\n  File "x", line 442, in <module>\n    detect()\nDetectorNotAvailable: no tracer\n'
    with pytest.raises(DataError, match="line 4: 'DetectorNotAvailable: no tracer'"):
        imported(raised)


@pytest.mark.parametrize(
    "line", ["stress-ng: info:  [99] successful run completed in 5.00 secs", "0 errors, 0 failures", "Killed time: 3 s", "note: error: 3"]
)
def test_a_tool_that_succeeded_did_not_fail(line: str) -> None:
    assert not wakeups(f"{SCREEN.format(90)}{line}\n").problems


def test_a_screen_above_a_histogram_is_a_state_and_the_histogram_is_the_result() -> None:
    found = wakeups(SCREEN.format(4) + SCREEN.format(9) + HISTOGRAM)
    assert (found.problems, found.cpus[0].got, found.cpus[0].beyond) == ((), 10, 0)
    later = wakeups(HISTOGRAM + SCREEN.format(9))
    assert later.problems == ("x: thread 0: the histogram holds 10 samples, the summary says 9 cycles",)
    more = wakeups(SCREEN.format(14) + HISTOGRAM)
    assert (more.cpus[0].got, more.cpus[0].beyond) == (14, 4), "the screen counted more than the histogram shows"


def _object(program: str, thread: dict[str, object], **more: object) -> str:
    return json.dumps({"cmdline:": f"{program} -p80 -i1000", "return_code": 0, "thread": {"0": thread, **more}})


def test_a_run_in_two_forms_is_one_run() -> None:
    receivers = [{"cpu": cpu, "priority": priority, "min": low, "avg": average, "max": high}
                 for cpu, priority, low, average, high in ((3, 80, 5, 7.5, 21), (1, 79, 6, 8.25, 19))]  # fmt: skip
    senders = [{"cpu": cpu, "priority": p, "samples": n, "interval": i} for cpu, p, n, i in ((2, 80, 40, 1000), (0, 79, 30, 1500))]
    first, second = ({"sender": sender, "receiver": receiver} for sender, receiver in zip(senders, receivers, strict=True))
    pairs = (PAIRS, _object("pmqtest", first, **{"1": second}))
    cyclictest = (
        SCREEN.format(10),
        _object("cyclictest -t1", {"cycles": 10, "min": 11, "avg": 13.4, "max": 16, "cpu": -1, "histogram": {}}),
    )
    signaltest = (
        "T: 0 ( 4711) P:80 C:     10 Min:     11 Act:   14 Avg:   13 Max:      16\n",
        _object("signaltest", {"cycles": 10, "min": 11, "avg": 13.4, "max": 16}),
    )
    for text, document in (pairs, cyclictest, signaltest):
        one, other = wakeups(text), wakeups(document)
        assert (one.tool, one.rows, one.resolution_ns) == (other.tool, other.rows, other.resolution_ns)
        figures = [[(cpu.number, cpu.got, cpu.minimum_ticks, cpu.maximum_ticks) for cpu in found.cpus] for found in (one, other)]
        assert figures[0] == figures[1]
        assert all(abs(a.average_ticks - b.average_ticks) < 1000 for a, b in zip(one.cpus, other.cpus, strict=True))
        assert None in (one.conditions.priority, other.conditions.priority) or one.conditions.priority == other.conditions.priority == 80
    assert [cpu.number for cpu in wakeups(PAIRS).cpus] == [1, 3], "the CPU of the thread that is woken"


def test_a_pair_that_was_never_ready_is_a_pair_that_never_woke() -> None:
    found = wakeups(PAIRS.replace("#3 -> #2, Min    6, Cur    8, Avg    8, Max   19", "#3 -> #2 (not yet ready)"))
    assert [(cpu.number, cpu.got) for cpu in found.cpus] == [(1, 0), (3, 40)] and not found.problems


IMPOSSIBLE = (
    (SCREEN.format(90).replace("Min:     11", "Min:     61"), "thread 0: the minimum 61 µs is above the maximum 16 µs"),
    (SCREEN.format(90).replace("Avg:   13", "Avg:  413"), "thread 0: the average 413 µs is not between 11 and 16 µs"),
    (PAIRS.replace("Max   21", "Max    3"), "CPU 3: the minimum 5 µs is above the maximum 3 µs"),
    (
        json.dumps({"cpu": {"0": {"count": 5, "min": -3, "max": 9, "avg": 4.0, "histogram": {}}}}),
        "CPU 0: the minimum is -3 µs, and jitterdebugger prints no latency below zero",
    ),
    (
        "min=20.5us max=9.25us mean=12us stddev=1us (cv 1%) (1MiB/s)\n",
        "minimum is 20500 and mean 12000",
    ),
)


@pytest.mark.parametrize(("text", "reason"), IMPOSSIBLE, ids=[reason for _, reason in IMPOSSIBLE])
def test_figures_that_cannot_be_are_refused(text: str, reason: str) -> None:
    with pytest.raises(DataError, match=re.escape(f"x: {reason}, which cannot be")):
        imported(text)


def test_percentiles_that_fall_make_a_run_partial() -> None:
    lines = ("50.0th: 68         (603 samples)", "90.0th: {0}       (603 samples)", "99.0th: 801      (181 samples)", "min=1, max=790")
    title = "Wakeup Latencies percentiles (usec) runtime 30 (s) (1811 total samples)"
    text = "\n\t  ".join((title, *lines)) + "\naverage rps: 58.20\n"
    assert not imported(text.format(157)).problems, "a percentile is rounded to its bucket, and may lie above the maximum by that"
    fallen = imported(text.format(1570))
    assert fallen.problems == ("x: wakeup latency 90 % is 1570000 and wakeup latency 99 % 801000, so percentiles are out of order",)


def test_more_wake_ups_than_were_due_cannot_be() -> None:
    whole = """RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)
RTS|      0.250|      1.375|     21.500|       0|     0|    00:00:02/00:00:02
HSD|    avg| 0 -  1 | {0}
"""
    assert wakeups(whole.format(2000)).cpus[0].got == 2000
    with pytest.raises(DataError, match=r"thread 0: 90,000 wake-ups in 2 s at 1000 µs, which cannot be"):
        wakeups(whole.format(90_000))


ONE_MARK = (
    '{"benchmarks": ["a", "b"], "thread": 4}',
    '{"machine_info": {}, "benchmarks": []}',
    ",value\n0,17\n1,19\n2,23\n",
    "index,name\n0,a\n1,b\n",
    "# tracer: function\n",
    "Time: soon\n",
)


@pytest.mark.parametrize("text", ONE_MARK)
def test_one_mark_proves_no_tool(text: str) -> None:
    with pytest.raises(DataError):
        imported(text)


def test_benchmarks_of_another_program_are_its_own() -> None:
    rounds = {"fullname": "tests/test_a.py::test_b", "stats": {"min": 0.002, "max": 0.004, "mean": 0.003, "data": [0.002, 0.004, 0.003]}}
    document = {"machine_info": {"node": "ci", "machine": "aarch64"}, "benchmarks": [rounds]}
    found = imported(json.dumps(document))
    assert isinstance(found, Benchmark) and (found.tool, dict(found.facts)["machine"]) == ("pytest-benchmark", "aarch64")
    assert [(one.name, one.values) for one in found.amounts] == [("tests/test_a.py::test_b", (2e6, 4e6, 3e6))]
    del rounds["stats"]["data"]  # type: ignore[attr-defined]
    without = amounts(json.dumps(document))
    assert without == {
        "tests/test_a.py::test_b minimum": (2e6,),
        "tests/test_a.py::test_b mean": (3e6,),
        "tests/test_a.py::test_b maximum": (4e6,),
    }


def test_a_column_that_counts_the_rows_is_no_measurement() -> None:
    table = "index,metric,cycles,nanoseconds\n0,Time to start a thread,640,10000\n1,Time to stop a thread,64,1000\n"
    assert amounts(table) == {"Time to start a thread": (10_000.0,), "Time to stop a thread": (1_000.0,)}


BPFTRACE = """# runqlat.bt
Attached 5 probes
Tracing CPU scheduler... Hit Ctrl-C to end.
^C

@usecs:
[1]                    2 |@@@@                                                |
[2, 4)                26 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
[4, 8)                 0 |                                                    |
[1K, 2K)               3 |@@@@@@                                              |
"""


def test_twins_of_a_tool_are_read_as_the_tool() -> None:
    found = wakeups(BPFTRACE)
    assert (found.tool, found.rows, found.problems) == ("runqlat", RowKind.ALL, ())
    assert found.cpus[0].counts == ((1_000, 2_000, 2), (2_000, 4_000, 26), (1_024_000, 2_048_000, 3))
    torn = wakeups(BPFTRACE.replace("[4, 8)                 0 |", "[4, 8)         |"))
    assert torn.problems[0].startswith("x:9: '[4, 8)")
    other = BPFTRACE.replace("CPU scheduler", "block device I/O")
    with pytest.raises(
        DataError, match=r"x: a histogram of bpftrace \(line 7\), without the line .*, else `latlab import x --as histogram`"
    ):
        imported(other)
    assert wakeups(other, "histogram").cpus[0].counts == found.cpus[0].counts


def test_columns_of_a_newer_release_are_read_by_their_names() -> None:
    table = (
        f"{'HARDIRQ':26} TOTAL_count TOTAL_usecs MAX_usecs\n{'eth0':26} {19:11} {318:11} {42:9}\n{'my irq 7':26} {2:11} {32:11} {21:9}\n"
    )
    found = amounts(f"Tracing hard irq event time... Hit Ctrl-C to end.\n{table}")
    assert found["eth0 count"] == (19.0,) and found["eth0 time"] == (318e3,) and found["eth0 longest"] == (42e3,)
    assert found["my irq 7 count"] == (2.0,)


@pytest.mark.parametrize(
    "above",
    ["$ {0}", "root@board:~# {0}", "+ {0}", "[root@board rt]# /usr/bin/{0}", "root@board:/usr/bin {0}"],
)
@pytest.mark.parametrize(
    ("command", "text"),
    [("cyclictest -p 80 -i 1000 -q", SCREEN.format(90)), ("pmqtest -t2 -p80", PAIRS), ("schbench -t 4", None), ("latency -t0 -p100", None)],
)
def test_the_command_above_is_a_setting(above: str, command: str, text: str | None) -> None:
    output = text or next(clean for _, clean in sorted(clean_texts().items()) if _is_of(clean, command))
    found = imported(f"{above.format(command)}\n{output}")
    assert [shown.removeprefix("/usr/bin/") for shown in found.conditions.commands] == [command]


def _is_of(text: str, command: str) -> bool:
    names = {"schbench": "schbench", "latency": "Xenomai's latency"}
    return proven_tools(text.encode()) == (names.get(command.split()[0], ""),) and not imported(text).conditions.commands


def test_settings_that_a_tool_does_not_print_are_those_of_its_command() -> None:
    line = "min=10us max=30us mean=12us stddev=1us (cv 1%) (1MiB/s)\n"
    assert "--aes-perf -m CTR -k 256 minimum" in amounts(f"# xtest --aes-perf -m CTR -k 256 -n 50\n{line}")
    verbose = "Starting test: CTR, encrypt, keysize=256 bits, random={0}, in place=no, inner loops=1, loops=50, unit=64\n"
    assert "CTR, encrypt, keysize=256 bits minimum" in amounts(verbose.format("no") + line)
    assert "CTR, encrypt, keysize=256 bits, random=yes minimum" in amounts(verbose.format("yes") + line)
    assert ("loops", "50") in imported(verbose.format("no") + line).facts


def test_equal_times_of_a_load_are_suspect() -> None:
    run = "Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)\nTime: {0}\n"
    same = imported("".join(run.format("1.000") for _ in range(4)))
    assert same.problems == ("x: all 4 times are exactly 1 s, which runs of a load are not",)
    assert not imported("".join(run.format("0.012") for _ in range(4))).problems
    assert not imported("".join(run.format(time) for time in ("1.000", "1.000", "1.001"))).problems


def test_a_tool_that_its_threshold_stopped_says_where() -> None:
    with pytest.raises(DataError, match="at its threshold of 20 µs, by 29 µs on CPU 3, and printed no figures"):
        imported("oslat: Trace threshold (20 us) triggered on cpu 3 with 29 us!\nStopping the test.\noslat V 2.40\n")


def test_rtos_benchmark_has_its_three_figures() -> None:
    text = """** Thread stats [avg, min, max] in nanoseconds **
 Spawn (no context switch)               :   5166,   5158,   6500
 Resume (no context switch)              :    n/a,    n/a,    n/a
"""
    found = amounts(text)
    assert found == {
        "Thread: Spawn (no context switch) minimum": (5158.0,),
        "Thread: Spawn (no context switch) mean": (5166.0,),
        "Thread: Spawn (no context switch) maximum": (6500.0,),
    }


EVENTS = """     teec-337     [000] .....  10.000100: optee_invoke_fn_begin: param=00000000aa (32000003, 0, 0, 0, 0, 0, 0, 0)
   <idle>-0       [001] d..1.  10.000150: cpu_idle: state=1 cpu_id=1
     teec-337     [000] .....  10.006100: optee_invoke_fn_end: param=00000000aa ret (ffffffffffff0005, 0, 0, 0)
   <idle>-0       [001] d..1.  10.000950: cpu_idle: state=4294967295 cpu_id=1
     teec-337     [000] .....  14.006100: optee_invoke_fn_begin: param=00000000aa (32000003, 0, 0, 0, 0, 0, 0, 0)
     teec-337     [000] .....  14.007100: optee_invoke_fn_end: param=00000000aa ret (0, 0, 0, 0)
"""


@pytest.mark.parametrize("head", ["", "# tracer: nop\n#\n"])
def test_a_trace_says_how_long_calls_and_idle_states_took_by_pairs_of_its_events(head: str) -> None:
    found = imported(head + EVENTS)
    assert isinstance(found, Benchmark) and not found.problems
    by_name = {one.name: (str(one.core), [round(value, -3) for value in one.values]) for one in found.amounts}
    assert by_name == {
        "optee_invoke_fn 32000003": ("0.0", [6_000_000, 1_000_000]),
        "between two optee_invoke_fn": ("0.0", [4_000_000_000]),
        "idle state 1": ("0.1", [800_000]),
    }
    assert {one.metric for one in found.amounts} == {Metric.DURATION}


@pytest.mark.parametrize("text", ["an e-mail about the weather\n", "it was cyclictest that ran\n", "  001 (us): 4\n Max Latency: 3us\n"])
def test_a_refusal_names_three_formats_at_most_with_what_the_file_lacks(text: str) -> None:
    with pytest.raises(DataError, match="the format is not known") as raised:
        imported(text)
    named = [name for name in known_names() if re.search(rf"\b{re.escape(name)} \(", str(raised.value))]
    assert len(named) <= 3 and len(str(raised.value)) < 600
    assert "docs/reference/formats.md" in str(raised.value)


FOREIGN = {
    "core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0\n": "Spike",
    "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n": "Ibex",
    "C0:         42 [1] pc=[0000000080000000] W[r 5=0000000080000000][1] R[r 0=0][0] inst=[00000297]\n": "Rocket",
    "   9650ns      959 M 0000000080000000 0 00000297 auipc          t0, 0x0\n": "CVA6",
    "Trace 0: 0x7f3c9c000100 [00000000/0000000080000000/0x19001/0xff000000]\n": "option -d",
    "77000: system.cpu: T0 : 0x80000000    : auipc t0, 0\n": "gem5",
    '"Index","Time","Core","Context","Event","Detail"\n': "SystemView",
    "4 clk cpu0 IT (1) 00000000 d53800a1 O EL3h_s : MRS x1,MPIDR_EL1\n": "Tarmac",
    "NOTICE:  BL31: v2.6(debug):v2.6\nINFO:    BL31: Initializing runtime services\n": "ENABLE_RUNTIME_INSTRUMENTATION=1",
    "B::Trace.List\n": "Lauterbach",
    "Total inversion performed: 156095\nTest Duration: 0 days, 0 hours, 0 minutes, 3 seconds\n": "pi_stress",
    '{"cmdline:": "/usr/bin/pi_stress -D 2 --json=p.json", "rt_test_version:": "2.40", "inversion": 4}\n': "JSON of pi_stress",
    '{"cmdline:": "ssdd -f 2 --json=s.json", "rt_test_version:": "2.40", "return_code": 0}\n': "ssdd",
    "Successfully used priority inheritance to handle an inversion\n": "pip_stress",
    "tsc_freq_ghz = 2.000000, cycles_to_ns = 0.500000\nmax_queue_len = 400\n[0 - 99] = 17355\n": "queuelat",
    "Parent pid: 2655\n Task 0 (prio 2) (pid 2656):\n   Max: 20112 us\n": "rt-migrate-test",
    "100000 test loops took 348us total (343 internal)\ncalculated loops for 1000us=291545\n": "deadline_test",
}


@pytest.mark.parametrize(("text", "name"), FOREIGN.items(), ids=list(FOREIGN.values()))
def test_what_is_known_and_not_read_is_refused_by_name_with_a_way(text: str, name: str) -> None:
    with pytest.raises(DataError) as raised:
        imported(text)
    assert name in str(raised.value) and "the format is not known" not in str(raised.value) and raised.value.next_step
