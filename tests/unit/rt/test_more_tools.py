# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of rteval, Xenomai, EVL, the pairs of rt-tests, stress-ng, runqlat, perf, schbench and Google's library, read to their figures;
and what is said of a file of none of the tools."""

import json
from functools import partial

import pytest

from latlab.core.errors import DataError
from latlab.core.model.enums import Metric
from latlab.core.readers.console_text import console_text
from latlab.rt.readers.measured import AMOUNTS, WAKEUPS, guarded, holds_amounts, known_names, read_amounts, read_wakeups
from support.places import ROOT, TOOLS_DATA
from support.tool_texts import LATMUS, RTEVAL_REPORT, RTEVAL_XML, RUNQLAT, SCHBENCH, XENOMAI, XENOMAI_HISTOGRAM


def read(text: str):
    return read_wakeups(text.encode(), "x")


def test_the_xml_of_rteval_is_what_cyclictest_measured_in_it():
    found = read(RTEVAL_XML)
    assert (found.tool, found.interval_ns, found.problems, found.complete) == ("cyclictest", 200_000, (), True)
    assert [(cpu.number, cpu.got, cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks) for cpu in found.cpus] == [
        (0, 10, 4_000, 12_000, 5_400.0),
        (1, 4, 6_000, 40_000, 16_250.0),
    ]
    assert found.cpus[0].counted == 10 and [low for low, _, _ in found.cpus[0].counts] == [4_000, 5_000, 12_000]
    assert found.conditions.priority == 95 and dict(found.facts)["kernel"] == "6.12.0-rt5"


def test_the_report_of_rteval_says_the_same_without_the_histogram():
    found, xml = read(RTEVAL_REPORT), read(RTEVAL_XML)
    figures = [(cpu.number, cpu.got, cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks) for cpu in xml.cpus]
    assert [(cpu.number, cpu.got, cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks) for cpu in found.cpus] == figures
    assert not any(cpu.counts for cpu in found.cpus) and found.interval_ns == 200_000


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("cyclictest", "timerlat"), "its measurement is timerlat"),
        (lambda text: text[:900], "x:16: not whole XML"),
        (lambda text: text.replace('index="12"', 'index="5"'), "core 0 names a bucket twice"),
        (lambda text: text.replace("<samples>4<", "<samples>many<"), "the samples of core 1 is 'many'"),
        (lambda text: text.replace('id="1"', 'id="0"'), "a CPU is named twice"),
        (lambda text: text.replace("<rteval version", "<!DOCTYPE a><rteval version"), "the format is not known"),
        (lambda text: text.replace("?>", "?><!-- <rteval> --><rteval><!DOCTYPE a>"), "XML with definitions of its own"),
    ],
)
def test_a_damaged_file_of_rteval_is_refused_with_its_place(change, said):
    with pytest.raises(DataError, match=r"^x") as refused:
        read(change(RTEVAL_XML))
    assert said.removeprefix("x:16: ") in str(refused.value)


def test_buckets_that_deny_the_count_are_a_problem():
    found = read(RTEVAL_XML.replace('index="12" value="1"', 'index="12" value="3"'))
    assert found.problems == ("x: CPU 0: the buckets hold 12 samples, the statistics say 10",) and not found.complete


def test_xenomais_latency_has_its_figures_and_counts_that_are_computed():
    found = read(XENOMAI)
    (cpu,) = found.cpus
    assert (found.tool, cpu.minimum_ticks, cpu.average_ticks, cpu.maximum_ticks, cpu.missed) == (
        "xenomai latency",
        -125,
        1_375.0,
        21_500,
        1,
    )
    assert cpu.got == 2 * 10_000 - 1 and ("wake-ups", "computed: duration / period - overruns") in found.facts
    assert found.conditions.priority == 99 and found.interval_ns == 100_000 and "does not name" in dict(found.facts)["rows"]


def test_a_histogram_of_xenomai_is_that_of_every_wake_up_and_its_last_bucket_holds_what_lies_beyond():
    (cpu,) = read(XENOMAI_HISTOGRAM).cpus
    assert cpu.beyond == 10 and cpu.got == cpu.counted == 2_000
    assert [low for low, _, _ in cpu.counts] == [0, 1_000] and cpu.maximum_ticks == 31_250


def test_latmus_names_its_cpu_and_a_run_that_was_killed_has_its_seconds():
    found = read(LATMUS)
    assert (found.tool, found.cpus[0].number, found.cpus[0].got) == ("latmus", 1, 3_000)
    killed = read(XENOMAI.partition("---|")[0])
    assert (killed.cpus[0].minimum_ticks, killed.cpus[0].maximum_ticks, killed.cpus[0].average_ticks) == (-125, 21_500, 1_375.0)
    assert not killed.complete and "the tool was killed" in killed.problems[0]


def test_pairs_of_threads_are_rows_of_the_cpu_that_is_woken():
    found = read_wakeups((TOOLS_DATA / "pmqtest.txt").read_bytes(), "x")
    assert (found.tool, found.interval_ns, found.problems) == ("pmqtest", 1_000_000, ())
    assert [(cpu.number, cpu.got, cpu.minimum_ticks, cpu.average_ticks, cpu.maximum_ticks) for cpu in found.cpus] == [
        (0, 2_000, 3_000, 4_000.0, 69_000),
        (1, 1_363, 3_000, 4_000.0, 57_000),
    ]
    other = read_wakeups((TOOLS_DATA / "svsematest.txt").read_bytes(), "x")
    assert other.tool == "pairs of rt-tests" and [cpu.maximum_ticks for cpu in other.cpus] == [60_000, 48_000]


def test_the_json_of_pairs_is_read_by_its_own_entries():
    found = read_wakeups((TOOLS_DATA / "pmqtest.json").read_bytes(), "x")
    said = json.loads((TOOLS_DATA / "pmqtest.json").read_text())["thread"]
    assert found.tool == "pmqtest" and [(cpu.number, cpu.got, cpu.maximum_ticks / 1000) for cpu in found.cpus] == [
        (int(one["receiver"]["cpu"]), one["sender"]["samples"], one["receiver"]["max"]) for one in said.values()
    ]
    broken = (TOOLS_DATA / "pmqtest.json").read_bytes().replace(b'"max": 20', b'"max": "x"')
    with pytest.raises(DataError, match="x: 'x' is no figure of a pair"):
        read_wakeups(broken, "x")


def test_stress_ngs_cyclic_has_its_figures_and_its_histogram_where_it_printed_one():
    found = read_wakeups((TOOLS_DATA / "stress_ng.txt").read_bytes(), "x")
    (cpu,) = found.cpus
    assert (found.tool, cpu.got, cpu.counts) == ("stress-ng cyclic", 1_000, ())
    assert (cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks) == (8_791, 52_657, 17_306.43)
    found = read_wakeups((TOOLS_DATA / "stress_ng_dist.txt").read_bytes(), "x")
    (cpu,) = found.cpus
    assert cpu.counted == cpu.got == 2_000 and found.resolution_ns == 20_000
    with pytest.raises(DataError, match="2 reports of stress-ng"):
        read_wakeups((TOOLS_DATA / "stress_ng.txt").read_bytes() * 2, "x")


def test_runqlat_is_one_histogram_whose_ends_are_computed():
    (cpu,) = read(RUNQLAT).cpus
    assert [n for _, _, n in cpu.counts] == [200, 400, 50]
    assert (cpu.got, cpu.minimum_ticks, cpu.maximum_ticks) == (650, 0, 15_999) and "computed" in dict(read(RUNQLAT).facts)[
        "average and maximum"
    ]
    with pytest.raises(DataError, match="2 histograms of runqlat"):
        read(RUNQLAT * 2)


def test_delays_of_perf_are_amounts_by_task():
    data = (TOOLS_DATA / "perf_sched.txt").read_bytes()
    found = {one.name: one for one in read_amounts(data, "x").amounts}
    assert found["pytest average delay"].values == (3.719e6,) and found["pytest largest delay"].values == (49.044e6,)
    assert found["pytest average delay"].metric is Metric.DURATION and holds_amounts(data, "x")


def test_the_last_percentiles_of_schbench_count():
    found = {one.name: one for one in read_amounts(SCHBENCH.encode(), "x").amounts}
    assert found["wakeup latency 99 %"].values == (175_000.0,) and found["wakeup latency maximum"].values == (10_224_000.0,)
    assert found["requests per second 50 %"].metric is Metric.THROUGHPUT and len(found) == 8
    assert found["requests per second average"].values == (3024.6,)


def test_repetitions_of_googles_library_are_values_and_its_own_means_are_left_out():
    data = (TOOLS_DATA / "google_benchmark.json").read_bytes()
    said = [one for one in json.loads(data)["benchmarks"] if one["run_type"] == "iteration"]
    (first, second) = read_amounts(data, "x").amounts
    assert first.name == "sum/100" and first.values == tuple(one["real_time"] * 1e3 for one in said if one["run_name"] == first.name)
    assert len(first.values) == len(second.values) == 3


def test_the_docs_name_everything_that_is_read():
    docs = (ROOT / "docs" / "reference" / "formats.md").read_text("utf-8")
    by_tool = (ROOT / "docs" / "reference" / "formats-tools.md").read_text("utf-8")
    missing = [name for name in known_names() if name not in docs or not any(form in by_tool for form in _spellings(name))]
    assert not missing, f"{', '.join(missing)}: describe it in docs/reference/formats.md and its lines in docs/reference/formats-tools.md"


def _spellings(name: str) -> tuple[str, ...]:
    """The page of the forms names several tools in a row of its table."""
    return name, name.removesuffix(" tracer"), name.removeprefix("rtla "), name.partition(".")[0], name.partition(" --")[0]


def test_every_format_is_known_by_its_own_rule_alone():
    """No text of one reader is taken by another one before it."""
    files = [path for path in TOOLS_DATA.iterdir() if path.suffix in (".txt", ".json")]
    texts = [RTEVAL_XML, RTEVAL_REPORT, XENOMAI, LATMUS, RUNQLAT, SCHBENCH, *(path.read_text("utf-8") for path in files)]
    for text in texts:
        text = console_text(text.encode()).text
        known = [one.names for one in AMOUNTS if one.knows(text)] + [one.names for one in WAKEUPS if one.knows(text)]
        assert len(known) == 1 or known[1:] == [("jitterdebugger",)], known


def test_whatever_a_reader_stumbles_over_is_the_files_fault():
    for error in (
        IndexError("list index out of range"),
        KeyError("cpu"),
        RecursionError("deep"),
        OverflowError("big"),
        AttributeError("x"),
    ):
        with pytest.raises(DataError, match=r"^x: it cannot be read .*; the file is damaged$"):
            guarded(partial(_stumble, error), "x")


def _stumble(error: Exception) -> None:
    raise error
