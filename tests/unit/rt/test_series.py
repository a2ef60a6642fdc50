# SPDX-License-Identifier: BSD-3-Clause
"""Several boots of one measurement: the same question goes on where the series was cut off."""

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.core.lifecycle.life import run_lifecycle
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import CUT_OFF
from latlab.core.store.store import Store, open_store
from latlab.rt.campaign.series import planned_series
from support.runs import unfinished_run

RUN = replace(unfinished_run(), campaign="rt")
ASKED = ("guest", "6h")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


def do(store: Store, run_id: str, status: RunStatus = RunStatus.COMPLETE) -> None:
    with run_lifecycle(store, RUN, planned=run_id):
        store.finish(run_id, status)


def test_every_boot_is_planned_before_the_first_begins(store: Store) -> None:
    series = planned_series(store, RUN, 3, ASKED)
    assert [run.status for run in store.runs()] == [RunStatus.PLANNED] * 3 and len(series.planned) == 3
    assert all(life.owner is None for life in store.unfinished_runs())


def test_the_same_question_goes_on_and_another_one_begins_anew(store: Store) -> None:
    first = planned_series(store, RUN, 3, ASKED)
    do(store, first.planned[0], RunStatus.PARTIAL)
    again = planned_series(store, RUN, 3, ASKED)
    assert (again.name, again.done, again.planned) == (first.name, first.planned[:1], first.planned[1:])
    assert planned_series(store, RUN, 3, ("guest", "5h")).name != first.name
    assert planned_series(store, RUN, 2, ASKED).name != first.name
    assert planned_series(store, RUN, 3, ASKED, is_new=True).done == ()


def test_a_boot_that_was_cut_off_is_planned_once_more_and_stays_as_it_is(store: Store) -> None:
    first = planned_series(store, RUN, 2, ASKED)
    do(store, first.planned[0])
    do(store, first.planned[1], RunStatus.PARTIAL)
    store.checkpoint(first.planned[1], {}, CUT_OFF)
    again = planned_series(store, RUN, 2, ASKED)
    assert again.name == first.name and again.done == first.planned[:1] and again.planned[0] not in first.planned
    assert planned_series(store, RUN, 2, ASKED) == again
    do(store, again.planned[0])
    assert planned_series(store, RUN, 2, ASKED).name != first.name


def test_a_boot_that_another_latlab_has_begun_is_refused(store: Store) -> None:
    series = planned_series(store, RUN, 2, ASKED)
    do(store, series.planned[0])
    with pytest.raises(UsageError, match="another latlab process has begun it"):
        do(store, series.planned[0])


@pytest.mark.parametrize("boots", [0, 1001])
def test_a_number_of_boots_that_makes_no_sense_is_refused(store: Store, boots: int) -> None:
    with pytest.raises(UsageError, match="use 1 to 1000"):
        planned_series(store, RUN, boots, ASKED)
