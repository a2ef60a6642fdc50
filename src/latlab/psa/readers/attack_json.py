# SPDX-License-Identifier: BSD-3-Clause
"""The results of attacks as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from latlab.psa.attack_results import Attacks
from latlab.psa.model import AttackResult


class AttackKeys(msgspec.Struct):
    attacks: tuple[AttackResult, ...] = ()


def to_json(contents: Attacks) -> Mapping[str, Any]:
    return {"attacks": contents.results}


def of_json(document: Mapping[str, Any]) -> Attacks:
    """Raises msgspec.ValidationError."""
    return Attacks(msgspec.convert(document, AttackKeys).attacks)
