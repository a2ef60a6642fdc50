# SPDX-License-Identifier: BSD-3-Clause
"""The values of a parameter of which `make test` takes some, and the proofs all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def slow_but(values: Iterable[Any], *usual: Any) -> list[Any]:
    """Each value, of which `make test` takes the usual ones and `make prove PART=matrices` all."""
    return [value if value in usual else pytest.param(value, marks=pytest.mark.slow) for value in values]
