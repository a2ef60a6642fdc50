# SPDX-License-Identifier: BSD-3-Clause
"""The fields of JSON exports: numbers with their limits, and records with a core as `cluster.core`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Protocol, TypeVar

import msgspec

from latlab.core.model.run import CoreId
from latlab.core.readers.core_names import parse_core

MOST = (1 << 63) - 1

Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
Whole = Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]
Word = Annotated[int, msgspec.Meta(ge=0)]
Finite = Annotated[float, msgspec.Meta(ge=0, lt=1e18)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e15)]
Number = Annotated[float, msgspec.Meta(gt=-1e30, lt=1e30)]


class OfCore(Protocol):
    @property
    def core(self) -> CoreId: ...


T = TypeVar("T", bound=OfCore)


def with_core(record: OfCore) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(record)
    return fields | {"core": str(record.core)}


def of_core(fields: Mapping[str, Any], record_type: type[T]) -> T:
    core: CoreId = parse_core(fields["core"])
    return msgspec.convert({**fields, "core": {"cluster": core.cluster, "core": core.core}}, record_type)
