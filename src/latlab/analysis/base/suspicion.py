# SPDX-License-Identifier: BSD-3-Clause
"""Data-quality warnings as data: the suspected fault, its spans, and its evidence.

A warning is no finding about the firmware. Data under a warning gets no verdict, and no gate passes with one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.model.enums import Metric
from latlab.model.run import CoreId

Span = tuple[str, Metric]
"""A test and a metric."""


class Doubt(StrEnum):
    """What a figure may be instead."""

    WRAPPED = "wrapped counter"
    ZERO = "nothing measured"
    UNIT = "another unit"
    TICKS = "ticks for ns"
    HALF_CLOCK = "half clock"
    SCALED = "one factor in everything"
    EXCHANGED = "exchanged columns"
    SAME_BOOTS = "one boot several times"
    APART = "parallel spans that do not overlap"
    AT_ONCE = "serial spans that overlap"


class Ground(StrEnum):
    """The evidence for a warning."""

    RUN = "the run itself"
    OTHER_RUN = "the other run"
    TICK = "the tick of the platform's counter"
    TRACE = "the time stamps of the trace"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A warning for `spans` of `run`, on `cores`, or on all cores if none is named. `is_whole`: these are all spans of the run.

    `size` is the figure in ns, the factor to the other run, or a number of boots or iterations; `usual` is the expected value. `modulus`
    is the range of a counter in ns, if that is the excess of the figure.
    """

    doubt: Doubt
    run: str
    ground: Ground
    spans: tuple[Span, ...]
    cores: tuple[CoreId, ...] = ()
    size: float = 0.0
    usual: float = 0.0
    modulus: float | None = None
    is_whole: bool = False
