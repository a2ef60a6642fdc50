# SPDX-License-Identifier: BSD-3-Clause
"""Which runs a list takes, and what goes with a run that is removed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from latlab.core.comparison.verdicts import Verdict
from latlab.core.errors import UsageError
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, Problem, Sample
from latlab.core.store import listing
from latlab.core.store import store as stores
from latlab.core.store.choice import Filter, conditions_of
from latlab.core.store.comparisons import StoredComparison, store_comparisons
from latlab.core.store.listing import figure_samples, heads, remove, set_label, set_removed
from latlab.core.store.store import Store, open_store
from latlab.runs.campaign.housekeeping import Retention, check_ended, prunable, removed_ids
from support.runs import changed, run_with

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
    assert [head.id for head in prunable(store, Filter(), Retention())] == [runs[0]]
    assert [head.id for head in prunable(store, Filter(label="kept"), Retention())] == [runs[1]]
    assert [head.id for head in prunable(store, Filter(), Retention(1))] == [runs[0]] and prunable(store, Filter(), Retention(2)) == []
    set_label(store, runs[1], "")
    assert [head.id for head in prunable(store, Filter(), Retention())] == runs[:2]
    check_ended(store, runs[:2])
    with pytest.raises(UsageError, match=f"{runs[2]} is in progress"):
        check_ended(store, runs)


def test_a_run_is_removed_with_all_that_is_kept_of_it_and_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "AT_ONCE", 2)
    ids = [store.begin(run_with()) for _ in range(6)]
    for run_id in ids:
        store.add(run_id, [SAMPLE], problems=[Problem(1, "p")], logs={"console": b"x"})
    remove(store, ids[:5])
    with sqlite3.connect(store.place.opened) as reader:
        tables = ("runs", "sample_columns", "problems", "logs", "lives")
        left = {name: reader.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    assert set(left.values()) == {1} and store.load(ids[5]).samples == (SAMPLE,)


def test_a_list_shows_a_damaged_name_so_that_it_can_be_removed(store: Store, runs: list[str]) -> None:
    with sqlite3.connect(store.place.opened) as damaged:
        damaged.execute("UPDATE runs SET platform = CAST(x'626fff' AS TEXT) WHERE id = ?", (runs[0],))
    assert heads(store)[0].platform == "bo\ufffd"


def test_a_label_by_which_no_run_could_be_named_is_refused(store: Store, runs: list[str]) -> None:
    with pytest.raises(UsageError, match=r"the label 'v1\+fix' contains a \+, which joins runs .* as in 'v1-fix'"):
        set_label(store, runs[0], "v1+fix")
    assert heads(store, Filter(label="v1+fix")) == ()


def _night(store: Store, started: str, **also: Any) -> str:
    run_id = store.begin(changed(run_with(), started_utc=started, **also))
    store.finish(run_id, RunStatus.COMPLETE)
    return run_id


def test_a_retention_keeps_the_newest_run_of_each_period_of_each_measured_thing(store: Store) -> None:
    nights = [f"2026-{month:02}-{day:02}T0{hour}:00:00Z" for month in (1, 2, 3) for day in (1, 2) for hour in (1, 2)]
    here, there = ([_night(store, night, platform=board) for night in nights] for board in ("a", "b"))
    for keep, last in ((Retention(daily=2), (9, 11)), (Retention(monthly=2), (7, 11)), (Retention(monthly=9), (3, 7, 11))):
        left = {*here, *there} - {head.id for head in prunable(store, Filter(), keep)}
        assert left == {board[at] for board in (here, there) for at in last}


def test_both_runs_of_a_regression_are_kept(store: Store) -> None:
    base, middle, last = (_night(store, f"2026-01-0{day}T00:00:00Z") for day in (1, 2, 3))
    store_comparisons(store, "1", [StoredComparison(base, last, Verdict.REGRESSED.value, "slower", "f")])
    assert [head.id for head in prunable(store, Filter(), Retention())] == [middle]


def test_a_removed_run_has_no_name_until_it_is_restored(store: Store) -> None:
    first, second = _night(store, "2026-01-01"), _night(store, "2026-01-02")
    set_removed(store, [second], True)
    assert [head.id for head in heads(store)] == [run.id for run in store.runs()] == [first] and store.resolve("last") == first
    assert [head.id for head in heads(store, Filter(is_removed=True))] == removed_ids(store, None) == [second]
    with pytest.raises(UsageError, match=f"runs restore {second}"):
        store.resolve(second)
    with pytest.raises(UsageError, match="is no removed run"):
        removed_ids(store, [first])
    set_removed(store, [second], False)
    assert store.resolve("last") == second


def test_runs_are_chosen_by_firmware_and_by_any_condition(store: Store) -> None:
    run = run_with()
    plain = _night(store, "2026-01-01")
    loaded = _night(store, "2026-01-02", conditions=replace(run.conditions, load="stress-ng --cpu 2", priority=90))
    other = store.begin(changed(run, build=replace(run.build, firmware="v2.11")))
    assert [head.id for head in heads(store, Filter(firmware="v2.11"))] == [other]
    assert [head.id for head in heads(store, Filter(conditions=conditions_of(["load=stress-ng --cpu 2", "priority=90"])))] == [loaded]
    assert [head.id for head in heads(store, Filter(conditions=(("priority", "91"),)))] == [] != [plain]
    with pytest.raises(UsageError, match="such as priority"):
        conditions_of(["priorty=90"])


def test_a_figure_of_all_runs_is_read_without_the_others(store: Store) -> None:
    runs = []
    for _ in range(3):
        runs.append(store.begin(run_with()))
        store.add(runs[-1], [SAMPLE, replace(SAMPLE, test="another")])
        store.finish(runs[-1], RunStatus.COMPLETE)
    store.add(store.begin(run_with()), [SAMPLE])
    figures = list(figure_samples(store, SAMPLE.test, SAMPLE.metric))
    assert [(head.id, samples) for head, samples in figures] == [(run, (SAMPLE,)) for run in runs]


def test_a_reader_that_takes_its_time_keeps_no_writer_waiting(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "ROWS_AT_ONCE", 2)
    ids = [store.begin(run_with()) for _ in range(5)]
    for run_id in ids:
        store.add(run_id, [SAMPLE])
        store.finish(run_id, RunStatus.COMPLETE)
    for reader in (store.each_run(), figure_samples(store, SAMPLE.test, SAMPLE.metric)):
        next(reader)
        with sqlite3.connect(store.place.opened, timeout=0) as writer:
            writer.execute("UPDATE lives SET phase = phase || 'x'")
        writer.close()
        assert sum(1 for _ in reader) == 4
    assert [run.id for run in store.each_run()] == ids
