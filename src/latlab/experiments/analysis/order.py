# SPDX-License-Identifier: BSD-3-Clause
"""Which combination is run when: every one once in each replicate, in an order that the seed draws anew for each.

A replicate is a block (Fisher 1935): what drifts from one to the next, such as a warm board or a second day, is no effect of a factor.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

from latlab.core.model.experiment import Factor


def combinations_of(factors: Sequence[Factor]) -> tuple[tuple[str, ...], ...]:
    return tuple(product(*(factor.levels for factor in factors)))


def order_of(factors: Sequence[Factor], seed: int, replicate: int) -> tuple[tuple[str, ...], ...]:
    """The combinations of one replicate in the order of their runs; the same for the same seed, wherever and whenever it is asked."""
    shuffled = list(combinations_of(factors))
    random.Random(f"{seed}/{replicate}").shuffle(shuffled)
    return tuple(shuffled)
