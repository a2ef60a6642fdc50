# SPDX-License-Identifier: BSD-3-Clause
"""Several boots of one measurement: all of them stand in the store as planned before the first begins, so the series goes on where it was
cut off when the same is asked for again."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from latlab.core.errors import UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import CUT_OFF, Life, SeriesPart
from latlab.core.model.run import Run
from latlab.core.store.store import Store

MOST_BOOTS = 1000


@dataclass(frozen=True, slots=True)
class RunSeries:
    """`done` are the runs of boots that are over, `planned` those that are still planned."""

    name: str
    done: tuple[str, ...]
    planned: tuple[str, ...]


def planned_series(store: Store, run: Run, boots: int, question_words: Sequence[str], is_new: bool = False) -> RunSeries:
    """The series of this store that was asked for the same and is not over, else a new one."""
    if not 1 <= boots <= MOST_BOOTS:
        raise UsageError(f"--boots {boots} is not a number of boots", f"use 1 to {MOST_BOOTS}", value=boots)
    question = " ".join(question_words)
    if not is_new:
        series = _unfinished(store, run, question, boots)
        if series is not None:
            return series
    name = secrets.token_hex(4)
    ids = [store.begin(run, part=SeriesPart(name, number, boots, question), is_planned=True) for number in range(1, boots + 1)]
    return RunSeries(name, (), tuple(ids))


def _unfinished(store: Store, run: Run, question: str, boots: int) -> RunSeries | None:
    """A boot that was cut off is planned once more; what it had measured stays a run of its own."""
    lives = [life for life in store.unfinished_runs(series=True) if life.part and (life.part.asked, life.part.count) == (question, boots)]
    for name in dict.fromkeys(life.part.series for life in reversed(lives) if life.part):
        parts = [(life, life.part.number) for life in lives if life.part and life.part.series == name]
        done = {number: life.run_id for life, number in parts if _is_over(life)}
        planned = {number: life.run_id for life, number in parts if life.status == RunStatus.PLANNED}
        under_way = {number for life, number in parts if life.status == RunStatus.RUNNING}
        for number in range(1, boots + 1):
            if number not in {*done, *planned, *under_way}:
                planned[number] = store.begin(run, part=SeriesPart(name, number, boots, question), is_planned=True)
        if planned:
            return RunSeries(name, tuple(done.values()), tuple(planned[number] for number in sorted(planned)))
    return None


def _is_over(life: Life) -> bool:
    return life.status not in (RunStatus.PLANNED, RunStatus.RUNNING) and life.phase != CUT_OFF
