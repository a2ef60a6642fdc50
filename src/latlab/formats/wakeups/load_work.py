# SPDX-License-Identifier: BSD-3-Clause
"""What stress-ng did, by the YAML file that it writes at its end."""

from __future__ import annotations

import msgspec

from latlab.errors import DataError
from latlab.model.run import LoadWork


class _Stressor(msgspec.Struct):
    stressor: str
    operations: float = msgspec.field(name="bogo-ops")
    seconds: float = msgspec.field(name="wall-clock-time")


class _File(msgspec.Struct):
    metrics: list[_Stressor] | None = None


def read_load_work(data: bytes, place: str) -> tuple[LoadWork, ...]:
    """Bogo operations in a second of real time, by stressor; none where it was killed before it could say. Raises DataError."""
    try:
        found = msgspec.yaml.decode(data, type=_File | None)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise DataError(f"{place}: not what stress-ng writes ({error}); what the load did is not known") from error
    metrics = (found.metrics if found else None) or []
    return tuple(LoadWork(one.stressor, one.operations / one.seconds) for one in metrics if one.seconds > 0)
