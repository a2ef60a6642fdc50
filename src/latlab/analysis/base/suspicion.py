# SPDX-License-Identifier: BSD-3-Clause
"""Figures that may not be what they are said to be, as data: what is suspected of which spans, and what that rests on.

A suspicion is no finding about the firmware. What it covers is not judged, and no gate passes with one.
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
    """What a suspicion rests on."""

    RUN = "the run itself"
    OTHER_RUN = "the other run"
    TICK = "the tick of the platform's counter"
    TRACE = "the time stamps of the trace"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """`spans` of `run` are suspect, in `cores` or in all where none is named; `is_whole`: these are all that the run holds.

    `size` is the figure in ns, the factor to the other run, or a count of boots or iterations, `usual` what it should be like, and
    `modulus` what a counter holds, in ns, where that is what a figure has too much.
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
