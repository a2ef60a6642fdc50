# SPDX-License-Identifier: BSD-3-Clause
"""Inputs as people posted them in public (tests/data/field): read rightly, or refused with the true reason; and whatever a logger puts
around the lines of a tool changes no figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.enums import Metric
from latlab.core.readers.console_text import console_text
from latlab.core.readers.device_tree import read_tree
from latlab.psci.readers.idle_states import read_idle_states
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, read_amounts, read_wakeups
from support.places import RT_DATA, TESTS, TOOLS_DATA

FIELD = TESTS / "data" / "field"
LATEST_NS = {
    "threads-on-one-cpu.txt": {0: (540_000, 217_000), 1: (360_000, 340_000)},
    "load-beside-cyclictest.txt": {0: (540_000, 217_000), 1: (360_000, 340_000)},
    "cyclictest-nanoseconds.txt": {0: (292, 6_642)},
    "cyclictest-old-padded-interval.txt": {0: (1000, 561_000), 1: (671, 498_000), 2: (504, 533_000), 3: (403, 394_000)},
    "lava-yaml-histogram.yaml": {0: (2000, 368_000), 1: (2000, 794_000)},
    "lava-yaml-summary.yaml": {0: (60_000, 4_344_000), 1: (40_000, 812_000)},
    "utf16-redirect.txt": {0: (10_000, 34_000), 1: (6_667, 66_000)},
    "rtla-hist-after-a-prompt.txt": {1: (597_923, 3_000), 2: (599_320, 3_000)},
    "rtla-top-stopped-and-analysed.txt": {0: (5823, 1_035_000), 1: (5824, 11_000), 2: (5824, 10_000), 3: (5824, 13_000)},
    "xenomai-klatency.txt": {0: (40_000, 4_333)},
    "cyclicdeadline-histogram.txt": {0: (500, 311_000), 1: (334, 250_000)},
    "cyclicdeadline-json-histogram.json": {0: (301, 267_000), 1: (201, 282_000)},
    "oslat-from-a-container.txt": {5: (426_838_980, 6_000), 6: (426_250_684, 17_000), 7: (425_959_748, 6_000)},
    "rt-tests-json-of-linaro.json": {0: (5000, 148_000), 1: (5000, 209_000)},
    "zephyr-zyclictest.txt": {0: (547_329, 27_000)},
    "osnoise-hist-average-below-minimum.txt": {0: (5629, 2_955_000), 1: (1364, 56_000)},
}
REFUSED = {
    "cpufreq-time-in-state.txt": "rows of numbers, without `# Histogram`",
    "three-boards-in-one-paste.txt": ":13: a second run of cyclictest (thread 0 is process 1636, then 2234), the first is at line 6",
    "two-json-in-one-file.json": ":2: a second JSON object begins",
    "three-tools-of-one-test-run.txt": "two tools, hwlatdetect and cyclictest",
    "osnoise-hist-without-noise.txt": "saw no noise above its threshold in 0 00:00:05",
}


def imported(data: bytes, place: str) -> Wakeups | Benchmark:
    return read_amounts(data, place) if holds_amounts(data, place) else read_wakeups(data, place)


@pytest.mark.parametrize(("name", "figures"), LATEST_NS.items(), ids=list(LATEST_NS))
def test_wake_ups_of_a_posted_file_are_read_rightly(name: str, figures: dict[int, tuple[int, int]]) -> None:
    found = imported((FIELD / name).read_bytes(), name)
    assert isinstance(found, Wakeups)
    assert {cpu.number: (cpu.got, cpu.maximum_ticks) for cpu in found.cpus} == figures
    for cpu in found.cpus:
        assert cpu.minimum_ticks <= cpu.average_ticks <= cpu.maximum_ticks
        counted_first = found.tool == "cyclicdeadline"  # its histogram has the first cycle, which its count leaves out
        assert not cpu.counts or cpu.got <= cpu.counted <= cpu.got + counted_first


@pytest.mark.parametrize(("name", "said"), REFUSED.items(), ids=list(REFUSED))
def test_a_posted_file_that_is_not_one_measurement_is_refused_with_the_reason(name: str, said: str) -> None:
    with pytest.raises(DataError) as refused:
        imported((FIELD / name).read_bytes(), name)
    assert said in str(refused.value) and str(refused.value).startswith(name)


def test_hwlatdetects_gaps_name_their_cpus_and_agree_with_the_summary() -> None:
    found = imported((FIELD / "hwlatdetect-cpu-field.txt").read_bytes(), "x")
    assert isinstance(found, Benchmark) and not found.problems
    assert [amount.values for amount in found.amounts] == [(2.0,), (129e3,)]
    assert ("CPUs with gaps", "0, 3") in found.facts


def test_times_of_soft_interrupts_and_a_largest_latency_are_amounts_and_no_wake_ups() -> None:
    found = imported((FIELD / "softirqs-time-of-day.txt").read_bytes(), "x")
    assert isinstance(found, Benchmark) and found.tool == "softirqs" and not found.problems
    assert {one.name: (one.values, one.over_s) for one in found.amounts}["tasklet time"] == ((22e3, 0.0), 1.0)
    histograms = imported((FIELD / "softirqs-distribution.txt").read_bytes(), "x")
    assert isinstance(histograms, Benchmark) and not histograms.problems
    assert {one.metric for one in histograms.amounts} == {Metric.EVENTS, Metric.DURATION}
    largest = imported((FIELD / "wakeup_rt-tracer.txt").read_bytes(), "x")
    assert isinstance(largest, Benchmark) and [(one.name, one.values) for one in largest.amounts] == [("largest latency", (68e3,))]


def test_a_counter_of_system_management_interrupts_that_cannot_be_read_is_unknown_and_not_zero() -> None:
    found = imported((FIELD / "hwlatdetect-smis-not-readable.txt").read_bytes(), "x")
    assert isinstance(found, Benchmark)
    assert [amount.name for amount in found.amounts] == ["gaps above the threshold"]
    assert dict(found.facts)["system management interrupts"].startswith("unknown")


def test_what_stopped_rtla_is_kept_with_its_analysis() -> None:
    found = imported((FIELD / "rtla-top-stopped-and-analysed.txt").read_bytes(), "x")
    facts = dict(found.facts)
    assert "threshold" in facts["stopped"]
    assert facts["rtla's analysis"] == "CPU 0: blocking thread kworker/0:2:412, 990.12 µs of 1035.20 µs"


def test_operations_have_their_own_names_under_twisters_prefix_and_a_tool_has_its_own() -> None:
    found = imported((FIELD / "zephyr-latency-measure-under-twister.txt").read_bytes(), "x")
    assert isinstance(found, Benchmark) and not found.problems
    assert (found.amounts[0].name, found.amounts[0].values) == ("Average thread context switch using yield", (5792.0,))
    before = imported((FIELD / "zephyr-timing-info.txt").read_bytes(), "x")
    assert isinstance(before, Benchmark) and before.tool == "timing_info"


@pytest.mark.parametrize(("status", "used"), [("okay", 2), ("ok", 2), ("disabled", 1), ("fail", 1), ("reserved", 1)])
def test_an_idle_state_that_the_tree_switches_off_is_left_out(status: str, used: int) -> None:
    tree = read_tree((FIELD / "idle-state-disabled.dtb").read_bytes())
    tree.set_property("status", status, "/cpus/idle-states/cluster-sleep")
    assert len(read_idle_states(tree.to_dtb(), "x").states) == used


def test_a_cpu_that_the_tree_switches_off_uses_no_state() -> None:
    tree = read_tree((FIELD / "idle-state-disabled.dtb").read_bytes())
    before = read_idle_states(tree.to_dtb(), "x")
    tree.set_property("status", "disabled", "/cpus/cpu@0")
    after = read_idle_states(tree.to_dtb(), "x")
    assert set(before.states[0].cpus) - set(after.states[0].cpus) == {0}


def _prefixed(prefix: Callable[[int], str]) -> Callable[[str], str]:
    return lambda text: "".join(f"{prefix(number)}{line}\n" for number, line in enumerate(text.splitlines()))


AROUND: dict[str, Callable[[str], str]] = {
    "mail": _prefixed(lambda number: "> "),
    "mail of a mail": _prefixed(lambda number: "> > "),
    "ts": _prefixed(lambda number: f"Nov 27 03:29:{number % 60:02} "),
    "ts -i": _prefixed(lambda number: f"00:00:{number % 60:02} "),
    "journal": _prefixed(lambda number: f"Nov 27 03:29:{number % 60:02} board cyclictest.sh[412]: "),
    "kubectl": _prefixed(lambda number: f"2026-11-27T03:29:{number % 60:02}.123456789Z stdout F "),
    "docker and GitHub": _prefixed(lambda number: f"2026-11-27T03:29:{number % 60:02}.1234567Z "),
    "serial logger": _prefixed(lambda number: f"[2026-11-27 03:29:{number % 60:02}.123] "),
    "grabserial": _prefixed(lambda number: f"[{number:4}.000012] "),
    "compose": _prefixed(lambda number: "latency-1  | "),
    "indented": _prefixed(lambda number: "    "),
    "CR LF": lambda text: text.replace("\n", "\r\n"),
    "UTF-16": lambda text: text,
}


@pytest.mark.parametrize("around", AROUND, ids=list(AROUND))
def test_no_logger_changes_a_figure(around: str) -> None:
    seen = 0
    texts = [path for folder in (TOOLS_DATA, FIELD, RT_DATA) for path in sorted(folder.iterdir()) if path.suffix == ".txt"]
    for path in texts:
        data = path.read_bytes()
        try:
            plain = imported(data, "x")
        except DataError:
            continue
        text = AROUND[around](console_text(data).text)
        other = imported(text.encode("utf-16" if around == "UTF-16" else "utf-8"), "x")
        assert _figures(other) == _figures(plain), path.name
        seen += 1
    assert seen >= 15


def _figures(found: Wakeups | Benchmark) -> object:
    if isinstance(found, Benchmark):
        return found.amounts
    return [(cpu.number, cpu.got, cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks, cpu.counted) for cpu in found.cpus]


@pytest.mark.parametrize("text", ["16:34:08\n16:34:09\n", "600000 1234567\n700000 7654321\n", "12:1:5\n"])
def test_what_only_looks_like_a_line_of_a_tool_is_no_proof_of_it(text: str) -> None:
    with pytest.raises(DataError):
        imported(text.encode(), "x")


@pytest.mark.parametrize("first", ["cyclictest-nanoseconds.txt", "cyclicdeadline-histogram.txt", "hwlatdetect-cpu-field.txt"])
def test_the_same_run_shown_again_is_one_run_and_two_histograms_are_two(first: str, tmp_path: Path) -> None:
    data = (FIELD / first).read_bytes()
    assert imported(data, "x")
    rows = b"# Histogram\n000001 000003\n# Total: 000000003\n# Min Latencies: 00001\n# Avg Latencies: 00001\n# Max Latencies: 00001\n"
    assert imported(rows, "x")
    with pytest.raises(DataError, match="a second run of cyclictest"):
        imported(rows + rows, "x")
