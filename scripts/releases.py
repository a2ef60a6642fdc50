# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/tf-a-releases.rst and its pictures: every release that TF-A published of two boards, compared with the one before."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import altair as alt
import vl_convert

from latlab.analysis.base.comparison import SpanComparison
from latlab.analysis.compare import compare
from latlab.analysis.explain import explain_pair
from latlab.analysis.ladder.deltas import Judgement, judge_printed_deltas
from latlab.model.enums import Metric
from latlab.model.run import CoreId, Run
from latlab.report.chart import finished
from latlab.report.renderers.rst import body, escaped
from latlab.store.references import load

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "tf-a-releases.rst"
RELEASES = tuple(f"v2.{number}" for number in range(9, 16))
VERSIONS = {"juno": ("2017", *RELEASES), "n1sdp": RELEASES}
BOARDS = {"juno": "Arm Juno r1", "n1sdp": "Arm N1SDP"}
PICTURES = (
    ("susp_deep_serial", Metric.POWERDOWN, "Powerdown of CPU_SUSPEND to the deepest level, one core at a time"),
    ("susp_deep_serial", Metric.WAKEUP, "Wake-up from the deepest level, one core at a time"),
    ("susp_deep_serial", Metric.CACHE_FLUSH, "Cache flush on the way to the deepest level, one core at a time"),
)
INTRO = """Trusted Firmware-A publishes PSCI latencies of two boards with each release. This page reads all of
them again: each release is compared with the one before, cores with themselves and queues by place,
and every percentage that stood beside a figure is held against the figures. Times are of the board's
counter, one tick is 20 ns, and each cell is one sample: one boot, one iteration. So few samples show
large changes and those that many cells share; for the rest the answer is *cannot tell*. The
releases were measured at their first candidate; 2017 is master of 31/01/2017, in whole microseconds.

Figures, sources and corrections are in the catalogue (:doc:`formats`); ``latlab compare
published:tf-a/juno/v2.12 published:tf-a/juno/v2.13`` shows one step in full. ``python
scripts/releases.py`` writes this page.

Beside a change of time stands what the probe counted of the same two releases (:doc:`probe`), built
for QEMU's ``virt`` and run on the board's processors: instructions, by function. The emulator runs
other platform code than the board, errata are built for other cores, and a count is no time: a few
instructions with caches off may take longer than hundreds with caches on. So these lines are places
to look, *inferred*, and no part of a verdict; functions that moved with the time are named first.
"""


def main(folder: Path = DOCS) -> None:
    pictures = folder / "img"
    pictures.mkdir(parents=True, exist_ok=True)
    (folder / PAGE.name).write_text(page(), "utf-8")
    for board in BOARDS:
        for test, metric, title in PICTURES:
            svg = vl_convert.vegalite_to_svg(_chart(board, test, metric, title))
            (pictures / f"{_picture(board, metric)}.svg").write_text(svg, "utf-8")


def page() -> str:
    """The text of the page; the pictures are beside it."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from _heading("Eight releases of TF-A, read again", "=")
    yield INTRO
    for board, name in BOARDS.items():
        runs = [load(f"published:tf-a/{board}/{version}") for version in VERSIONS[board]]
        steps = [step for pair in pairwise(runs) if isinstance(step := compare(*pair), SpanComparison)]
        yield from _heading(name, "-")
        yield from _overview(steps)
        for _, metric, title in PICTURES:
            yield f".. figure:: img/{_picture(board, metric)}.svg"
            yield f"   :alt: {title}, each core over the releases"
            yield ""
            yield f"   {title}: each core over the releases, µs, one sample for each point."
            yield ""
        for step in steps:
            yield from _step(step)


def _overview(steps: list[SpanComparison]) -> Iterator[str]:
    yield ".. list-table:: Each release against the one before"
    yield "   :header-rows: 1"
    yield ""
    yield from _row("Release", "Verdict", "Rows regressed", "Rows improved", "Percentages printed", "Taken against the release before")
    for step in steps:
        rows = Counter(row.verdict.value for row in step.rows)
        judged = judge_printed_deltas(step)
        against = sum(not one.of_other_runs for one in judged)
        counts = (str(rows["regressed"]), str(rows["improved"]), str(len(judged)), str(against))
        yield from _row(_version(step.b), str(step.verdict), *counts)
    yield ""


def _row(*cells: str) -> Iterator[str]:
    for number, cell in enumerate(cells):
        yield f"   {'*' if number == 0 else ' '} - {cell}"


def _step(step: SpanComparison) -> Iterator[str]:
    yield from _heading(f"{_version(step.a)} to {_version(step.b)}: {step.verdict}", "~")
    facts = dict(step.b.facts)
    if "correction" in facts:
        yield f"*Corrected:* {escaped(facts['correction'])}."
        yield ""
    explanations = explain_pair(step)
    for one in explanations:
        where = f"``{one.test}``: " if one.test else ""
        yield f"- {where}{escaped(_named(one.sentence, step))}"
        for alternative in one.alternatives:
            yield from ("", f"  - {escaped(_named(alternative, step))}")
        yield ""
    if not explanations:
        yield "Nothing is shown to have changed."
        yield ""
    yield from _deltas(judge_printed_deltas(step))


def _deltas(judged: list[Judgement]) -> Iterator[str]:
    if not judged:
        return
    against = [one for one in judged if not one.of_other_runs]
    verdicts = Counter(one.verdict.value for one in against)
    told = ", ".join(f"{count} *{verdict}*" for verdict, count in sorted(verdicts.items()))
    yield f"*Percentages:* {len(judged)} were printed; {len(against) or 'none'} of them follow from the cell's own figure before."
    if against:
        yield f"Judged by the rows to which their cells belong: {told}."
    yield ""


def _named(sentence: str, step: SpanComparison) -> str:
    for run in (step.a, step.b):
        sentence = sentence.replace(run.id, _version(run))
    return sentence


def _version(run: Run) -> str:
    return run.id.rpartition("/")[2]


def _heading(text: str, underline: str) -> Iterator[str]:
    yield from (body(text), underline * len(body(text)), "")


def _picture(board: str, metric: Metric) -> str:
    return f"releases-{board}-{metric.value.replace('_', '-')}"


def _chart(board: str, test: str, metric: Metric, title: str) -> dict[str, object]:
    rows = []
    for version in VERSIONS[board]:
        run = load(f"published:tf-a/{board}/{version}")
        for core, value in _values(run, test, metric):
            rows.append({"release": version, "core": str(core), "us": value / 1000})
    chart = (
        alt.Chart(alt.InlineData(values=rows), title=f"{BOARDS[board]}: {title}", width=560, height=240)
        .mark_line(point=True)
        .encode(
            x=alt.X("release:N", sort=list(VERSIONS[board]), title=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("us:Q", title="µs"),
            color=alt.Color("core:N", title="core"),
        )
    )
    return finished(chart)


def _values(run: Run, test: str, metric: Metric) -> list[tuple[CoreId, float]]:
    return [(s.core, s.value_ticks * run.tick.value) for s in run.samples if (s.test, s.metric) == (test, metric)]


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
