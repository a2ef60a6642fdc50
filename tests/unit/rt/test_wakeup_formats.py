# SPDX-License-Identifier: BSD-3-Clause
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.errors import DataError
from latlab.rt.analysis.wakeup import disagreement, percentile_ns, with_schedule
from latlab.rt.readers.cyclictest import read_cyclictest
from latlab.rt.readers.measured import read_wakeups
from latlab.rt.readers.rtla import read_timerlat
from latlab.rt.readers.wakeup_json import read_json
from support.examples import examples
from support.places import RT_DATA


def _real(name: str) -> bytes:
    return (RT_DATA / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "got", "beyond", "max_us"),
    [
        ("cyclictest-h.txt", (1000, 996), (0, 2), (28, 497)),
        ("cyclictest-H.txt", (1000, 998), (5, 1), (149, 71)),
        ("cyclictest-histfile.txt", (999, 1000), (6, 2), (1550, 155)),
        ("cyclictest.json", (999, 1000), (6, 2), (1550, 155)),
        ("cyclictest-q.txt", (1000, 665), None, (520, 1023)),
        ("cyclictest-spike.txt", (1000, 662), None, (584, 427)),
        ("cyclictest-v.txt", (9, 9), (0, 0), (18, 26)),
        ("jitterdebugger.json", (993, 989), (0, 0), (783, 331)),
    ],
)
def test_what_the_tools_really_print_is_read(
    name: str, got: tuple[int, ...], beyond: tuple[int, ...] | None, max_us: tuple[int, ...]
) -> None:
    read = read_wakeups(_real(name), name)
    assert read.problems == ()
    assert tuple(cpu.got for cpu in read.cpus) == got
    assert tuple(cpu.maximum_ticks // 1000 for cpu in read.cpus) == max_us
    if beyond is not None:
        assert tuple(cpu.beyond for cpu in read.cpus if cpu.counts) == beyond
        assert all(cpu.counts and cpu.counted == cpu.got for cpu in read.cpus)


def test_the_column_for_all_cpus_together_is_not_a_cpu() -> None:
    assert len(read_wakeups(_real("cyclictest-H.txt"), "x").cpus) == 2


def test_the_screen_of_a_running_cyclictest_gives_its_last_state() -> None:
    read = read_wakeups(_real("cyclictest-live.txt"), "x")
    assert tuple(cpu.got for cpu in read.cpus) == (992, 657)


def test_spikes_are_outliers_with_their_time_in_ns() -> None:
    read = read_wakeups(_real("cyclictest-spike.txt"), "x")
    assert len(read.outliers) == 8
    assert (read.outliers[0].cpu, read.outliers[0].late_ns, read.outliers[0].wake_ns) == (0, 584_000, 4_652_860_612_000)


def test_rtla_counts_what_is_over_and_names_the_longest() -> None:
    read = read_wakeups(_real("rtla-timerlat.txt"), "x")
    assert [cpu.number for cpu in read.cpus] == [0, 1, 2, 3]
    first = read.cpus[0]
    assert (first.got, first.beyond, first.maximum_ticks) == (467, 416, 91_787_000)
    assert read_timerlat(_real("rtla-timerlat.txt").decode(), "x", "IRQ").cpus[0].beyond == 157


def test_a_schedule_shows_what_a_histogram_is_short_of() -> None:
    read = with_schedule(read_wakeups(_real("cyclictest-h.txt"), "x"), 1_000_000, 1)
    assert [cpu.missed for cpu in read.cpus] == [0, 4]


@st.composite
def histograms(draw: st.DrawFn) -> tuple[list[dict[int, int]], list[int]]:
    cpus = draw(st.integers(1, 5))
    counts = [draw(st.dictionaries(st.integers(0, 59), st.integers(1, 10**6), min_size=1)) for _ in range(cpus)]
    beyond = [draw(st.integers(0, 1000)) for _ in range(cpus)]
    return counts, beyond


def _printed(counts: list[dict[int, int]], beyond: list[int], with_all: bool = False) -> str:
    """As cyclictest prints -h 60, or -H 60."""
    columns = [*counts, {us: sum(c.get(us, 0) for c in counts) for us in range(60)}] if with_all else counts
    lines = ["# Histogram"]
    lines += [f"{us:06} " + "\t".join(f"{column.get(us, 0):06}" for column in columns) for us in range(60)]
    highest = [max(c) + (5000 if over else 0) for c, over in zip(counts, beyond, strict=True)]
    totals = [sum(c.values()) for c in counts]
    rows = {"Total": totals, "Min Latencies": [min(c) for c in counts], "Avg Latencies": [3 for _ in counts], "Max Latencies": highest}
    if with_all:
        rows |= {"Total": [*totals, sum(totals)], "Max Latencies": [*highest, max(highest)]}
    lines += [f"# {name}: " + " ".join(f"{v:05}" for v in values) for name, values in rows.items()]
    lines += ["# Histogram Overflows: " + " ".join(f"{v:05}" for v in (*beyond, *([sum(beyond)] if with_all else [])))]
    return "\n".join([*lines, "# Histogram Overflow at cycle number:", *(f"# Thread {i}: " for i in range(len(counts)))]) + "\n"


@given(histograms(), st.booleans())
@examples(60)
def test_any_histogram_comes_back(made: tuple[list[dict[int, int]], list[int]], with_all: bool) -> None:
    counts, beyond = made
    read = read_cyclictest(_printed(counts, beyond, with_all), "x")
    assert read.problems == () and len(read.cpus) == len(counts)
    for cpu, wanted, over in zip(read.cpus, counts, beyond, strict=True):
        assert {low // 1000: n for low, _, n in cpu.counts if n} == wanted
        assert (cpu.got, cpu.beyond) == (sum(wanted.values()) + over, over)


@given(histograms(), st.data())
@examples(60)
def test_a_histogram_cut_anywhere_is_read_in_part_or_refused_with_a_sentence(
    made: tuple[list[dict[int, int]], list[int]], data: st.DataObject
) -> None:
    text = _printed(*made)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    before_maxima = "# Max Latencies:" not in cut
    try:
        read = read_wakeups(cut.encode(), "cut.txt")
    except DataError as error:
        assert str(error).startswith("cut.txt")
        return
    assert not before_maxima or not read.complete


@given(st.binary(max_size=300))
@examples(200)
def test_no_bytes_at_all_make_a_reader_fail_without_a_sentence(data: bytes) -> None:
    for start in (b"", b"{", b"# RTLA timerlat histogram\n", b'{"cpu": {"0": ', b"000001 000002\n"):
        try:
            read_wakeups(start + data, "x")
        except DataError as error:
            assert str(error).startswith("x")


@pytest.mark.parametrize(
    "text",
    [
        "000001 99999999999999999999999\n",
        "# Max Latencies:\n",
        "# Total:\n# Avg Latencies:\n",
        " 0: 0: 99999999999999999999999\n",
        "# Total: " + 5000 * "9" + "\n",
        "# RTLA timerlat histogram\nIndex Thr-0" + 5000 * "0" + "\n",
        '{"cpu": {"0": {"count": ' + 5000 * "9" + "}}}",
        20_000 * '{"cpu":',
        '{"sysinfo": 3, "cpu": {"0": {"count": 1, "min": 1, "max": 1, "avg": 1}}}',
        '{"thread": {"0": {"cpu": [], "cycles": 1, "min": 1, "max": 1, "avg": 1}}}',
        '{"cpu": {"0": {"count": 1, "min": 1, "max": 1, "avg": NaN}}}',
        '{"cpu": {"0": {"count": -1, "min": 1, "max": 1, "avg": 1}}}',
    ],
    ids=lambda text: text[:40],
)
def test_absurd_numbers_and_empty_totals_are_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"^x[: ]"):
        read_wakeups(text.encode(), "x")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Index   IRQ-000   Thr-000   IRQ-001   Thr-001   IRQ-002   Thr-002   IRQ-003   Thr-003   Thr-004", "a second head"),
        ("2   1   1   1   1   1   1   1   1", "the row 2 appears twice"),
        ("02   1   1   1   1   1   1   1   1", "the row 2 appears twice"),
        ("3   1   1   x   1   1   1   1   1", "is not a row of the histogram"),
    ],
)
def test_a_line_of_rtla_that_cannot_be_taken_is_named_and_costs_no_other(line: str, said: str) -> None:
    lines = _real("rtla-timerlat.txt").decode().splitlines()
    read = read_timerlat("\n".join([*lines[:5], line, *lines[5:]]), "x")
    assert read.problems[0].startswith("x:6: ") and said in read.problems[0]
    assert [cpu.got for cpu in read.cpus] == [cpu.got for cpu in read_timerlat("\n".join(lines), "x").cpus]


