# SPDX-License-Identifier: BSD-3-Clause
"""The functions of a run's spans as they are kept beside it: a list in JSON."""

from __future__ import annotations

import msgspec

from latlab.model.run import SpanFunctions

LOG = "functions"


def render(found: tuple[SpanFunctions, ...]) -> bytes:
    """Nothing for none."""
    return msgspec.json.encode(found) if found else b""


def parse(data: bytes) -> tuple[SpanFunctions, ...]:
    """Raises ValueError where it is damaged."""
    return msgspec.json.decode(data, type=tuple[SpanFunctions, ...]) if data else ()
