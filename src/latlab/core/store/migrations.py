# SPDX-License-Identifier: BSD-3-Clause
"""A store of an older version becomes one of this version, in the transaction of its caller: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sa

from latlab.core.store.schema import SCHEMA_VERSION, schema_table

STEPS: Mapping[int, Callable[[sa.Connection], None]] = {}
"""From the version of a release to the one behind it. A step raises ValueError or KeyError where a row is damaged. Release 0.1.0 is the
first, and has this version."""


def can_migrate(version: int) -> bool:
    """Whether a step leads from each version between `version` and this one."""
    return version < SCHEMA_VERSION and all(number in STEPS for number in range(version, SCHEMA_VERSION))


def migrate(connection: sa.Connection, version: int) -> None:
    """Requires `can_migrate(version)`. Raises what the steps raise."""
    for number in range(version, SCHEMA_VERSION):
        STEPS[number](connection)
    connection.execute(schema_table.update().values(version=SCHEMA_VERSION))
