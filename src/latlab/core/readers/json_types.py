# SPDX-License-Identifier: BSD-3-Clause
"""The numbers that a JSON export may hold."""

from __future__ import annotations

from typing import Annotated

import msgspec

MOST = (1 << 63) - 1

Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
Whole = Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]
Word = Annotated[int, msgspec.Meta(ge=0)]
Finite = Annotated[float, msgspec.Meta(ge=0, lt=1e18)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e15)]
Number = Annotated[float, msgspec.Meta(gt=-1e30, lt=1e30)]
