# SPDX-License-Identifier: BSD-3-Clause
"""What changed over a fleet as a page: the answer, each board that changed with its cause, and what could not be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from latlab.core.comparison.verdicts import CHANGED, WORDS, Limits, Verdict
from latlab.core.report.page import Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers import csv, json
from latlab.core.report.text import strong, with_code
from latlab.core.shown import significant
from latlab.site.campaign.regressions import Change

COLUMNS = ("measured", "verdict", "base", "run", "started_utc", "firmware_before", "firmware", "sentence", "cause")
MOST_NAMED = 3
WORTH_A_SENTENCE = 0.5
"""Changes by chance that are expected: with fewer, a change is more likely none of them."""


def page(changes: Sequence[Change], since: str) -> Page:
    """`since` is the day as the user wrote it."""
    by_verdict = {verdict: [change for change in changes if _verdict(change) == verdict] for verdict in CHANGED}
    sections = [
        Section(str(verdict).capitalize(), (Items(tuple(map(_item, by_verdict[verdict]))), *_shared(by_verdict[verdict])))
        for verdict in CHANGED
        if by_verdict[verdict]
    ]
    return Page(title(changes, since), (_rest(changes), *_by_chance(sum(bool(change.base) for change in changes))), tuple(sections))


def title(changes: Sequence[Change], since: str) -> str:
    """The answer in one sentence."""
    compared = [change for change in changes if change.base]
    if not compared:
        return f"Nothing was compared since {since}: it needs a run before that day and a newer one of the same kind."
    counts = Counter(map(_verdict, compared))
    regressed, improved = counts[Verdict.REGRESSED.value], counts[Verdict.IMPROVED.value]
    return f"{regressed} of {len(compared)} series regressed since {since}, {improved} improved."


def regressions_json(changes: Sequence[Change]) -> str:
    return json.document([dict(zip(COLUMNS, _line(change), strict=True)) for change in changes])


def regressions_csv(changes: Sequence[Change]) -> str:
    return csv.lines(COLUMNS, list(map(_line, changes)))


def _verdict(change: Change) -> str:
    return change.comparison.verdict if change.comparison else ""


def _item(change: Change) -> Item:
    outcome = (change.comparison.cause or change.comparison.sentence) if change.comparison else ""
    base = change.base.id if change.base else ""
    details = (outcome, f"firmware {_firmware(change)}", with_code(f"`latlab compare {base} {change.last.id}`"))
    return Item(strong(change.thing.name), details)


def _firmware(change: Change) -> str:
    before, after = change.base.firmware if change.base else "", change.last.firmware
    return f"{before} to {after}" if before != after else f"{after}, unchanged"


def _shared(changes: Sequence[Change]) -> Iterator[Paragraph]:
    """The step of firmware that most of them have in common. It is no cause, and a place to look."""
    steps = Counter(_firmware(change) for change in changes if change.base and change.base.firmware != change.last.firmware)
    if steps and steps.most_common(1)[0][1] > 1:
        step, number = steps.most_common(1)[0]
        yield Paragraph(f"{number} of {len(changes)} went from firmware {step}.")


def _rest(changes: Sequence[Change]) -> str:
    """What the answer does not rest on."""
    others = Counter(_verdict(change) for change in changes if change.base)
    parts = [f"{others[word]} {word}" for word in WORDS if word not in CHANGED]
    new = sum(not change.comparison for change in changes)
    incomparable = [change for change in changes if change.comparison and not change.base]
    named = ", ".join(change.thing.name for change in incomparable[:MOST_NAMED])
    left_out = [f"{new} without an earlier run"] if new else []
    left_out += [f"{len(incomparable)} not comparable with any earlier run, such as {named}"] if incomparable else []
    return "; ".join([", ".join(part for part in parts if not part.startswith("0 ")) or "Nothing else was compared", *left_out]) + "."


def _by_chance(comparisons: int) -> Iterator[str]:
    """How many changes the level of so many comparisons allows where nothing changed."""
    level = Limits().alpha
    if comparisons * level >= WORTH_A_SENTENCE:
        yield (
            f"Each metric is compared at a level of {significant(level * 100)} %. If nothing changed, up to {comparisons * level:.1f} of "
            f"{comparisons} comparisons would still show a change in it. Repeat the run of a single board before you look for a cause."
        )


def _line(change: Change) -> tuple[str, ...]:
    comparison = change.comparison
    base = change.base
    return (
        change.thing.name,
        _verdict(change) or ("new" if comparison is None else "not compared"),
        base.id if base else "",
        change.last.id,
        change.last.started_utc,
        base.firmware if base else "",
        change.last.firmware,
        comparison.sentence if comparison else "",
        comparison.cause if comparison else "",
    )