def test_a_torn_row_of_a_histogram_is_named_with_its_place() -> None:
    text = _printed([{5: 10}], [0]).replace("000005 000010", "000005 0000#0")
    assert "h.txt:7: '000005 0000#0' is not a row of the histogram; it is left out" in read_cyclictest(text, "h.txt").problems


def test_a_total_that_the_buckets_do_not_add_up_to_is_named() -> None:
    text = _printed([{5: 10}], [0]).replace("# Total: 00010", "# Total: 00011")
    assert read_cyclictest(text, "x").problems == ("x: thread 0: the buckets hold 10 samples, the total says 11",)


def test_a_maximum_that_the_buckets_deny_is_named() -> None:
    text = _printed([{5: 10}], [0]).replace("# Max Latencies: 00005", "# Max Latencies: 00009")
    assert "the last bucket in use is 5 µs, the maximum says 9" in read_cyclictest(text, "x").problems[0]


def test_a_line_with_a_missing_column_is_named_with_its_place() -> None:
    text = _printed([{5: 10}, {6: 1}], [0, 0]).replace("000007 000000\t000000", "000007 000000")
    assert read_cyclictest(text, "h.txt").problems[0].startswith("h.txt:9: 1 columns where there were 2 before")


def test_json_overflows_are_the_cycles_that_the_histogram_does_not_show() -> None:
    root = {"thread": {"0": {"histogram": {"5": 3}, "cycles": 7, "min": 5, "max": 900, "avg": 6.0, "cpu": 2}}}
    cpu = read_json(json.dumps(root), "x").cpus[0]
    assert (cpu.number, cpu.beyond) == (2, 4)


