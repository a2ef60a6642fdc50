# SPDX-License-Identifier: BSD-3-Clause
"""What changed, as a feed: an Atom document (RFC 4287) with the newest verdict on each thing that was measured, and the newest weeks."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latlab.core.comparison.verdicts import Verdict
from latlab.core.shown import LINES, shown
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import MeasuredThing
from latlab.site.pages import digest
from latlab.site.pages.digest import Week
from latlab.site.pages.front import compared

PATH = "feed.xml"
TITLE = "What changed, by latlab"
MOST_ENTRIES = 300
SPACE = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """`link` is a page of the site, from its folder; `when` as RFC 3339 has it."""

    name: str
    title: str
    summary: str
    link: str
    when: str


def entries(things: Sequence[MeasuredThing], weeks: Sequence[Week], tellings: SummaryCache) -> tuple[FeedEntry, ...]:
    """The newest first; what has nothing to be compared with is left out."""
    return tuple(sorted(_entries(things, weeks, tellings), key=lambda entry: (entry.when, entry.name), reverse=True))[:MOST_ENTRIES]


def document(feed_entries: Sequence[FeedEntry]) -> str:
    ET.register_namespace("", SPACE)
    feed = ET.Element(f"{{{SPACE}}}feed")
    _add(feed, "title", TITLE)
    _add(feed, "id", "urn:latlab:site")
    _add(feed, "updated", max((feed_item.when for feed_item in feed_entries), default="1970-01-01T00:00:00Z"))
    _add(_add(feed, "author"), "name", "latlab")
    for feed_entry in feed_entries:
        entry = _add(feed, "entry")
        _add(entry, "title", feed_entry.title)
        _add(entry, "id", f"urn:latlab:{feed_entry.name}")
        _add(entry, "updated", feed_entry.when)
        _add(entry, "summary", feed_entry.summary)
        _add(entry, "link").set("href", feed_entry.link)
    ET.indent(feed)
    return shown(ET.tostring(feed, encoding="unicode", xml_declaration=True), LINES) + "\n"


def _entries(things: Sequence[MeasuredThing], weeks: Sequence[Week], tellings: SummaryCache) -> Iterator[FeedEntry]:
    for thing in things:
        if pair := tellings.pair(thing):
            a, b = pair
            summary = tellings.of(a.id, b.id)
            title = f"{Verdict(summary.verdict)}: {thing.name}, {b.firmware}"
            text = "; ".join(filter(None, (summary.functions, summary.said)))
            yield FeedEntry(f"compare:{a.id}..{b.id}", title, text, compared(a.id, b.id), b.started_utc or thing.runs[-1].started_utc)
    for week in weeks:
        title = digest.title(week, tellings)
        yield FeedEntry(f"week:{week.name}", title.partition(";")[0], title, digest.place(week), week.updated)


def _add(parent: ET.Element, name: str, text: str | None = None) -> ET.Element:
    element = ET.SubElement(parent, f"{{{SPACE}}}{name}")
    element.text = text
    return element
