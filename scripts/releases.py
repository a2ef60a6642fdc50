# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/results/tf-a-releases.rst and its pictures: every release that TF-A published of two boards, compared with the one before."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import vl_convert

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.comparison import SpanComparison
from latlab.core.comparison.counted_findings import Agreement, CountedBeside
from latlab.core.comparison.printed_deltas import DeltaJudgement, judge_printed_deltas
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.release_counts import counts_of
from latlab.core.report.renderers.rst import body, escaped
from latlab.core.store.references import load
from latlab.psci.analysis.counted import counted_beside
from merge_table import answer, section
from release_charts import chart
from wakeup_question import candidate, cost_by_suspends, excess_of, letter, paragraphs, rise_of

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "results" / "tf-a-releases.rst"
RELEASES = tuple(f"v2.{number}" for number in range(9, 16))
VERSIONS = {"n1sdp": RELEASES, "juno": ("2017", *RELEASES)}
BOARDS = {"n1sdp": "Arm N1SDP", "juno": "Arm Juno r1"}
PICTURES = (
    ("cpu_off_serial", Metric.WAKEUP, "Wake-up after CPU_OFF, one core at a time"),
    ("susp_deep_serial", Metric.WAKEUP, "Wake-up from the deepest level, one core at a time"),
    ("susp_deep_serial", Metric.POWERDOWN, "Powerdown of CPU_SUSPEND to the deepest level, one core at a time"),
    ("susp_deep_serial", Metric.CACHE_FLUSH, "Cache flush on the way to the deepest level, one core at a time"),
    ("psci_version_parallel", Metric.PSCI_CALL, "PSCI_VERSION, all cores at once"),
)
MOST_MOVES = 3
JUDGED = {
    Agreement.AGREED: "in the same direction", Agreement.CONTRADICTED: "in the opposite direction", Agreement.OUT_OF_SIGHT: "too little",
}  # fmt: skip
INTRO = """Trusted Firmware-A publishes PSCI latencies of two boards with each release. This page compares each
release with the one before: cores with themselves, and queues by position. It checks every published
percentage against the figures. Times are of the board's counter; one tick is 20 ns. Each data point is
one sample: one boot, one iteration. So few samples show large changes, and changes that many data
points share. The rest is inconclusive. The releases were measured at their first candidate. The release
``2017`` is the main branch of 31/01/2017, in whole microseconds.

Figures, sources and corrections are in the catalogue (:doc:`/reference/formats`). ``latlab compare
published:tf-a/juno/v2.12 published:tf-a/juno/v2.13`` prints one step in full. ``python
scripts/releases.py`` writes this page.

Next to each change of a time are counts of the same two releases by the probe (:doc:`/howto/probe`),
built for QEMU's ``virt`` and run on the board's processors. They are instructions by function and class,
with the commits that are known to have changed them. A change of the count has the *same
direction* as that of the time, the *opposite direction*, or it is *too small* to explain the time. The
emulator runs other platform code than the board, and a count is not a time. These lines are therefore
*inferred*: they show where to look, and are no part of a verdict. The largest change in the direction of
the time comes first. :doc:`/explanation/virtual-time` has the time of an instruction on these boards.
"""


def main(folder: Path = DOCS) -> None:
    pictures = folder / "img"
    pictures.mkdir(parents=True, exist_ok=True)
    (folder / "results").mkdir(exist_ok=True)
    (folder / "results" / PAGE.name).write_text(page(), "utf-8")
    for board in BOARDS:
        for test, metric, title in PICTURES:
            svg = vl_convert.vegalite_to_svg(chart(_runs(board), test, metric, f"{BOARDS[board]}: {title}"))
            (pictures / f"{_picture(board, test, metric)}.svg").write_text(svg, "utf-8")