def test_threads_that_were_bound_to_one_cpu_stay_apart() -> None:
    text = _real("cyclictest-bound.json").decode()
    entries = json.loads(text)["thread"]
    assert [entry["cpu"] for entry in entries.values()] == [1, 1]
    read = read_json(text, "x")
    assert [(cpu.number, cpu.got, cpu.maximum_ticks) for cpu in read.cpus] == [
        (int(name), entry["cycles"], entry["max"] * 1000) for name, entry in entries.items()
    ]
    assert ("rows", "threads, several of which the tool bound to one CPU") in read.facts


def test_json_that_contradicts_itself_is_named() -> None:
    root = {"cpu": {"0": {"histogram": {"5": 9}, "count": 7, "min": 5, "max": 5, "avg": 5.0}}}
    read = read_json(json.dumps(root), "x")
    assert not read.complete and "holds 9 samples, count says 7" in read.problems[0]


FIGURES: tuple[dict[str, Any], ...] = (
    *({"histogram": {str(10**19): 3}}, {"count": 10**17}, {"count": -1}, {"max": math.inf}, {"avg": math.inf}, {"max": "x"}, {"min": None}),
    *({"max": -5}, {"max": -5, "min": -9, "avg": -7.0}, {"min": 9}, {"avg": -1.0}, {"avg": 60.0}),
)


@pytest.mark.parametrize("figures", FIGURES)
def test_a_figure_of_json_that_no_latency_can_have_is_refused_with_its_cpu(figures: dict[str, object]) -> None:
    entry = {"histogram": {"5": 7}, "count": 7, "min": 5, "max": 5, "avg": 5.0} | figures
    with pytest.raises(DataError, match=r"^x: CPU 0: ") as caught:
        read_json(json.dumps({"cpu": {"0": entry}}), "x")
    assert not any(word in str(caught.value) for word in ("Error", "inf ", "NoneType", "float"))


def test_json_that_was_cut_off_is_refused_with_its_line() -> None:
    with pytest.raises(DataError, match=r"x:\d+: not whole JSON"):
        read_json(_real("cyclictest.json").decode()[:400], "x")


def test_nanoseconds_of_jitterdebugger_are_kept_exactly() -> None:
    root = {"sysinfo": {"resolution_in_ns": 1}, "cpu": {"0": {"histogram": {"4433": 1}, "count": 1, "min": 4433, "max": 4433, "avg": 4433}}}
    cpu = read_json(json.dumps(root), "x").cpus[0]
    assert cpu.minimum_ticks == 4433 and percentile_ns(cpu, 50) == 4433


def test_fewer_wake_ups_than_were_due_are_flagged() -> None:
    cpu = with_schedule(read_wakeups(_real("cyclictest-h.txt"), "x"), 1_000_000, 2).cpus[0]
    assert cpu.missed == 1000 and disagreement(cpu) == ""
    from dataclasses import replace

    assert "2 are unaccounted for" in disagreement(replace(cpu, missed=998))


@pytest.mark.parametrize("program", ["ptsematest", "svsematest", "pmqtest", "rt-migrate-test"])
def test_the_json_of_another_program_of_rt_tests_is_refused_by_its_name(program):
    thread = {"0": {"cycles": 200, "min": 33, "max": 8505, "avg": 1799.16, "cpu": 0}}
    data = json.dumps({"file_version": 1, "cmdline:": f"/usr/bin/{program} -l 200 -q", "return_code": 0, "thread": thread}).encode()
    with pytest.raises(DataError, match=f"the JSON of {program}"):
        read_wakeups(data, "out.json")


def test_a_minimum_above_the_maximum_is_refused_whichever_tool_printed_it() -> None:
    lines = "# Min Latencies: 00009\n# Avg Latencies: 00005\n# Max Latencies: 00004\n"
    text = f"# Histogram\n000004 000010\n000009 000010\n# Total: 000000020\n{lines}# Histogram Overflows: 00000\n"
    with pytest.raises(DataError, match=r"^x: thread 0: the minimum 9 µs is above the maximum 4 µs, which cannot be; "):
        read_wakeups(text.encode(), "x")
