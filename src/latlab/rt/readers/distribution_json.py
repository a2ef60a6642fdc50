# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of wake-ups and the work of the load as JSON, with a core as `cluster.core`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from latlab.core.model.distributions import Distribution, LoadWork, WakeupCounts
from latlab.core.readers.json_fields import of_core, with_core


class WakeupKeys(msgspec.Struct):
    distributions: tuple[dict[str, Any], ...] = ()
    load: tuple[LoadWork, ...] = ()


def to_json(counts: WakeupCounts) -> Mapping[str, Any]:
    return {"distributions": [with_core(distribution) for distribution in counts.distributions], "load": counts.load}


def of_json(document: Mapping[str, Any]) -> WakeupCounts:
    """Raises ValueError or msgspec.ValidationError."""
    d = msgspec.convert(document, WakeupKeys)
    return WakeupCounts(tuple(of_core(fields, Distribution) for fields in d.distributions), d.load)
