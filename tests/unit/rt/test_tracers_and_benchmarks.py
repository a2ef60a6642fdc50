# SPDX-License-Identifier: BSD-3-Clause
"""Times of interrupts by bcc, the kernel's own tracers, zyclictest, isochron and xtest: read to their figures, refused without any."""

from __future__ import annotations

import pytest

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.enums import Metric, RowKind
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, read_amounts, read_wakeups
from support.tool_texts import (
    APP_KERNEL,
    BOOT_TIME,
    HARDIRQS_HISTOGRAM,
    HWLAT_TRACE,
    ISOCHRON,
    OSNOISE_TRACE,
    SCHED_QUEUES,
    SOFTIRQS,
    SYS_KERNEL,
    TIMERLAT_TRACE,
    WAKEUP_RT_TRACE,
    XTEST_HASH,
    XTEST_STORAGE,
    ZTEST_BENCHMARK,
    ZTEST_BENCHMARK_CSV,
    ZYCLICTEST,
)


def imported(text: str) -> Wakeups | Benchmark:
    data = text.encode()
    return read_amounts(data, "x") if holds_amounts(data, "x") else read_wakeups(data, "x")


def amounts(text: str) -> dict[str, tuple[float, ...]]:
    found = imported(text)
    assert isinstance(found, Benchmark)
    return {one.name: one.values for one in found.amounts}


def test_times_of_soft_interrupts_have_a_value_for_each_interval() -> None:
    found = imported(SOFTIRQS)
    assert isinstance(found, Benchmark) and (found.tool, found.problems) == ("softirqs", ())
    assert {one.name: (one.metric, one.values, one.over_s) for one in found.amounts} == {
        "tasklet time": (Metric.DURATION, (22e3, 0.0), 1.0),
        "timer time": (Metric.DURATION, (168e3, 171e3), 1.0),
        "net_rx time": (Metric.DURATION, (1251e3, 930e3), 1.0),
    }
    assert amounts(SOFTIRQS.replace("TOTAL_usecs", "TOTAL_nsecs"))["timer time"] == (168.0, 171.0)
    counted = imported(SOFTIRQS.replace("event time", "events").replace("TOTAL_usecs", "TOTAL_count"))
    assert isinstance(counted, Benchmark) and {one.metric for one in counted.amounts} == {Metric.EVENTS}
    without = imported(SOFTIRQS.replace("16:34:08\n", "").replace("16:34:09\n", ""))
    assert isinstance(without, Benchmark) and {one.over_s for one in without.amounts} == {None}


def test_of_a_histogram_of_interrupts_the_count_and_the_last_bucket_are_kept() -> None:
    found = amounts(HARDIRQS_HISTOGRAM)
    assert found["nvme0q1 count"] == (43.0,) and found["nvme0q1 longest, the end of its bucket"] == (4e3,)
    assert found["eth0-TxRx-0 count"] == (7.0,) and found["eth0-TxRx-0 longest, the end of its bucket"] == (2e3,)


@pytest.mark.parametrize("foreign", ["random: crng init done", "Time Period Total: 1234567", "net_rx 5", "16:34:08 timer 5"])
def test_a_foreign_line_within_a_table_of_interrupts_is_no_row(foreign: str) -> None:
    changed = SOFTIRQS.replace("timer                    168\n", f"timer                    168\n{foreign}\n")
    assert amounts(changed) == amounts(SOFTIRQS)


def test_activations_of_timerlat_are_wake_ups_and_those_that_are_not_there_are_missed() -> None:
    found = imported(TIMERLAT_TRACE)
    assert isinstance(found, Wakeups) and (found.tool, found.problems, found.resolution_ns) == ("timerlat tracer", (), 1)
    assert [(cpu.number, cpu.got, cpu.expected, cpu.missed, cpu.minimum_ticks, cpu.maximum_ticks) for cpu in found.cpus] == [
        (0, 3, 4, 1, 3070, 11700),
        (1, 1, 1, 0, 9820, 9820),
    ]
    lost = imported(TIMERLAT_TRACE + "CPU:1 [LOST 3 EVENTS]\n")
    assert isinstance(lost, Wakeups) and not lost.complete
    with pytest.raises(DataError, match="no latency of a thread"):
        imported(TIMERLAT_TRACE.replace("context thread", "context    irq"))


def test_gaps_of_the_hwlat_tracer_are_counted_without_a_rate() -> None:
    found = imported(HWLAT_TRACE)
    assert isinstance(found, Benchmark)
    assert [(one.name, one.values, one.over_s) for one in found.amounts] == [
        ("gaps above the threshold", (7.0,), None),
        ("largest gap", (16e3,), None),
    ]
    assert ("CPUs with gaps", "1, 4") in found.facts
    with pytest.raises(DataError, match="has no gap"):
        imported("# tracer: hwlat\n#\n")


def test_periods_of_the_osnoise_tracer_are_summed_by_cpu() -> None:
    found = imported(OSNOISE_TRACE)
    assert isinstance(found, Benchmark)
    of_cpu_0 = {one.name: one.values for one in found.amounts if one.core and one.core.core == 0}
    assert of_cpu_0["noise"] == (400e3,) and of_cpu_0["most noise of a period"] == (210e3,) and of_cpu_0["longest single noise"] == (12e3,)
    assert of_cpu_0["hardware"] == (20.0,) and of_cpu_0["to the thread"][0] == pytest.approx(99.98)


