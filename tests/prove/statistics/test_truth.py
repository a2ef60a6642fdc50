# SPDX-License-Identifier: BSD-3-Clause
"""Five thousand drawn pairs: verdict and sentences of each, against what was planted. `python tests/truth/run.py` prints the rates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from truth.draw import case_of
from truth.held import Held, Wrong, held

pytestmark = pytest.mark.slow

PAIRS, SHARDS = 5_000, 8
MOST_FLAGGED, MOST_BLAME = 0.02, 0.01
NEVER = (Wrong.PEACE, Wrong.SILENCE, Wrong.UNKNOWN)


def pairs_with(found: list[Held], wrong: Wrong) -> int:
    return sum(any(fault.wrong is wrong for fault in one.faults) for one in found)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_what_is_said_of_drawn_pairs_is_true(shard: int, record_property: Callable[[str, object], None]):
    size = PAIRS // SHARDS
    found = [held(case_of(seed)) for seed in range(shard * size, (shard + 1) * size)]
    truths = [one for one in found if one.case.group[1] == "nothing"]
    record_property("drawn pairs", len(found))
    record_property("of them with a false blame", pairs_with(found, Wrong.BLAME))
    assert sum(one.flagged for one in truths) <= MOST_FLAGGED * len(truths)
    assert pairs_with(found, Wrong.BLAME) <= MOST_BLAME * len(found)
    assert [wrong for wrong in NEVER if pairs_with(found, wrong)] == []
