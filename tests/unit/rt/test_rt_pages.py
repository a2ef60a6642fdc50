# SPDX-License-Identifier: BSD-3-Clause
"""An rt run as its reader meets it: how late, where and by which cause, the histogram, one table of causes."""

from __future__ import annotations

import errno
import random
from dataclasses import replace

import pytest

from latlab.core.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind
from latlab.core.model.distributions import WakeupCounts
from latlab.core.report.chart import Chart
from latlab.core.report.page import Folded, Page, charts_of
from latlab.core.report.table import Bar, Table, text_of
from latlab.core.report.text import plain
from latlab.rt.analysis.lateness_parts import LatenessPart
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.steal_coverage import unread_events
from latlab.rt.model.kernel_events import KernelEvents
from latlab.rt.pages import cause_details, web
from latlab.rt.pages.charts import charts
from latlab.rt.pages.late_causes import MOST_CAUSES, RAN_ON, cause_table
from latlab.rt.pages.wakeup_pages import answer
from latlab.rt.pages.wakeup_tables import brief_tables, tables
from support.late_parts import INTERVAL_NS, late_result
from support.runs import run_with

RUN = run_with(campaign="rt", id="rt-late", contents=WakeupCounts())


def page_of(result: RtResult) -> Page:
    return web.page(RUN, [("", result)])


def with_causes(number: int, kind: BlameKind = BlameKind.THREAD) -> RtResult:
    """Late wake-ups of so many tasks, each of one."""
    result = late_result(number)
    entries = tuple(
        replace(entry, blame=Blame(kind, f"task-{at}"), parts=(LatenessPart(Blame(kind, f"task-{at}"), 1000 * at + 1),))
        for at, entry in enumerate(result.attributed or ())
    )
    return replace(result, attributed=entries)


def test_the_heading_names_the_cpu_and_the_cause_of_the_latest_wake_up() -> None:
    said = answer(RUN, [("", late_result(45))])
    assert said == (
        "The maximum of 9,045 wake-up latencies is 445.1 µs on CPU 0 (recorder): thread irq/42-a-driver (priority 90) took 404.2 µs of it."
    )


def test_a_larger_figure_of_a_tool_without_causes_stands_behind_the_heading() -> None:
    result = late_result(45)
    (recorder,) = result.wakeups
    cpu = replace(recorder.cpus[1], maximum_ticks=500_000)
    cyclictest = replace(recorder, tool="cyclictest", cpus=(recorder.cpus[0], cpu), outliers=())
    both = replace(result, wakeups=(recorder, cyclictest))
    alone = answer(RUN, [("", result)])
    assert answer(RUN, [("", both)]) == f"{alone} cyclictest measured 500.0 µs on CPU 1."
    without = replace(both, attributed=None)
    assert answer(RUN, [("", without)]) == "The maximum of 9,045 wake-up latencies is 500.0 µs on CPU 1 (cyclictest)."


@pytest.mark.parametrize("blame", [UNEXPLAINED, UNTRACED, Blame(BlameKind.AWAY, "git")])
@pytest.mark.parametrize(("every", "sentence"), [(1, "period of 100 ms."), (7, "period of 700 ms.")])
def test_the_first_sentences_name_the_period_of_late_wake_ups_without_a_cause(blame: Blame, every: int, sentence: str) -> None:
    result = late_result(50)
    entries = tuple(
        replace(entry, blame=blame, stolen_ns=0) if at % every == 0 else entry for at, entry in enumerate(result.attributed or ())
    )
    count = len(entries[::every])
    assert f"The {count} late wake-ups without a proven cause have a {sentence}" in answer(RUN, [("", replace(result, attributed=entries))])


