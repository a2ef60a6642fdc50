# SPDX-License-Identifier: BSD-3-Clause
"""What the probe counted of releases of a firmware, kept beside what boards published of the same releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from latlab.model.enums import Metric


@dataclass(frozen=True, slots=True)
class SpanCount:
    """Instructions of one span per call, mean over the cores, whole and by function; functions that did not run are left out."""

    total: float
    functions: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """One release on one processor: `spans` by test and metric. `subject` says what was built and where it ran."""

    release: str
    commit: str
    processor: str
    subject: str
    spans: Mapping[tuple[str, Metric], SpanCount]
