# SPDX-License-Identifier: BSD-3-Clause
"""Reads what was counted of releases whose times boards have published: `counts/sources.toml`, and a table for each processor."""

from __future__ import annotations

import csv
import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from latlab.core.model.counts import CommitOf, ReleaseCounts, SpanCount
from latlab.core.model.enums import InstructionClass, Metric

KEYS = ("test", "metric", "function", "class")


class _Build(msgspec.Struct, forbid_unknown_fields=True):
    processors: list[str]
    subject: str
    options: str
    own: list[str]


class _Release(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    commit: str
    published: list[str]


class _Commit(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    release: str
    subject: str
    functions: list[str]


class _Firmware(msgspec.Struct, forbid_unknown_fields=True):
    tables: str
    compiler: str
    machine: str
    probe: str
    method: str
    changes: str
    build: list[_Build]
    release: list[_Release]
    commit: list[_Commit]

    def provenance(self, build: _Build) -> dict[str, str]:
        of_all = {name: getattr(self, name) for name in ("compiler", "machine", "probe", "method", "changes")}
        return {"options": build.options, **of_all}


def counts_of(published: str, processor: str) -> ReleaseCounts | None:
    """The counts of the release whose times `published:...` holds, on this processor, if there are any."""
    return _by_reference().get((published, processor))


@cache
def _by_reference() -> dict[tuple[str, str], ReleaseCounts]:
    folder = files("latlab.catalog") / "counts"
    entries = msgspec.convert(tomllib.loads((folder / "sources.toml").read_text("utf-8"))["firmware"], list[_Firmware])
    by_reference: dict[tuple[str, str], ReleaseCounts] = {}
    for entry in entries:
        commits = [(commit.release, CommitOf(commit.id, commit.subject, tuple(commit.functions))) for commit in entry.commit]
        for build in entry.build:
            for processor in build.processors:
                spans = _spans(folder / entry.tables / f"{processor}.csv")
                for release in entry.release:
                    own_commits = tuple(commit for name, commit in commits if name == release.name)
                    counts = ReleaseCounts(
                        release.name, release.commit, processor, build.subject, entry.provenance(build), tuple(build.own),
                        spans[release.name], own_commits,
                    )  # fmt: skip
                    by_reference |= {(f"published:{reference}", processor): counts for reference in release.published}
    return by_reference


def _spans(table: Traversable) -> dict[str, dict[tuple[str, Metric], SpanCount]]:
    """By release. A row without function and class is of a span that was counted as a whole; an empty cell is what did not run."""
    reader = csv.DictReader(table.read_text("utf-8").splitlines())
    releases = [name for name in reader.fieldnames or () if name not in KEYS]
    by_release: dict[str, dict[tuple[str, Metric], SpanCount]] = {name: {} for name in releases}
    parts: dict[str, dict[tuple[str, Metric], dict[tuple[str, InstructionClass], float]]] = {name: {} for name in releases}
    for row in reader:
        key = row["test"], Metric(row["metric"])
        for name in releases:
            if row[name] and row["class"]:
                parts[name].setdefault(key, {})[row["function"], InstructionClass(row["class"])] = float(row[name])
            elif row[name]:
                by_release[name][key] = SpanCount(float(row[name]), {})
    for name in releases:
        by_release[name] |= {key: SpanCount(sum(of_span.values()), of_span) for key, of_span in parts[name].items()}
    return by_release