def test_a_trace_of_the_largest_latency_is_that_latency_with_its_task() -> None:
    found = imported(WAKEUP_RT_TRACE)
    assert isinstance(found, Benchmark) and found.tool == "wakeup_rt tracer"
    assert [(one.test, one.name, one.core and one.core.core, one.values) for one in found.amounts] == [
        ("wakeup_rt", "largest latency", 3, (68e3,))
    ]
    assert ("task", "cyclictest-2389, real-time priority 95") in found.facts
    with pytest.raises(DataError, match="2 traces of the largest latency"):
        imported(WAKEUP_RT_TRACE + WAKEUP_RT_TRACE.replace("wakeup_rt", "irqsoff"))


def test_zyclictests_thread_is_read_and_its_summary_is_held_against_the_histogram() -> None:
    found = imported(ZYCLICTEST)
    assert isinstance(found, Wakeups) and (found.rows, found.interval_ns, found.problems) == (RowKind.THREAD, 1_000_000, ())
    (cpu,) = found.cpus
    assert (cpu.got, cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks) == (1000, 6000, 8000, 7000.0)
    assert ("largest latency of the interrupt", "6 µs") in found.facts
    assert imported(ZYCLICTEST.replace("   650\n", "   640\n")).problems
    quiet = imported(ZYCLICTEST.partition("\nHistogram")[0])
    assert isinstance(quiet, Wakeups) and quiet.cpus[0].got == 1000 and not quiet.cpus[0].counts
    with pytest.raises(DataError, match="without -q"):
        imported(ZYCLICTEST.partition("\nHistogram")[0].replace("Finished thread with count: 1000\n", ""))


def test_parts_of_a_packets_way_are_durations_and_a_budget_is_a_value() -> None:
    found = imported(ISOCHRON)
    assert isinstance(found, Benchmark) and not found.problems
    metrics = {one.name: (one.metric, one.values) for one in found.amounts}
    assert metrics["Wakeup latency maximum"] == (Metric.DURATION, (10640.0,))
    assert metrics["Application latency budget minimum"] == (Metric.VALUE, (38880.0,))
    assert metrics["deadline misses"] == (Metric.EVENTS, (0.0,))
    lost = imported(ISOCHRON.replace("Path delay: min 1192", "Path delay: min -1192") + "Packets not received: 3 (0.300%)\n")
    assert len(lost.problems) == 2 and "not synchronised" in lost.problems[0] and "not received: 3" in lost.problems[1]


def test_xtests_operations_are_named_by_their_settings() -> None:
    found = amounts(XTEST_HASH)
    assert found["SHA256, size=1024 bytes mean"] == (110.4e3,) and found["SHA256, size=1024 bytes maximum"] == (1750e3,)
    stored = amounts(XTEST_STORAGE)
    assert stored["TEE Trusted Storage Performance Test (WRITE) 1024 bytes, kB/s"] == (7.692,)
    failed = imported(XTEST_STORAGE.replace("benchmark_1001 OK", "benchmark_1001 FAILED"))
    assert failed.problems == ("x:8: xtest says that benchmark_1001 failed",)


def test_zephyrs_benchmarks_are_durations_where_they_print_time_and_values_where_they_print_cycles() -> None:
    framework = imported(ZTEST_BENCHMARK)
    assert isinstance(framework, Benchmark) and (framework.tool, framework.problems) == ("ztest", ())
    figures = {one.name: (one.metric, one.values) for one in framework.amounts}
    assert figures["interrupt.entry_trigger_to_isr maximum, cycles"] == (Metric.VALUE, (201.0,))
    assert figures["interrupt.yield_loop operations per second"] == (Metric.THROUGHPUT, (11111111.111,))
    as_csv = amounts(ZTEST_BENCHMARK_CSV)
    assert all(as_csv[name] == figures[name][1] for name in as_csv) and len(as_csv) == 5
    assert amounts(SYS_KERNEL) == {"Semaphore #1": (1234.0,)}
    assert amounts(BOOT_TIME) == {"to main()": (91e3,), "to task": (95e3,), "to idle": (98e3,)}
    queues = amounts(SCHED_QUEUES)
    assert queues["Add threads of decreasing priority maximum"] == (3000.0,) and len(queues) == 4
    assert amounts(APP_KERNEL) == {"enqueue 1 byte msg in MSGQ": (1234.0,), "signal semaphore": (567.0,)}
    assert ("not imported", "1 rows of tables with several columns") in imported(APP_KERNEL).facts


def test_what_a_benchmark_of_zephyr_says_against_itself_is_a_problem() -> None:
    nothing = "interrupt ########\nentry ========\n\tTest inconclusive (no samples recorded)\n"
    assert imported(ZTEST_BENCHMARK + nothing).problems == ("x:19: interrupt.entry is inconclusive; it is left out",)
    assert "tick occurred" in imported(SCHED_QUEUES.replace("PROJECT", " Error: tick occurred\nPROJECT")).problems[0]
    assert "Semaphore #1 failed" in imported(SYS_KERNEL.replace("RESULT: SUCCESSFUL", "RESULT: FAILED")).problems[0]


def test_osadls_histograms_are_cyclictests_rows_without_a_title() -> None:
    rows = "".join(f"{low:06}\t{count:06}\t{count + 1:06}\n" for low, count in enumerate((0, 5, 90, 3)))
    with pytest.raises(DataError, match="use --as cyclictest"):
        imported(rows)
    found = read_wakeups(rows.encode(), "x", "cyclictest")
    assert [(cpu.got, cpu.maximum_ticks) for cpu in found.cpus] == [(98, 3000), (102, 3000)]
    assert found.problems and "no totals" in found.problems[0]


def test_time_stamps_of_op_tees_benchmark_framework_are_refused_by_name() -> None:
    text = "timestamps:\n- core: 0\n  counter: 5120393\n  address: 0x4c10\n  component: libteec\n"
    with pytest.raises(DataError, match="OP-TEE's benchmark framework, in ticks"):
        imported(text)
