# SPDX-License-Identifier: BSD-3-Clause
"""Functions of an image by address."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbols:
    """Functions of an image, by address."""

    addresses: tuple[int, ...]
    names: tuple[str, ...]

    def name(self, address: int) -> str:
        """The function that holds the address, or the address itself where none does."""
        index = bisect_right(self.addresses, address) - 1
        return self.names[index] if index >= 0 else f"{address:#010x}"
