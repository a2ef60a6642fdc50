# SPDX-License-Identifier: BSD-3-Clause
"""What stress-ng did, by the YAML file that it writes at its end."""

from __future__ import annotations

import msgspec

from latlab.core.errors import DataError
from latlab.core.model.distributions import LoadWork

METRICS = b"\nmetrics:"
"""What is before it is not read: stress-ng 0.19.02 writes a list of its build there that is no YAML."""


class _Stressor(msgspec.Struct):
    stressor: str
    operations: float = msgspec.field(name="bogo-ops")
    seconds: float = msgspec.field(name="wall-clock-time")


class _File(msgspec.Struct):
    metrics: list[_Stressor] | None = None


def read_load_work(data: bytes, place: str) -> tuple[LoadWork, ...]:
    """Bogo operations in a second of real time, by stressor; none where it was killed before it could say. Raises DataError."""
    metrics = data[max(data.find(METRICS), 0) :]
    try:
        document = msgspec.yaml.decode(metrics, type=_File | None)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise DataError(f"not what stress-ng writes ({error}); the work of the load is unknown", place=place) from error
    stressors = (document.metrics if document else None) or []
    return tuple(LoadWork(stressor.stressor, stressor.operations / stressor.seconds) for stressor in stressors if stressor.seconds > 0)
