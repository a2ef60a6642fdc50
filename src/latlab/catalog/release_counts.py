# SPDX-License-Identifier: BSD-3-Clause
"""Reads what was counted of releases whose times boards have published: `counts/sources.toml`, and a table for each processor."""

from __future__ import annotations

import csv
import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from latlab.model.counts import ReleaseCounts, SpanCount
from latlab.model.enums import Metric

KEYS = ("test", "metric", "function")


class _Release(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    commit: str
    published: list[str]


class _Firmware(msgspec.Struct, forbid_unknown_fields=True):
    subject: str
    method: str
    processors: list[str]
    tables: str
    release: list[_Release]


def counts_of(published: str, processor: str) -> ReleaseCounts | None:
    """The counts of the release whose times `published:...` holds, on this processor, if there are any."""
    return _by_reference().get((published, processor))


@cache
def _by_reference() -> dict[tuple[str, str], ReleaseCounts]:
    folder = files("latlab.catalog") / "counts"
    entries = msgspec.convert(tomllib.loads((folder / "sources.toml").read_text("utf-8"))["firmware"], list[_Firmware])
    found: dict[tuple[str, str], ReleaseCounts] = {}
    for entry in entries:
        for processor in entry.processors:
            spans = _spans(folder / entry.tables / f"{processor}.csv")
            for release in entry.release:
                counts = ReleaseCounts(release.name, release.commit, processor, entry.subject, spans[release.name])
                found |= {(f"published:{reference}", processor): counts for reference in release.published}
    return found


def _spans(table: Traversable) -> dict[str, dict[tuple[str, Metric], SpanCount]]:
    """By release. The row without a function is the whole span; an empty cell is one that the release does not have."""
    reader = csv.DictReader(table.read_text("utf-8").splitlines())
    releases = [name for name in reader.fieldnames or () if name not in KEYS]
    totals: dict[str, dict[tuple[str, Metric], float]] = {name: {} for name in releases}
    functions: dict[str, dict[tuple[str, Metric], dict[str, float]]] = {name: {} for name in releases}
    for row in reader:
        key = row["test"], Metric(row["metric"])
        for name in releases:
            if not row[name]:
                continue
            if row["function"]:
                functions[name].setdefault(key, {})[row["function"]] = float(row[name])
            else:
                totals[name][key] = float(row[name])
    return {
        name: {key: SpanCount(total, functions[name].get(key, {})) for key, total in of_release.items()}
        for name, of_release in totals.items()
    }
