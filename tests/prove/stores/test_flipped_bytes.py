# SPDX-License-Identifier: BSD-3-Clause
"""One byte of a store's file is another one: what is shown is what was measured, or the damage is named."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from latlab.core.errors import LatlabError
from latlab.core.model.enums import Metric
from latlab.core.store.comparisons import StoredComparison, store_comparisons, stored_comparisons
from latlab.core.store.listing import figure_samples, heads
from latlab.core.store.store import Store, open_store
from support import every_kind
from support.runs import unfinished_run

pytestmark = pytest.mark.slow

FLIPS = 500
MADE_BY = "this version"


def test_no_flipped_byte_of_a_store_with_runs_of_every_kind_is_silent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, record_property: Callable[[str, object], None]
) -> None:
    whole, place = tmp_path / "whole.sqlite", tmp_path / "flipped.sqlite"
    _fill(whole)
    content, random = whole.read_bytes(), Random(1)
    untouched = _seen(whole, caplog)
    assert not caplog.messages
    found: Counter[str] = Counter()
    silent = []
    for _ in range(FLIPS):
        at, bit = random.randrange(len(content)), random.randrange(8)
        place.write_bytes(content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :])
        caplog.clear()
        outcome, differs = _outcome(place, untouched, caplog)
        found[outcome] += 1
        silent += [f"byte {at}, bit {bit}: {differs}"] * (outcome == "silent")
        for left in tmp_path.glob("flipped.sqlite*"):
            left.unlink()
    record_property("flips that were named", found["named"])
    record_property("flips without effect", found["without effect"])
    assert not silent, "\n".join(silent)
    assert found["named"] > FLIPS // 4


def _fill(place: Path) -> None:
    """With runs of all kinds, one that is under way, one removed, labels and a stored comparison; all of it in the file itself."""
    every_kind.fill(place)
    store = open_store(str(place))
    first, second, *_ = (run.id for run in store.runs())
    store_comparisons(store, MADE_BY, [StoredComparison(first, second, "regressed", "Wakeup regressed.", "a function")])
    store.begin(unfinished_run())
    store.close()


def _outcome(place: Path, untouched: dict[str, object], caplog: pytest.LogCaptureFixture) -> tuple[str, list[str]]:
    try:
        seen = _seen(place, caplog)
    except LatlabError:
        return "named", []
    if caplog.messages:
        return "named", []
    differs = [name for name in untouched.keys() | seen.keys() if untouched.get(name) != seen.get(name)]
    return ("silent" if differs else "without effect"), differs


def _seen(place: Path, caplog: pytest.LogCaptureFixture) -> dict[str, object]:
    """Read what verbs read of a store. Raises LatlabError where the store names damage."""
    store = open_store(str(place))
    try:
        with caplog.at_level(logging.WARNING):
            return _read(store)
    finally:
        store.close()


def _read(store: Store) -> dict[str, object]:
    listed = heads(store)
    seen: dict[str, object] = {"list": listed, "runs": store.runs(), "comparisons": stored_comparisons(store, MADE_BY)}
    seen["lives"] = store.unfinished_runs(series=True)
    for head in listed:
        run = seen[f"run {head.id}"] = store.load(head.id)
        seen[f"logs of {head.id}"] = store.logs(head.id)
        if run.samples:
            figure = run.samples[0]
            seen[f"history of {figure.test}"] = tuple(figure_samples(store, figure.test, Metric(figure.metric)))
    return seen
