# SPDX-License-Identifier: BSD-3-Clause
"""The merges of TF-A that moved a figure by more than 1 %, of the catalogue, and which of them can be what N1SDP still waits for."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile
from textwrap import fill

from latlab.core.model.enums import Metric
from latlab.core.readers.release_counts import counts_of
from latlab.core.report.renderers.rst import escaped
from latlab.psci.analysis.counted import MOST_OUTSIDE_NS
from wakeup_question import ON, RESUMED, Candidate

PROCESSORS = ("cortex-a57", "neoverse-n1")
BOARD_S = "neoverse-n1"
SHARE = 0.01
SHORT = 9
FOLDER = files("latlab.catalog") / "counts" / "tf-a"
HOW = """Between v2.9 and {newest} {all} first-parent merges change PSCI, the runtime of EL3, its entry points or the files of these two
processors. {which}, up to {last} ({until}), were built and measured one after the other. {skipped}. What these
changed, and what merges elsewhere did, counts with the next. {moved} moved a figure, {large} by more than 1 % on one of
the two. {method}
"""
OUTSIDE = """Of {all} first-parent commits that change none of these files, each right after a merge of the list, with which it was compared
({told} comparisons on the two processors), {moved} moved a figure by more than 1 %; {small} moved one at all ({names}).
"""
SUM = """From {first} to {last} the way up after CPU_OFF went from {before:,} to {after:,} instructions on {processor}, its lines here make
{told:+,} of {whole:+,}.
"""
ANSWER = """*Merge by merge:* of the merges of the runtime that are in {release} and not in {before}, {many} give the way up after CPU_OFF
more than 1 % on {processor}: {merges}. By their counts none can be the excess: what
they add a core that resumes runs as well: between these releases the way up grew by {on:+} instructions after CPU_OFF and by
{resumed:+} from the deepest suspend, so that {alone} are left for a core that is switched on, at most {most} µs of the {rise} at
{dear} ns each. This is for {commit}, by exclusion; what other platform files, drivers and the power controller gained in {release}
did not run here, so it stays a candidate.
"""


@dataclass(frozen=True)
class Moved:
    """A figure that a merge moved; `values` are before and after by processor."""

    merge: str
    test: str
    metric: str
    values: dict[str, tuple[float, float]]
    functions: str

    def share(self, processor: str) -> float:
        before, after = self.values.get(processor, (1.0, 1.0))
        return (after - before) / before

    @property
    def is_large(self) -> bool:
        return any(abs(self.share(name)) > SHARE for name in self.values)


def merges() -> list[dict[str, str]]:
    """All of the range, the oldest first, as the table has them."""
    return list(csv.DictReader((FOLDER / "merges.csv").read_text("utf-8").splitlines()))


def moved() -> list[Moved]:
    rows = csv.DictReader((FOLDER / "merge_figures.csv").read_text("utf-8").splitlines())
    return [Moved(row["merge"], row["test"], row["metric"], _values(row), row["functions"]) for row in rows]


def _values(row: dict[str, str]) -> dict[str, tuple[float, float]]:
    return {name: (float(row[f"{name} before"]), float(row[f"{name} after"])) for name in PROCESSORS if row[f"{name} after"]}


def section() -> Iterator[str]:
    """In reStructuredText."""
    every, found = merges(), moved()
    large = [one for one in found if one.is_large]
    text = tomllib.loads((FOLDER / "merges.toml").read_text("utf-8"))
    read = text["read"]
    yield _filled(HOW.format(
        newest=text["newest"], all=text["all"], which="All" if len(every) > text["all"] else f"The first {len(every) - 1}",
        last=every[-1]["merge"][:SHORT], until=every[-1]["authored"], skipped="; ".join(_skipped(every, text["skipped"])),
        moved=len({one.merge for one in found}), large=len({one.merge for one in large}), method=escaped(text["method"]),
    ))  # fmt: skip
    yield from _sum(every, found)
    outside = text["outside"]
    names, told, far = ", ".join(outside["moved"]), outside["comparisons"], len(outside["moved_by_a_percent"]) or "none"
    yield _filled(OUTSIDE.format(all=len(outside["commits"]), told=told, moved=far, small=len(outside["moved"]), names=names))
    yield ".. list-table:: Instructions by which a merge moved a figure by more than 1 %"
    yield "   :header-rows: 1"
    yield ""
    yield from _row("Merge", "Figure", *PROCESSORS, "By function; what was read in the source, else the commits inside")
    by_id = {one["merge"]: one for one in every}
    for one in large:
        together = [*_unmeasured_before(one.merge, every), one.merge]
        releases = " or ".join(dict.fromkeys(by_id[name]["release"] or "none yet" for name in (together[0], together[-1])))
        inside = f"*{' '.join(by_id[name]['commits'] for name in together)}*"
        yield from _row(
            f"{', '.join(name[:SHORT] for name in together)} ({releases})",
            f"{escaped(one.test)} {escaped(one.metric)}",
            *(_change(one, name) for name in PROCESSORS),
            f"{escaped(one.functions.replace(';', ','))}; {escaped(read[one.merge]) if one.merge in read else inside}",
        )
    yield ""


def answer(against: Candidate, rise_ns: float) -> str:
    """Which merges of the candidate's release can be a rise of the way up that only a switched-on core has."""
    release, before = against.release, against.before
    (on, on_before), (resumed, resumed_before) = ([_up(name, test) for name in (release, before)] for test in (ON, RESUMED))
    every = {one["merge"]: one for one in merges()}
    found = [one for one in moved() if every[one.merge]["release"] == release and (one.test, one.metric) == (ON, "wakeup")]
    large = [one for one in found if one.share(BOARD_S) > SHARE]
    told = ", ".join(f"{one.merge[:SHORT]} ({one.functions.partition(';')[0]})" for one in large)
    alone = (on - on_before) - (resumed - resumed_before)
    return _filled(ANSWER.format(
        release=release, before=before, many=len(large), processor=BOARD_S, merges=escaped(told), on=on - on_before,
        resumed=resumed - resumed_before, alone=alone, most=f"{alone * MOST_OUTSIDE_NS / 1000:.1f}", rise=f"{rise_ns / 1000:.1f}",
        dear=f"{MOST_OUTSIDE_NS:g}", commit=against.commit[:SHORT],
    ))  # fmt: skip


