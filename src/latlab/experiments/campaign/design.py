# SPDX-License-Identifier: BSD-3-Clause
"""The design campaign: an experiment's runs in their drawn order, each by the command that a user would type.

An experiment is a run of the store that holds its plan and its seed; each of its runs says which one it is. What is still to be done
follows from these alone, so an experiment goes on wherever it was cut off, and nothing that was measured is measured again.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from latlab.core.comparison.wording import count
from latlab.core.errors import DataError, InterruptedByUser, UsageError
from latlab.core.kinds.registry import kind_of
from latlab.core.lifecycle.material import load_run
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.experiment import Experiment
from latlab.core.model.life import CUT_OFF, Life, SeriesPart
from latlab.core.model.provenance import Provenance
from latlab.core.model.run import Build, Run, Tick, Topology
from latlab.core.store.address import StoreAddress
from latlab.core.store.owner import is_alive, is_here
from latlab.core.store.rows import now_utc
from latlab.core.store.store import PART_VARIABLE, Store
from latlab.core.targets.process.children import dies_with_parent, interrupts_wait
from latlab.core.targets.provenance import provenance_of
from latlab.experiments.analysis.response import response_of
from latlab.experiments.campaign.plan import FactorLevel, Plan
from latlab.experiments.campaign.results import LOG, Kept, Slot, clock_of, done_of, kept_of, slots_of, trial_of, wanted_of

CAMPAIGN = "design"
SERIES = "experiments"
MOST_FAILED = 2
Say = Callable[[str], None]


def run_design(store: Store, plan: Plan, seed: int | None, place: StoreAddress, say: Say, is_new: bool = False) -> str:
    """Begin an experiment or go on with it, until every run that it asks for is there; its id. `place` is where the store is, for the
    commands that measure. Raises DataError where runs fail, after the others are done."""
    run_id, state = _begun(store, plan, seed, say, is_new)
    try:
        failed = _measure_all(store, run_id, state, place, say)
    except BaseException as error:
        _leave_open(store, run_id)
        if isinstance(error, KeyboardInterrupt):
            done = count(len(done_of(store, run_id)), "run")
            raise InterruptedByUser(f"interrupted; latlab keeps {done} of {run_id}; the same command continues it") from error
        raise
    if failed:
        _leave_open(store, run_id)
        raise DataError(f"{count(len(failed), 'run')} of {run_id} did not finish, the first is {failed[0]}; the same command repeats them")
    store.finish(run_id, RunStatus.COMPLETE)
    return run_id


def _leave_open(store: Store, run_id: str) -> None:
    store.checkpoint(run_id, {}, CUT_OFF)
    store.finish(run_id, RunStatus.PARTIAL)


def _begun(store: Store, plan: Plan, seed: int | None, say: Say, is_new: bool) -> tuple[str, Kept]:
    """The experiment of this plan that is not over, else a new one."""
    for life in () if is_new else reversed(store.unfinished_runs(series=True)):
        if life.part and (life.part.series, life.part.asked) == (SERIES, plan.digest) and _is_open(life):
            return _continued(store, life, seed, say)
    state = Kept(plan, secrets.randbelow(1 << 31) if seed is None else seed)
    run_id = store.begin(_new_run(plan, provenance_of((), store.command_line)), part=SeriesPart(SERIES, 1, 1, plan.digest))
    store.checkpoint(run_id, {LOG: msgspec.json.encode(state)})
    say(f"experiment {run_id}: {plan.combinations} combinations, their order drawn by the seed {state.seed}")
    return run_id, state


def _is_open(life: Life) -> bool:
    return life.status == RunStatus.RUNNING or life.phase == CUT_OFF


def _continued(store: Store, life: Life, seed: int | None, say: Say) -> tuple[str, Kept]:
    is_elsewhere = life.owner is not None and (not is_here(life.owner) or is_alive(life.owner))
    if life.status == RunStatus.RUNNING and is_elsewhere:
        raise UsageError(
            f"{life.run_id} is this experiment, and another latlab process runs it", "wait for its end, or begin another with --restart"
        )
    under_way = next(
        (unfinished for unfinished in store.unfinished_runs() if unfinished.part and unfinished.part.series == life.run_id), None
    )
    if under_way is not None:
        raise UsageError(
            f"{under_way.run_id}, which {life.run_id} had begun, is still in progress; the same command continues after its end"
        )
    state = kept_of(store, life.run_id)
    if seed not in (None, state.seed):
        raise UsageError(
            f"--seed {seed}: {life.run_id} has the seed {state.seed}", "leave the option out, or begin another with --restart", value=seed
        )
    if not store.claim(life.run_id, life.owner, replace(life.left, heard_utc="")):
        raise UsageError("another latlab process has just continued it", place=life.run_id)
    store.checkpoint(life.run_id, {}, "measuring")
    say(f"experiment {life.run_id} goes on: {count(len(done_of(store, life.run_id)), 'run')} are done; --restart begins another")
    return life.run_id, state


def _new_run(plan: Plan, provenance: Provenance) -> Run:
    return Run(
        campaign=CAMPAIGN,
        target="latlab",
        platform=plan.name,
        topology=Topology((1,)),
        tick=Tick(Clock.TIME, 1.0),
        build=Build(plan.name),
        lead=None,
        status=RunStatus.RUNNING,
        contents=Experiment(),
        started_utc=now_utc(),
        provenance=provenance,
    )


def _measure_all(store: Store, run_id: str, state: Kept, place: StoreAddress, say: Say) -> list[str]:
    """Until nothing is left; what failed, with its sentence. Two failures one after the other end it: then it is the set-up."""
    trials = _Trials(store, run_id, state)
    failed: list[str] = []
    in_a_row = 0
    tried: set[int] = set()
    while slot := next((candidate for candidate in trials.pending() if candidate.number not in tried), None):
        tried.add(slot.number)
        levels_text = ", ".join(f"{factor.name} {level}" for factor, level in zip(state.plan.factors, slot.levels, strict=True))
        say(f"run {slot.number} of {trials.said_wanted}: {levels_text}")
        fault = _measure(store, run_id, state.plan, slot, place, trials.wanted)
        store.checkpoint(run_id, {})
        if not fault:
            in_a_row = 0
            continue
        say(f"run {slot.number}: {fault}")
        failed.append(f"number {slot.number}: {fault}")
        in_a_row += 1
        if in_a_row >= MOST_FAILED:
            raise DataError(
                f"{in_a_row} runs of {run_id} failed one after the other, the last with: {fault}",
                "fix the cause, the same command continues",
            )
    return failed


class _Trials:
    """What is done of an experiment, read once for each run."""

    def __init__(self, store: Store, run_id: str, state: Kept) -> None:
        self._store, self._run_id, self._kept = store, run_id, state
        self._known: dict[str, Run] = {}
        self.wanted = 0

    @property
    def said_wanted(self) -> str:
        """Without a run nobody knows whether they repeat exactly, and then fewer are needed."""
        return str(self.wanted) if self._known else f"at most {self.wanted}"

    def pending(self) -> Iterator[Slot]:
        done = done_of(self._store, self._run_id)
        slots = {slot.number: slot for slot in slots_of(self._kept, self._kept.plan.most_runs)}
        for child in done.values():
            if child not in self._known:
                self._known[child] = load_run(self._store, child)
        trials = tuple(trial_of(slots[number], self._known[child]) for number, child in sorted(done.items()))
        self.wanted = wanted_of(self._kept, trials, clock_of(self._known.values()))
        return (slots[number] for number in range(1, self.wanted + 1) if number not in done)


def _measure(store: Store, run_id: str, plan: Plan, slot: Slot, place: StoreAddress, runs_wanted: int) -> str:
    """Set the levels, run the command; why there is no run of it, empty where there is."""
    levels = plan.levels(slot.levels)
    for factor, level in zip(plan.factor, levels, strict=True):
        if level.before and (code := command(["/bin/sh", "-c", f"{{ {level.before}\n}} >&2"], {})):
            return f"the command before it that sets {factor.name} to {level.name} ended with status {code}"
    part = msgspec.json.encode(SeriesPart(run_id, slot.number, runs_wanted, "")).decode()
    code = command([sys.executable, "-m", "latlab", *plan.run, *_options(levels)], {PART_VARIABLE: part, "LATLAB_STORE": place.opened})
    run_of_slot = done_of(store, run_id).get(slot.number)
    if run_of_slot is None:
        return f"`latlab {' '.join((*plan.run, *_options(levels)))}` ended with status {code} and left no complete run"
    if not kind_of(store.load(run_of_slot)).is_measured:
        return f"{run_of_slot} has no figures"
    response_of([trial_of(slot, load_run(store, run_of_slot))], plan.response, run_of_slot)
    return ""


def _options(levels: Sequence[FactorLevel]) -> tuple[str, ...]:
    return tuple(option for level in levels for option in level.options)


def command(line: Sequence[str], more: Mapping[str, str]) -> int:
    """Its progress is seen, its result is in the store. It dies with this process, and whoever interrupts this one interrupts it too."""
    child = None
    try:
        with interrupts_wait():
            child = subprocess.Popen(
                line,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **more},
                preexec_fn=dies_with_parent(signal.SIGTERM),
            )
        return child.wait()
    except BaseException:
        if child is not None:
            child.terminate()  # what a script starts in the background ignores SIGINT, and so do its children
            child.wait()
        raise
