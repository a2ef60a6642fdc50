# SPDX-License-Identifier: BSD-3-Clause
"""A history of the runs of a store that match, chosen with the options of `latlab ls`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest
import sqlalchemy as sa

from latlab.core.cli.app import main
from latlab.core.comparison.history import Series, history
from latlab.core.comparison.verdicts import Limits
from latlab.core.kinds.registry import kinds
from latlab.core.lifecycle.material import load_run
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run, Spans
from latlab.core.model.work_progress import WorkState, progress_to
from latlab.core.store import listing
from latlab.core.store.choice import Filter
from latlab.core.store.schema import runs_table
from latlab.core.store.store import Store, open_store
from latlab.rt.model.power_steps import PowerCycles
from latlab.runs.campaign import histories
from support.ladder_model import Truth, make_run
from support.runs import run_with

RUNS = (  # platform, day, firmware, processor, times as slow
    ("juno", "2026-01-01", "v1", "cortex-a57", 1.0),
    ("juno", "2026-02-01", "v2", "cortex-a57", 1.5),
    ("juno", "2026-03-01", "v2", "cortex-a57", 1.5),
    ("n1sdp", "2026-03-02", "v2", "neoverse-n1", 1.0),
    ("n1sdp", "2026-03-03", "v2", "neoverse-n1", 1.0),
    ("lone", "2026-03-04", "v2", "cortex-a57", 1.0),
)


@pytest.fixture(name="place", scope="module")
def fixture_place(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("matching") / "store.sqlite")
    store = open_store(place)
    for number, (platform, day, firmware, processor, times) in enumerate(RUNS):
        run = make_run(replace(Truth(), wakeup=tuple(times * level for level in Truth().wakeup)), number, boots=4)
        build, conditions = replace(run.build, firmware=firmware), replace(run.conditions, processor=processor)
        began = f"{day}T00:00:00Z"
        head = replace(run, id="", platform=platform, contents=Spans(), started_utc=began, build=build, conditions=conditions)
        stored = store.begin(head)
        store.add(stored, run.samples)
        store.finish(stored, RunStatus.PARTIAL if firmware == "v1" and platform == "n1sdp" else RunStatus.COMPLETE)
    return place


def asked(place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["latlab", "history", *words, "--store", place])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


@pytest.mark.parametrize(
    ("options", "points"),
    [
        (("--platform", "juno"), [3]),
        (("--platform", "juno", "--since", "2026-01-15"), [2]),
        (("--platform", "juno", "--newest", "2"), [2]),
        (("--condition", "processor=neoverse-n1"), [2]),
        (("--firmware", "v2"), [2, 2]),
        ((), [3, 2]),
    ],
)
def test_the_runs_that_match_are_followed_each_measured_thing_on_its_own(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], points: list[int]
) -> None:
    _, text, _ = asked(place, monkeypatch, capsys, "susp_deep_serial/wakeup", "--format", "json", *options)
    series = msgspec.json.decode(text)["series"]
    assert [len(line["points"]) for line in series] == points
    if points == [3]:
        assert series[0]["changes"], "the wake-ups of v2 take longer"


def test_runs_without_figures_keep_no_history_of_the_others_back(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store of all kinds refused each history that named no campaign."""
    store = open_store(place)
    others = [run_with(campaign=kind.name, contents=kind.contents()) for kind in kinds() if kind.analysis.without_figures]
    for run in (*others, *others, *[run_with(campaign="rt-power", contents=PowerCycles())] * 2):
        store.finish(store.begin(run), RunStatus.COMPLETE)
    assert len(others) >= 3
    _, text, _ = asked(place, monkeypatch, capsys, "susp_deep_serial/wakeup", "--format", "json")
    assert [len(line["points"]) for line in msgspec.json.decode(text)["series"]] == [3, 2]
    code, _, said = asked(place, monkeypatch, capsys, "wakeup", "--campaign", "rt-power")
    assert code == 3 and "has power-state transitions and no wake-ups" in said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("wakeup", "--platform", "lone"), "a history needs two complete runs of one series at least, 1 match"),
        (("wakeup", "a", "b", "--platform", "juno"), "--platform chooses runs of the store and has no effect beside named runs"),
        (("wakeup", "a", "b", "--firmware", "v2"), "--firmware is for commits; it needs --repo DIR"),
        (("nothing", "--platform", "juno"), "no figure of these runs matches 'nothing'"),
        (("wakeup", "--repo", "tree", "--newest", "3"), "--newest chooses runs of the store and has no effect with --repo"),
    ],
)
def test_what_cannot_be_followed_says_why(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    code, _, said = asked(place, monkeypatch, capsys, *words)
    assert code == 2 and reason in said


@pytest.mark.parametrize(
    "chosen",
    [
        Filter(platform="juno"),
        Filter(firmware="v2"),
        Filter(label="x"),
        Filter(campaign="psci"),
        Filter(status="complete"),
        Filter(since_utc="2026-03"),
        Filter(before_utc="2026-03"),
        Filter(platform="juno", since_utc="2026-03", limit=3),
    ],
)
def test_each_filter_of_rows_is_answered_by_an_index(place: str, chosen: Filter) -> None:
    with plans(open_store(place)) as (store, details):
        listing.heads(store, chosen)
    assert details and all("USING INDEX ix_runs_" in detail for detail in details if " runs" in detail)


class plans:
    """Every query of a store with the plan that SQLite makes for it."""

    def __init__(self, store: Store) -> None:
        self._store, self._details = store, list[str]()

    def __enter__(self) -> tuple[Store, list[str]]:
        sa.event.listen(sa.Engine, "before_cursor_execute", self._explain)
        return self._store, self._details

    def __exit__(self, *error: object) -> None:
        sa.event.remove(sa.Engine, "before_cursor_execute", self._explain)

    def _explain(self, connection: object, cursor: object, statement: str, parameters: object, *more: object) -> None:
        if statement.startswith("SELECT") and f"FROM {runs_table.name}" in statement:
            other = cursor.connection.cursor()  # type: ignore[attr-defined]
            self._details.extend(row[3] for row in other.execute(f"EXPLAIN QUERY PLAN {statement}", parameters))


def test_a_history_of_many_runs_opens_their_store_once(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Opened for each run, a store of 100,000 runs was searched for runs without a name each time."""
    prepared: list[Store] = []
    prepare = Store.prepare

    def counted(store: Store, may_make: bool = True) -> None:
        prepared.append(store)
        prepare(store, may_make)

    monkeypatch.setattr(Store, "prepare", counted)
    code, _, errors = asked(place, monkeypatch, capsys, "cpu_susp_serial/wakeup", "--platform", "juno")
    assert code == 0 and len(prepared) == 1, errors


def test_the_runs_of_one_thing_are_loaded_when_it_is_its_turn_and_no_samples_of_it_stay(place, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    followed: list[int] = []

    def noted_load(store: Store, run: str) -> Run:
        loaded.append(run)
        return load_run(store, run)

    def noted_history(runs: Sequence[Run], figure: str, limits: Limits, across: frozenset[str]) -> tuple[Series, ...]:
        followed.append(len(loaded))
        return history(runs, figure, limits, across)

    monkeypatch.setattr(histories, "load_run", noted_load)
    monkeypatch.setattr(histories, "history", noted_history)
    states: list[WorkState] = []
    with progress_to(states.append):
        lines = histories.matching_lines(open_store(place), Filter())
        series, without = histories.histories(lines, "wakeup", Limits(), frozenset())
    assert followed == [3, 5] and without == ()
    assert all(point.run.samples == () and point.run.id for one in series for point in one.points)
    assert [state.done for state in states][-1] == states[-1].total == 3
