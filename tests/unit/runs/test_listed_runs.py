# SPDX-License-Identifier: BSD-3-Clause
"""Which runs a list takes, and what goes with a run that is removed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, Problem, Sample
from latlab.core.store import listing
from latlab.core.store.choice import Filter
from latlab.core.store.listing import heads, remove, set_label
from latlab.core.store.store import Store, open_store
from latlab.runs.campaign.housekeeping import check_ended, prunable
from support.runs import run_with

SAMPLE = Sample("t", Metric.POWERDOWN, CoreId(0, 0), 0, 0, 5)
DAYS = ("2026-01-01T10:00:00Z", "2026-02-01T10:00:00Z", "2026-03-01T10:00:00Z")


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


@pytest.fixture(name="runs")
def fixture_runs(store: Store) -> list[str]:
    """A complete psci run, a partial rt run with a label, and a psci run that is in progress."""
    first = store.begin(run_with(campaign="psci", platform="juno", started_utc=DAYS[0]))
    second = store.begin(run_with(campaign="rt", platform="board", started_utc=DAYS[1]))
    third = store.begin(run_with(campaign="psci", platform="board", started_utc=DAYS[2]))
    store.add(first, [SAMPLE] * 3)
    store.finish(first, RunStatus.COMPLETE)
    store.finish(second, RunStatus.PARTIAL)
    set_label(store, second, "kept")
    return [first, second, third]


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        (Filter(), [0, 1, 2]),
        (Filter(campaign="psci"), [0, 2]),
        (Filter(platform="board"), [1, 2]),
        (Filter(label="kept"), [1]),
        (Filter(status="running"), [2]),
        (Filter(since_utc=DAYS[1]), [1, 2]),
        (Filter(before_utc=DAYS[1]), [0]),
        (Filter(since_utc="2026-01-02", before_utc="2026-03"), [1]),
        (Filter(limit=2), [1, 2]),
        (Filter(limit=0), []),
        (Filter(campaign="psci", platform="board"), [2]),
    ],
)
def test_a_list_holds_what_is_wanted_the_oldest_first(store: Store, runs: list[str], wanted: Filter, places: list[int]) -> None:
    assert [head.id for head in heads(store, wanted)] == [runs[place] for place in places]


def test_a_line_of_the_list_says_what_the_run_is(store: Store, runs: list[str]) -> None:
    head = heads(store)[0]
    assert (head.campaign, head.platform, head.samples, head.status, head.label) == ("psci", "juno", 3, "complete", "")
    assert (head.topology, head.clock, head.firmware, head.target, head.started_utc) == ("2,4", "time", "model", "synthetic", DAYS[0])


def test_what_may_go_is_neither_under_way_nor_labelled_nor_among_the_newest(store: Store, runs: list[str]) -> None:
    assert [head.id for head in prunable(store, Filter(), 0)] == [runs[0]]
    assert [head.id for head in prunable(store, Filter(label="kept"), 0)] == [runs[1]]
    assert [head.id for head in prunable(store, Filter(), 1)] == [runs[0]] and prunable(store, Filter(), 2) == []
    set_label(store, runs[1], "")
    assert [head.id for head in prunable(store, Filter(), 0)] == runs[:2]
    check_ended(store, runs[:2])
    with pytest.raises(UsageError, match=f"{runs[2]} is in progress"):
        check_ended(store, runs)


def test_a_run_is_removed_with_all_that_is_kept_of_it_and_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "AT_ONCE", 2)
    ids = [store.begin(run_with()) for _ in range(6)]
    for run_id in ids:
        store.add(run_id, [SAMPLE], problems=[Problem(1, "p")], logs={"console": b"x"})
    remove(store, ids[:5])
    with sqlite3.connect(store.place) as reader:
        tables = ("runs", "sample_columns", "problems", "logs", "lives")
        left = {name: reader.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    assert set(left.values()) == {1} and store.load(ids[5]).samples == (SAMPLE,)


def test_a_list_shows_a_damaged_name_so_that_it_can_be_removed(store: Store, runs: list[str]) -> None:
    with sqlite3.connect(store.place) as damaged:
        damaged.execute("UPDATE runs SET platform = CAST(x'626fff' AS TEXT) WHERE id = ?", (runs[0],))
    assert heads(store)[0].platform == "bo\ufffd"


def test_a_label_by_which_no_run_could_be_named_is_refused(store: Store, runs: list[str]) -> None:
    with pytest.raises(UsageError, match=r"the label 'v1\+fix' contains a \+, which joins runs .* as in 'v1-fix'"):
        set_label(store, runs[0], "v1+fix")
    assert heads(store, Filter(label="v1+fix")) == ()