def test_no_period_is_named_of_random_lateness_nor_of_wake_ups_some_of_which_were_dropped() -> None:
    result = late_result(50)
    assert "have a period" not in answer(RUN, [("", result)])
    unknown = tuple(replace(entry, blame=UNEXPLAINED) for entry in result.attributed or ())
    drawn = random.Random(5)
    by_chance = sorted(drawn.randrange(10**10) // INTERVAL_NS * INTERVAL_NS for _ in unknown)
    moved = tuple(
        replace(entry, outlier=replace(entry.outlier, wake_ns=due_ns + entry.outlier.late_ns))
        for entry, due_ns in zip(unknown, by_chance, strict=True)
    )
    assert "have a period" not in answer(RUN, [("", replace(result, attributed=moved))])
    (recorder,) = result.wakeups
    dropped = replace(recorder, cpus=(replace(recorder.cpus[0], late_dropped=3), *recorder.cpus[1:]))
    assert "have a period" not in answer(RUN, [("", replace(result, wakeups=(dropped,), attributed=unknown))])


def test_the_causes_come_first_then_the_histogram_and_the_latest_last() -> None:
    (measured,) = (section for section in page_of(late_result(45)).sections if section.title == "Measurement")
    kinds = [(type(block), block.title if isinstance(block, Chart) else "") for block in measured.blocks]
    assert kinds[:2] == [(Table, ""), (Chart, "Histogram by recorder")]
    captions = [plain(block.caption) for block in measured.blocks if isinstance(block, Table)]
    assert captions == ["Late wake-ups by cause", "Wake-up latency by recorder"]
    assert [block.summary for block in measured.blocks if isinstance(block, Folded)] == [
        "The latest, figure by figure",
        "How often each cause comes",
        "Who took my core",
    ]


def test_the_bars_of_the_causes_share_all_the_lateness() -> None:
    result = late_result(45)
    table = cause_table(result, is_exact=False)
    bars = [row[1] for row in table.rows]
    assert all(isinstance(bar, Bar) for bar in bars)
    shares = [bar.share for bar in bars if isinstance(bar, Bar)]
    assert sum(shares) == pytest.approx(1.0) and shares[:-1] == sorted(shares[:-1], reverse=True)
    took = sum(float(text_of(row[5]).replace(",", "")) for row in table.rows)
    assert took == pytest.approx(sum(one.late_ns for one in result.wakeups[0].outliers) / 1000, abs=0.5)
    assert sum(int(text_of(row[2])) for row in table.rows) == 45


def test_rare_causes_are_one_row_that_says_how_many() -> None:
    table = cause_table(with_causes(20), is_exact=True)
    assert len(table.rows) == MOST_CAUSES + 1
    assert text_of(table.rows[-1][0]) == "ten other causes" and text_of(table.rows[0][0]) == "thread task-19"
    assert sum(int(text_of(row[2])) for row in table.rows) == 20


@pytest.mark.parametrize(
    ("blame", "parts", "end"),
    [
        (Blame(BlameKind.AWAY, "git"), (), ": CPU not available (running git, or preempted by the hypervisor)."),
        (UNTRACED, (), ", unknown: the firmware's trace buffer had wrapped."),
        (UNEXPLAINED, (), ", unexplained."),
        (UNEXPLAINED, (LatenessPart(UNEXPLAINED, 9000), LatenessPart(Blame(BlameKind.THREAD, "git"), 2000)), ", unexplained."),
        (UNEXPLAINED, (LatenessPart(Blame(BlameKind.THREAD, "git"), 2000),), ", unexplained; its largest part is thread git, 2.0 µs."),
    ],
)
def test_the_first_sentence_says_of_the_latest_wake_up_what_the_table_says(blame: Blame, parts: tuple[LatenessPart, ...], end: str) -> None:
    result = late_result(45)
    assert result.recorder and result.attributed
    latest = max(result.attributed, key=lambda entry: entry.outlier.late_ns)
    changed = tuple(replace(entry, blame=blame, parts=parts) if entry is latest else entry for entry in result.attributed)
    assert latest.outlier.late_ns == result.recorder.max_ns
    assert answer(RUN, [("", replace(result, attributed=changed))]).endswith(end)


def test_the_first_sentence_says_why_the_kernel_s_events_are_missing() -> None:
    """Only of the CPU of the latest wake-up."""
    result = late_result(45)
    latest = max(result.attributed or (), key=lambda entry: entry.outlier.late_ns)
    unexplained = replace(result, attributed=(replace(latest, blame=UNEXPLAINED, parts=()),))
    cpu = latest.outlier.cpu
    reason = f"; the kernel's events of CPU {cpu} could not be read (Permission denied)"
    for number, end in ((cpu, f", unexplained{reason}."), (9, ", unexplained.")):
        unread = unread_events(KernelEvents((), (), closed=((number, errno.EACCES),)))
        assert answer(RUN, [("", replace(unexplained, unread=unread))]).endswith(end)


def test_a_cpu_that_was_not_available_is_one_row_below_the_causes_and_above_what_nothing_explains() -> None:
    """Tasks that ran on then stood among the causes, each with a row, or were some of so many others."""
    causes, away = with_causes(20).attributed or (), with_causes(20, BlameKind.AWAY).attributed or ()
    entries = (*causes[:14], *away[14:19], replace(away[19], blame=UNEXPLAINED, parts=(LatenessPart(UNEXPLAINED, 5),)))
    table = cause_table(replace(with_causes(20), attributed=entries), is_exact=False)
    names = [text_of(row[0]) for row in table.rows]
    assert names[-3:] == ["four other causes", "CPU not available *", "unexplained"] and names[0] == "thread task-13"
    assert text_of(table.rows[-2][2]) == "5" and sum(int(text_of(row[2])) for row in table.rows) == 20
    assert RAN_ON.format("task-14, task-15, task-16 and 2 more") in table.notes
    shares = [bar.share for row in table.rows if isinstance(bar := row[1], Bar)]
    assert sum(shares) == pytest.approx(1.0)


def test_no_chart_has_more_than_seven_colours() -> None:
    for chart in charts(with_causes(30)):
        drawn = {row["cause"] for rows in chart.spec.get("datasets", {}).values() for row in rows if "cause" in row}
        assert len(drawn) <= 7
    assert len(set(cause_details.colours_of(with_causes(30)).values())) <= 7


def test_a_terminal_has_one_table_of_causes_and_a_document_has_all() -> None:
    brief = [plain(table.caption) for table in brief_tables("", late_result(45))]
    assert brief == ["Wake-up latency by recorder", "Late wake-ups by cause", "The worst 10, part by part"]
    assert {"How often each cause comes", "Who took my core"} <= {plain(table.caption) for table in tables("", late_result(45))}


def test_every_chart_of_the_page_has_its_own_name() -> None:
    names = [chart.name for chart in charts_of(page_of(late_result(45)))]
    assert len(names) == len(set(names)) and all(names)
