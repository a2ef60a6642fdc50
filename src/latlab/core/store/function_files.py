# SPDX-License-Identifier: BSD-3-Clause
"""The functions of a run's spans, their time lines and the calls of a watch by kind, as they are kept beside it: lists in JSON."""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec

from latlab.core.model.run import CallsOfKind, MaskedAtlas, SpanFunctions, SpanTimeline

FUNCTIONS_LOG = "functions"
TIMELINES_LOG = "calls"
KINDS_LOG = "kinds"
MASKED_LOG = "masked"


def render_functions(contents: tuple[SpanFunctions | SpanTimeline | CallsOfKind, ...] | MaskedAtlas) -> bytes:
    """Nothing for none."""
    return msgspec.json.encode(contents) if contents else b""


def parse(data: bytes) -> tuple[SpanFunctions, ...]:
    """Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=tuple[SpanFunctions, ...]) if data else ()


def parse_timelines(data: bytes) -> tuple[SpanTimeline, ...]:
    """Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=tuple[SpanTimeline, ...]) if data else ()


def parse_kinds(data: bytes) -> tuple[CallsOfKind, ...]:
    """Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=tuple[CallsOfKind, ...]) if data else ()


class _Answered(msgspec.Struct):
    """Of a kind of call what says whether it failed, without the code that ran."""

    name: str
    is_inner: bool
    instructions: tuple[tuple[int, int], ...]
    errors: tuple[tuple[str, int], ...] = ()


def parse_refused(data: bytes) -> tuple[tuple[str, str], ...]:
    """The calls by name of which each one failed, and what they answered. Raises ValueError where it is damaged."""
    counts: Counter[str] = Counter()
    errors: dict[str, Counter[str]] = defaultdict(Counter)
    for answered in msgspec.json.decode(data, type=tuple[_Answered, ...]) if data else ():
        if not answered.is_inner:
            counts[answered.name] += sum(count for _, count in answered.instructions)
            errors[answered.name].update(dict(answered.errors))
    return tuple((name, ", ".join(sorted(errors[name]))) for name, count in counts.items() if errors[name].total() == count)


def parse_masked(data: bytes) -> MaskedAtlas | None:
    """None where nothing was kept. Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=MaskedAtlas) if data else None
