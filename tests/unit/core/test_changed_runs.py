# SPDX-License-Identifier: BSD-3-Clause
"""The list that a server keeps is the list of the store at each moment, whoever changed it; and it is not read while nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.life import Head
from latlab.core.model.run import CoreId, Sample
from latlab.core.store import changes
from latlab.core.store.changes import RunList
from latlab.core.store.listing import head_of, heads, remove, set_label, set_removed
from latlab.core.store.store import Store, open_store
from latlab.site.campaign.measured import MeasuredThing, UnderWay, things_of
from latlab.site.campaign.now import Now
from support.runs import unfinished_run

SAMPLE = Sample("t", Metric.POWERDOWN, CoreId(0, 0), 0, 0, 5)


def _replace_the_first(store: Store, ids: list[str]) -> None:
    remove(store, ids[:1])
    store.begin(unfinished_run())


CHANGES: dict[str, Callable[[Store, list[str]], object]] = {
    "a new run": lambda store, ids: store.begin(unfinished_run()),
    "samples": lambda store, ids: store.add(ids[1], [SAMPLE]),
    "an end": lambda store, ids: store.finish(ids[1], RunStatus.COMPLETE),
    "a label": lambda store, ids: set_label(store, ids[0], "v1"),
    "another label": lambda store, ids: set_label(store, ids[2], "v2"),
    "a label taken away": lambda store, ids: set_label(store, ids[2], ""),
    "a removal": lambda store, ids: set_removed(store, ids[:1], True),
    "a deletion": lambda store, ids: remove(store, ids[:1]),
    "a deletion and a new run": _replace_the_first,
}


@pytest.fixture(name="writer")
def fixture_writer(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


@pytest.fixture(name="ids")
def fixture_ids(writer: Store) -> list[str]:
    """Two ended runs, the second with a label, around one that is being made."""
    ids = [writer.begin(unfinished_run()) for _ in range(3)]
    for run_id in (ids[0], ids[2]):
        writer.finish(run_id, RunStatus.COMPLETE)
    set_label(writer, ids[2], "base")
    return ids


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_of_another_process_is_in_the_list(writer: Store, ids: list[str], change: str) -> None:
    listed = RunList(reader := open_store(writer.place))
    before = listed.heads()
    assert before == heads(reader) and listed.heads() is before
    CHANGES[change](writer, ids)
    assert listed.heads() == heads(reader) != before


def test_nothing_is_read_while_nothing_changes(writer: Store, ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    listed = RunList(open_store(writer.place))
    before = listed.heads()
    monkeypatch.setattr(RunList, "_refresh", None)
    assert all(listed.heads() is before for _ in range(3))
    writer.checkpoint(ids[1], {}, "measuring")
    with pytest.raises(TypeError):
        listed.heads()


@pytest.mark.parametrize("most", [0, 1, changes.MOST_AGAIN])
def test_labels_of_many_are_read_again_however_many_changed(
    writer: Store, ids: list[str], monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(changes, "MOST_AGAIN", most)
    listed = RunList(reader := open_store(writer.place))
    listed.heads()
    for run_id, label in ((ids[0], "v1"), (ids[2], "v1"), (ids[0], ""), (ids[2], "")):
        set_label(writer, run_id, label)
        assert listed.heads() == heads(reader)
    set_label(writer, ids[0], "v2")
    set_label(writer, ids[2], "v3")
    assert listed.heads() == heads(reader)


def test_a_label_has_its_own_row_read_again_and_no_other(writer: Store, ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of 100,000 runs read all of them for a label, and answered nobody meanwhile."""
    writer.finish(ids[1], RunStatus.COMPLETE)
    listed = RunList(open_store(writer.place))
    listed.heads()
    rows: list[object] = []

    def reading(store: Store, row: Sequence[object]) -> Head:
        rows.append(row[0])
        return head_of(store, row)

    monkeypatch.setattr(changes, "head_of", reading)
    set_label(writer, ids[0], "v1")
    assert {head.id: head.label for head in listed.heads()}[ids[0]] == "v1" and rows == [ids[0]]


@dataclass(frozen=True)
class Shown:
    path: str
    text: str


def test_a_sign_of_life_makes_no_page_of_what_has_ended_again(writer: Store, ids: list[str]) -> None:
    made: list[tuple[MeasuredThing, ...]] = []

    def contents(things: tuple[MeasuredThing, ...]) -> int:
        made.append(things)
        return len(made)

    def pages_of(number: int) -> list[Shown]:
        return [Shown("list.html", f"{number}"), Shown("index.html", "")]

    def pages_under_way(number: int, running: Sequence[UnderWay]) -> list[Shown]:
        return [Shown("index.html", "".join(run.phase for run in running))]

    now = Now(reader := open_store(writer.place), RunList(reader), contents, pages_of, pages_under_way)
    assert now.pages() is now.pages() and len(made) == 1
    writer.checkpoint(ids[1], {}, "measuring")
    assert [page.text for page in now.pages().values()] == ["1", "measuring"] and len(made) == 1
    writer.finish(ids[1], RunStatus.COMPLETE)
    assert [page.text for page in now.pages().values()] == ["2", ""] and made[-1] == things_of(heads(reader))
