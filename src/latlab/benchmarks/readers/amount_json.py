# SPDX-License-Identifier: BSD-3-Clause
"""The amounts of a benchmark as JSON: rows, with a core as `cluster.core`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from latlab.core.model.amounts import Amount, Amounts
from latlab.core.model.enums import Metric
from latlab.core.readers.core_names import parse_core
from latlab.core.readers.json_fields import Number, Positive

_AmountRow = tuple[str, Metric, str, str | None, tuple[Number, ...], Positive | None]


class AmountKeys(msgspec.Struct):
    amounts: tuple[_AmountRow, ...] = ()
    tool: str = ""


def to_json(contents: Amounts) -> Mapping[str, Any]:
    rows = [
        (amount.test, amount.metric, amount.name, str(amount.core) if amount.core else None, amount.values, amount.over_s)
        for amount in contents.amounts
    ]
    return {"amounts": rows, "tool": contents.tool}


def of_json(document: Mapping[str, Any]) -> Amounts:
    """Raises ValueError or msgspec.ValidationError."""
    d = msgspec.convert(document, AmountKeys)
    amounts = (
        Amount(test, metric, name, parse_core(core) if core is not None else None, values, over_s)
        for test, metric, name, core, values, over_s in d.amounts
    )
    return Amounts(tuple(amounts), d.tool)