def _up(release: str, test: str) -> int:
    counts = counts_of(f"published:tf-a/n1sdp/{release}", BOARD_S)
    assert counts is not None
    return round(counts.spans[test, Metric.WAKEUP].total)


def _skipped(every: list[dict[str, str]], why: dict[str, str]) -> Iterator[str]:
    """On which processors how many were not measured."""
    for where, number in Counter(one["skipped"] for one in every if one["skipped"]).items():
        on = "either" if where == "all" else where
        yield f"{number} {'does' if number == 1 else 'do'} not start on {on} ({escaped(why[where])})"


def _sum(every: list[dict[str, str]], found: list[Moved]) -> Iterator[str]:
    own = [one for one in found if (one.test, one.metric) == (ON, "wakeup") and BOARD_S in one.values]
    before, after = own[0].values[BOARD_S][0], own[-1].values[BOARD_S][1]
    told = sum(one.values[BOARD_S][1] - one.values[BOARD_S][0] for one in own if one.is_large)
    ends = {"first": every[0]["merge"][:SHORT], "last": every[-1]["merge"][:SHORT]}
    whole = round(after - before)
    yield _filled(SUM.format(**ends, before=round(before), after=round(after), processor=BOARD_S, told=round(told), whole=whole))


def _filled(text: str) -> str:
    return f"{fill(' '.join(text.split()), 120, break_long_words=False, break_on_hyphens=False)}\n"


def _unmeasured_before(merge: str, every: list[dict[str, str]]) -> list[str]:
    earlier = [one for one in every[: [one["merge"] for one in every].index(merge)]]
    return [one["merge"] for one in takewhile(lambda one: one["skipped"], reversed(earlier))][::-1]


def _change(one: Moved, processor: str) -> str:
    if processor not in one.values:
        return "0"
    before, after = one.values[processor]
    return f"{after - before:+,.0f} ({100 * one.share(processor):+.1f} %)"


def _row(*cells: str) -> Iterator[str]:
    for number, cell in enumerate(cells):
        yield f"   {'*' if number == 0 else ' '} - {cell}"
