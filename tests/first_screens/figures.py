# SPDX-License-Identifier: BSD-3-Clause
"""Exported JSON as plain figures in the unit of a screen. Nothing here imports latlab."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

Json = dict[str, Any]
Key = tuple[str, str, str]
"""Test, metric, core."""
POWER = ("powerdown", "wakeup")
NAMED = {"base": "first-core latency", "step": "delay per position"}
QUANTILE = re.compile(r"\d %$")
PART = re.compile(r", (?:[\d.]+ %|maximum|shape|spread)$")


@dataclass(frozen=True)
class Run:
    """`samples` and `distributions` are in microseconds or instructions."""

    document: Json

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def is_counted(self) -> bool:
        return self.document["tick_unit"] == "insns"

    @property
    def scale(self) -> float:
        """Units of a screen for each tick."""
        return float(self.document["tick_value"]) * (1.0 if self.is_counted else 1e-3)

    @property
    def samples(self) -> dict[Key, list[float]]:
        out: dict[Key, list[float]] = defaultdict(list)
        for test, metric, core, _, _, ticks in self.document["samples"]:
            out[test, metric, core].append(ticks * self.scale)
        return out

    @property
    def cores(self) -> int:
        return sum(self.document["topology"])

    def takes_turns(self, test: str) -> bool:
        """Cores of a deterministic emulator run in turn: spans of a parallel test hold the turns of others."""
        is_one_at_a_time = self.document["clock"] == "instructions" and self.document["target"] != "trace" and self.cores > 1
        is_alone = bool(self.document["functions"]) and test == "psci_version_parallel"
        return is_one_at_a_time and test.endswith("_parallel") and not is_alone

    @property
    def is_noise(self) -> bool:
        return self.document["conditions"]["mode"] == "multi-thread"

    @property
    def distributions(self) -> list[Json]:
        return list(self.document["distributions"])


@dataclass(frozen=True)
class Row:
    """A row of a comparison, in the unit of a screen; `unit` is that unit."""

    values: Json

    @property
    def is_term(self) -> bool:
        name = self.values["name"]
        return name in NAMED or name.startswith(("after the ", "last man of the system", "last men of "))

    @property
    def title(self) -> str:
        if self.values.get("later_than"):
            return f"later than {self.values['later_than'] / 1000:.3g} µs"
        name = str(self.values["name"])
        name = NAMED.get(name, name)
        name = name.replace("after the last man of", "last-core delay of").replace("last man", "last core")
        name = name.replace("last men", "last cores").replace("place", "position")
        return f"{name} quantile" if QUANTILE.search(name) else name

    @property
    def scale(self) -> float:
        return 1e-3 if self.values["unit"] == "ns" else 1.0

    @property
    def shift(self) -> float:
        return float(self.values["shift"] or 0.0) * self.scale

    @property
    def share(self) -> float:
        """In percent; not a number without a base."""
        before = self.values.get("shift_of", self.values["before"])
        return 100.0 * float(self.values["shift"]) / before if before and self.values["shift"] is not None else float("nan")

    @property
    def verdict(self) -> str:
        return str(self.values["verdict"])

    @property
    def metric(self) -> str:
        return str(self.values["metric"])

    @property
    def test(self) -> str:
        return str(self.values["test"])

    @property
    def cells(self) -> list[float]:
        """The shifts of its data points, else its own."""
        return [cell["shift"] * self.scale for cell in self.values["cells"] if cell["shift"] is not None] or [self.shift]


@dataclass(frozen=True)
class Comparison:
    document: Json

    @property
    def rows(self) -> list[Row]:
        """The rows of a screen, without figures of a shape that did not differ. Data points that changed otherwise are rows."""
        rows = [values for values in self.document["rows"] if not PART.search(values["name"]) or _differs(values)]
        points = [{**claim, "cells": [], "cluster": None} for claim in self.document["claims"] if claim["level"] == "data point"]
        return [Row(values) for values in (*rows, *points)]

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(row.metric for row in self.rows))

    def spans(self) -> list[Row]:
        return [row for row in self.rows if not row.is_term]


def _differs(values: Json) -> bool:
    return values["verdict"] in ("regressed", "improved") or values["detail"] == "less than the threshold"


def levels(values: list[float]) -> tuple[float, float, float]:
    """Minimum, median and maximum."""
    return min(values), median(values), max(values)


def spoken(metric: str) -> str:
    """A metric as sentences name it."""
    return metric.replace("_", " ")
