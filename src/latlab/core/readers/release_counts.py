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


@cache
def counts_of(published: str, processor: str) -> ReleaseCounts | None:
    """The counts of the release whose times `published:...` holds, on this processor, if there are any."""
    for firmware in _firmware():
        build = next((build for build in firmware.build if processor in build.processors), None)
        release = next((release for release in firmware.release if published in map("published:{}".format, release.published)), None)
        if build is not None and release is not None:
            spans = _spans(_folder() / firmware.tables / f"{processor}.csv", release.name)
            commits = tuple(CommitOf(c.id, c.subject, tuple(c.functions)) for c in firmware.commit if c.release == release.name)
            origin = firmware.provenance(build)
            return ReleaseCounts(release.name, release.commit, processor, build.subject, origin, tuple(build.own), spans, commits)
    return None


def _folder() -> Traversable:
    return files("latlab.catalog") / "counts"


@cache
def _firmware() -> list[_Firmware]:
    return msgspec.convert(tomllib.loads((_folder() / "sources.toml").read_text("utf-8"))["firmware"], list[_Firmware])


def _spans(table: Traversable, release: str) -> dict[tuple[str, Metric], SpanCount]:
    """A row without function and class is of a span that was counted as a whole; an empty cell is what did not run."""
    spans: dict[tuple[str, Metric], SpanCount] = {}
    parts: dict[tuple[str, Metric], dict[tuple[str, InstructionClass], float]] = {}
    for row in csv.DictReader(table.read_text("utf-8").splitlines()):
        if not row[release]:
            continue
        key = row["test"], Metric(row["metric"])
        if row["class"]:
            parts.setdefault(key, {})[row["function"], InstructionClass(row["class"])] = float(row[release])
        else:
            spans[key] = SpanCount(float(row[release]), {})
    return spans | {key: SpanCount(sum(of_span.values()), of_span) for key, of_span in parts.items()}