def page() -> str:
    """The text of the page; the pictures are beside it."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from _heading("TF-A, 2.9 to 2.15: what changed, in which function, and on Juno and N1SDP", "=")
    yield INTRO
    runs = {board: _runs(board) for board in BOARDS}
    steps = {board: [step for pair in pairwise(runs[board]) if isinstance(step := compare(*pair), SpanComparison)] for board in BOARDS}
    counted = {board: list(_counted(steps[board])) for board in BOARDS}
    yield from _judged(counted)
    for board, name in BOARDS.items():
        yield from _heading(name, "-")
        if board == "n1sdp":
            excess = {each: [excess_of(run) for run in runs[each] if _version(run) in RELEASES] for each in BOARDS}
            cost = cost_by_suspends(runs[board])
            yield from paragraphs(excess["n1sdp"], excess["juno"], candidate(), cost)
            yield answer(candidate(), rise_of(excess["n1sdp"], candidate()))
            yield from _letter(letter(excess["n1sdp"], candidate(), cost))
        for test, metric, title in PICTURES:
            yield f".. figure:: ../img/{_picture(board, test, metric)}.svg"
            yield f"   :alt: {title}, each core over the releases, with counts"
            yield ""
            yield f"   {title}: each core over the releases, µs, one sample for each point; below, instructions of the same releases."
            yield ""
        yield from _overview(steps[board])
        yield from _beside(counted[board])
        for step in steps[board]:
            yield from _step(step)
    yield from _heading("Merge by merge", "-")
    yield from section()
    yield from _heading("How the releases were counted", "-")
    yield from _provenance()


def _runs(board: str) -> list[Run]:
    return [load(f"published:tf-a/{board}/{version}") for version in VERSIONS[board]]


def _counted(steps: list[SpanComparison]) -> Iterator[tuple[SpanComparison, CountedBeside]]:
    for step in steps:
        yield from ((step, one) for one in counted_beside(step) if isinstance(one, CountedBeside))


def _judged(counted: dict[str, list[tuple[SpanComparison, CountedBeside]]]) -> Iterator[str]:
    for board, found in counted.items():
        by = Counter(one.agreement.value for _, one in found)
        told = ", ".join(f"{by[one.value]} {JUDGED[one]}" for one in Agreement)
        yield f"Of {len(found)} changes of {BOARDS[board]}'s times that have counts, the counts changed: {told}."
    yield ""


def _provenance() -> Iterator[str]:
    common = {}
    for board in BOARDS:
        found = counts_of(f"published:tf-a/{board}/{RELEASES[-1]}", next(iter(facts_of(board).clusters)).core.value)
        if found:
            common = dict(found.provenance)
            yield f"- {BOARDS[board]}: {escaped(found.subject)}. Options: {_quoted(common.pop('options'))}."
    yield ""
    yield " ".join(f"{name.capitalize()}: {_quoted(text)}." for name, text in common.items())
    yield ""


def _quoted(text: str) -> str:
    """Commands between single quotes of a kind become literals."""
    return "".join(f"``{part}``" if at % 2 else escaped(part) for at, part in enumerate(text.split("`")))


def _beside(counted: list[tuple[SpanComparison, CountedBeside]]) -> Iterator[str]:
    yield ".. list-table:: Times that changed, and counts of the same releases"
    yield "   :header-rows: 1"
    yield ""
    yield from _row("Step", "Time", "Instructions", "The counts", "Largest changes, in the direction of the time first")
    for step, one in counted:
        way = 1 if one.verdict is Verdict.REGRESSED else -1
        moves = sorted((*one.classes, *one.functions), key=lambda move: -way * move[1])
        told = ", ".join(f"{escaped(str(name))} {difference:+,.0f}" for name, difference in moves[:MOST_MOVES]) or "-"
        commits = ", ".join(commit.id[:9] for commit in one.commits)
        yield from _row(
            f"{_version(step.a)} to {_version(step.b)}",
            f"{escaped(one.metric.value)} {one.verdict}: {', '.join(map(escaped, one.tests))}",
            f"{one.difference:+,.0f} on {' and '.join(one.processors)}",
            f"{one.agreement}: {one.sight}",
            f"{told}; {commits}" if commits else told,
        )
    yield ""


def _letter(lines: list[str]) -> Iterator[str]:
    yield "*The same for a mailing list:*"
    yield ""
    yield ".. code-block:: text"
    yield ""
    yield from (f"   {line}".rstrip() for line in lines)
    yield ""


def _overview(steps: list[SpanComparison]) -> Iterator[str]:
    yield ".. list-table:: Each release against the one before"
    yield "   :header-rows: 1"
    yield ""
    yield from _row("Release", "Verdict", "Rows regressed", "Rows improved", "Percentages published", "Relative to the release before")
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
        yield "No significant change."
        yield ""
    yield from _deltas(judge_printed_deltas(step))


def _deltas(judged: list[DeltaJudgement]) -> Iterator[str]:
    if not judged:
        return
    against = [one for one in judged if not one.of_other_runs]
    verdicts = Counter(one.verdict.word for one in against)
    told = ", ".join(f"{count} *{verdict}*" for verdict, count in sorted(verdicts.items()))
    yield f"*Percentages:* {len(judged)} were published; {len(against) or 'none'} of them follow from the same core's earlier figure."
    if against:
        yield f"Verdicts of the rows of these data points: {told}."
    yield ""


def _named(sentence: str, step: SpanComparison) -> str:
    for run in (step.a, step.b):
        sentence = sentence.replace(run.id, _version(run))
    return sentence


def _version(run: Run) -> str:
    return run.id.rpartition("/")[2]


def _heading(text: str, underline: str) -> Iterator[str]:
    yield from (body(text), underline * len(body(text)), "")


def _picture(board: str, test: str, metric: Metric) -> str:
    return f"releases-{board}-{test}-{metric}".replace("_", "-")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, nargs="?", default=DOCS, help="where img and results are written")
    main(parser.parse_args().folder)
