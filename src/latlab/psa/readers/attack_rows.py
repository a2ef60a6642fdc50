# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a run of attacks, as they are kept with it."""

from __future__ import annotations

import msgspec

from latlab.psa.model import AttackResult

LOG = "attacks"


def render(results: tuple[AttackResult, ...]) -> bytes:
    return msgspec.json.encode(results)


def parse(data: bytes) -> tuple[AttackResult, ...]:
    """Raises ValueError where they are damaged; nothing stands for none."""
    return msgspec.json.decode(data, type=tuple[AttackResult, ...]) if data else ()
