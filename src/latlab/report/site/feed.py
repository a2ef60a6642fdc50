# SPDX-License-Identifier: BSD-3-Clause
"""What changed, as a feed: an Atom document (RFC 4287) with the newest verdict on each thing that was measured, and the newest weeks."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latlab.analysis.base.verdicts import Verdict
from latlab.campaigns.site import Measured
from latlab.report.site import digest
from latlab.report.site.digest import Week
from latlab.report.site.front import compared
from latlab.report.site.told import Tellings
from latlab.shown import LINES, shown

PATH = "feed.xml"
TITLE = "What changed, by latlab"
SPACE = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True, slots=True)
class Entry:
    """`link` is a page of the site, from its folder; `when` as RFC 3339 has it."""

    name: str
    title: str
    said: str
    link: str
    when: str


def entries(found: Sequence[Measured], weeks: Sequence[Week], tellings: Tellings) -> tuple[Entry, ...]:
    """The newest first; what has nothing to be compared with is left out."""
    return tuple(sorted(_entries(found, weeks, tellings), key=lambda one: (one.when, one.name), reverse=True))


def document(told: Sequence[Entry]) -> str:
    ET.register_namespace("", SPACE)
    feed = ET.Element(f"{{{SPACE}}}feed")
    _add(feed, "title", TITLE)
    _add(feed, "id", "urn:latlab:site")
    _add(feed, "updated", max((one.when for one in told), default="1970-01-01T00:00:00Z"))
    _add(_add(feed, "author"), "name", "latlab")
    for one in told:
        entry = _add(feed, "entry")
        _add(entry, "title", one.title)
        _add(entry, "id", f"urn:latlab:{one.name}")
        _add(entry, "updated", one.when)
        _add(entry, "summary", one.said)
        _add(entry, "link").set("href", one.link)
    ET.indent(feed)
    return shown(ET.tostring(feed, encoding="unicode", xml_declaration=True), LINES) + "\n"


def _entries(found: Sequence[Measured], weeks: Sequence[Week], tellings: Tellings) -> Iterator[Entry]:
    for one in found:
        told = tellings.of(one.pair[0].id, one.pair[1].id) if one.pair else None
        if one.pair and told and told.verdict:
            a, b = one.pair
            title = f"{Verdict(told.verdict)}: {one.name}, {b.firmware}"
            said = "; ".join(filter(None, (told.functions, told.said)))
            yield Entry(f"compare:{a.id}..{b.id}", title, said, compared(a.id, b.id), b.started_utc or one.runs[-1].started_utc)
    for week in weeks:
        title = digest.title(week, tellings)
        yield Entry(f"week:{week.name}", title.partition(";")[0], title, digest.place(week), week.updated)


def _add(parent: ET.Element, name: str, text: str | None = None) -> ET.Element:
    element = ET.SubElement(parent, f"{{{SPACE}}}{name}")
    element.text = text
    return element
