# SPDX-License-Identifier: BSD-3-Clause
"""A record with a core in JSON: its fields by name, the core as `cluster.core`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from latlab.core.model.run import CoreId
from latlab.core.readers.core_names import parse_core


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
