# SPDX-License-Identifier: BSD-3-Clause
"""What an error is held against where its sentence is no promise: its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def refused(**fields: str) -> Callable[[Any], bool]:
    """For `check` of pytest.raises: the error has these fields."""
    return lambda error: fields.items() <= error.fields.items()
