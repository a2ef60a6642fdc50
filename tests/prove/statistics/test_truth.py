# SPDX-License-Identifier: BSD-3-Clause
"""Ten thousand drawn pairs: what is said of each, held against what was planted. `python tests/truth/run.py` prints the rates."""

from __future__ import annotations

import pytest

from truth.draw import case_of
from truth.held import Held, Wrong, held

pytestmark = pytest.mark.slow

PAIRS, SHARDS = 10_000, 8
MOST_FLAGGED, MOST_BLAME, MOST_PEACE = 0.02, 0.01, 0.002


def shares(found: list[Held], wrong: Wrong) -> float:
    return sum(any(fault.wrong is wrong for fault in one.faults) for one in found) / max(len(found), 1)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_what_is_said_of_drawn_pairs_is_true(shard: int):
    size = PAIRS // SHARDS
    found = [held(case_of(seed)) for seed in range(shard * size, (shard + 1) * size)]
    truths = [one for one in found if one.case.group[1] == "nothing"]
    assert sum(one.flagged for one in truths) <= MOST_FLAGGED * len(truths)
    assert shares(found, Wrong.BLAME) <= MOST_BLAME
    assert shares(found, Wrong.PEACE) <= MOST_PEACE
    assert shares(found, Wrong.UNKNOWN) == 0
