# SPDX-License-Identifier: BSD-3-Clause
"""The functions of a run's spans, their time lines and the calls of a watch by kind, as they are kept beside it: lists in JSON."""

from __future__ import annotations

import msgspec

from latlab.model.run import CallsOfKind, MaskedAtlas, SpanFunctions, SpanTimeline

FUNCTIONS_LOG = "functions"
TIMELINES_LOG = "calls"
KINDS_LOG = "kinds"
MASKED_LOG = "masked"


def render_functions(found: tuple[SpanFunctions | SpanTimeline | CallsOfKind, ...] | MaskedAtlas) -> bytes:
    """Nothing for none."""
    return msgspec.json.encode(found) if found else b""


def parse(data: bytes) -> tuple[SpanFunctions, ...]:
    """Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=tuple[SpanFunctions, ...]) if data else ()


def parse_timelines(data: bytes) -> tuple[SpanTimeline, ...]:
    """Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=tuple[SpanTimeline, ...]) if data else ()


def parse_kinds(data: bytes) -> tuple[CallsOfKind, ...]:
    """Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=tuple[CallsOfKind, ...]) if data else ()


def parse_masked(data: bytes) -> MaskedAtlas | None:
    """None where nothing was kept. Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=MaskedAtlas) if data else None
