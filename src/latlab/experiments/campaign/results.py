# SPDX-License-Identifier: BSD-3-Clause
"""What the store holds of an experiment: its plan, which of its runs are done, what these gave, and how many it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from latlab.core.comparison.by_kind import figures_of
from latlab.core.errors import DataError
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.experiment import Experiment, Trial, TrialFigure
from latlab.core.model.run import Problem, Run
from latlab.core.store.store import Store
from latlab.experiments.analysis.effects import analyse
from latlab.experiments.analysis.order import order_of
from latlab.experiments.analysis.response import response_of
from latlab.experiments.campaign.plan import Plan

LOG = "design.json"


class Kept(msgspec.Struct, frozen=True):
    """The log of an experiment."""

    plan: Plan
    seed: int


@dataclass(frozen=True, slots=True)
class Slot:
    """One run that an experiment asks for; `number` counts from 1 in the order of the runs."""

    number: int
    replicate: int
    levels: tuple[str, ...]


Load = Callable[[Store, str], Run]


def with_experiment(store: Store, run: Run, load: Load) -> Run:
    """A stored experiment with its trials, of the runs that it consists of, each as `load` reads it with its figures."""
    state = kept_of(store, run.id)
    slots = {slot.number: slot for slot in slots_of(state, state.plan.most_runs)}
    pairs, problems = _trials(store, done_of(store, run.id), slots, load)
    loaded, trials = [child for child, _ in pairs], tuple(trial for _, trial in pairs)
    runs_wanted = wanted_of(state, trials, clock_of(loaded))
    tick = next((child.tick for child in loaded), run.tick)
    smallest = state.plan.smallest_percent
    contents = Experiment(state.plan.factors, trials, state.plan.response, smallest, runs_wanted)
    described = next(iter(loaded), run)
    topology = described.topology
    facts, problems = (*run.facts, *_facts(state, described)), (*run.problems, *problems)
    return replace(run, contents=contents, tick=tick, platform=described.platform, topology=topology, facts=facts, problems=problems)


def _trials(
    store: Store, done: Mapping[int, str], slots: Mapping[int, Slot], load: Load
) -> tuple[list[tuple[Run, Trial]], tuple[Problem, ...]]:
    """The runs of an experiment that can be read, each with what it is there for; the others are problems of it."""
    pairs: list[tuple[Run, Trial]] = []
    problems = []
    for number, child in sorted(done.items()):
        try:
            run = load(store, child)
            pairs.append((run, trial_of(slots[number], run)))
        except DataError as error:
            problems.append(Problem(0, str(error)))
    return pairs, tuple(problems)


def kept_of(store: Store, run_id: str) -> Kept:
    try:
        return msgspec.json.decode(store.log(run_id, LOG), type=Kept)
    except msgspec.MsgspecError as error:
        raise DataError(f"its plan is damaged ({error})", "begin it again with `latlab design run FILE --restart`", place=run_id) from error


def _facts(state: Kept, described: Run) -> tuple[tuple[str, str], ...]:
    return (
        ("seed of the order", str(state.seed)),
        ("command", " ".join(("latlab", *state.plan.run))),
        ("emulator", described.emulator),
    )


def clock_of(runs: Iterable[Run]) -> Clock:
    return next((run.tick.clock for run in runs), Clock.TIME)


def wanted_of(state: Kept, trials: Sequence[Trial], clock: Clock) -> int:
    """How many runs it takes: the first replicates, then as many as the noise of these asks for, so that what comes later does not choose
    when to stop (Stein 1945). On the instruction clock there is no noise to know."""
    plan = state.plan
    replicates = plan.first_replicates(clock)
    first = replicates * plan.combinations
    begun = [trial for trial in trials if trial.replicate < replicates]
    if len(begun) < first or clock is Clock.INSTRUCTIONS:
        return first
    sensitivity = analyse(plan.factors, response_of(begun, plan.response, "the experiment"), plan.smallest_percent / 100).seen
    most = plan.most_runs // plan.combinations * plan.combinations
    return most if sensitivity.runs is None else min(max(sensitivity.runs, first), most)


def slots_of(state: Kept, most: int) -> Iterator[Slot]:
    number = 0
    for replicate in range(most // state.plan.combinations):
        for levels in order_of(state.plan.factors, state.seed, replicate):
            number += 1
            yield Slot(number, replicate, levels)


def done_of(store: Store, run_id: str) -> dict[int, str]:
    """The newest complete run of each number."""
    parts = ((life.part, life) for life in store.unfinished_runs(series=True))
    return {part.number: life.run_id for part, life in parts if part and part.series == run_id and life.status == RunStatus.COMPLETE}


def trial_of(slot: Slot, run: Run) -> Trial:
    figures = tuple(TrialFigure(figure.path, figure.unit, figure.value) for figure in figures_of(run))
    return Trial(slot.levels, slot.replicate, run.id, figures)
