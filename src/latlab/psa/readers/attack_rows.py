# SPDX-License-Identifier: BSD-3-Clause
"""The results of a run of attacks: the log that is kept with it, and the key of an export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from latlab.psa.attack_results import Attacks
from latlab.psa.model import AttackResult

LOG = "attacks"


def render(results: tuple[AttackResult, ...]) -> bytes:
    return msgspec.json.encode(results)


def parse(data: bytes) -> tuple[AttackResult, ...]:
    """Raises ValueError where they are damaged; nothing stands for none."""
    return msgspec.json.decode(data, type=tuple[AttackResult, ...]) if data else ()


class AttackKeys(msgspec.Struct):
    attacks: tuple[AttackResult, ...] = ()


def to_json(contents: Attacks) -> Mapping[str, Any]:
    return {"attacks": contents.results}


def of_json(document: Mapping[str, Any]) -> Attacks:
    """Raises msgspec.ValidationError."""
    return Attacks(msgspec.convert(document, AttackKeys).attacks)
