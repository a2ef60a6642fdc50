# SPDX-License-Identifier: BSD-3-Clause
"""Experiments on made-up runs: their order, what is chosen from the noise, and how they go on where they were cut off."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import pytest

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.lifecycle.material import load_run
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.experiment import experiment_of
from latlab.core.model.life import Left, SeriesPart
from latlab.core.model.run import CoreId, Sample, Tick
from latlab.core.store.owner import this_process
from latlab.core.store.rows import packed
from latlab.core.store.store import PART_VARIABLE, Store, open_store
from latlab.experiments.campaign import design
from latlab.experiments.campaign.design import run_design
from latlab.experiments.campaign.plan import FactorLevel, Plan, PlannedFactor, load_plan
from latlab.experiments.campaign.results import with_experiment
from support.refusals import refused
from support.runs import INSTRUCTIONS, NANOSECONDS, ONE_CORE, run_with
from support.sealed_rows import reseal

RESPONSE = "t/call/*"


def plan_with(**changes: object) -> Plan:
    factors = tuple(
        PlannedFactor(
            name, tuple(FactorLevel(f"{name}{number}", before=f"set {name}{number}", options=(f"--{name}{number}",)) for number in (0, 1))
        )
        for name in ("a", "b")
    )
    plan = Plan("made", ("run", "psci"), RESPONSE, factors, most_runs=40)
    return msgspec.structs.replace(plan, **changes)


@dataclass
class Machine:
    """Stands in for the commands of an experiment: it leaves runs in the store as `latlab run` does."""

    store: Store
    value_of: Callable[[Sequence[str]], float]
    tick: Tick = NANOSECONDS
    lines: list[Sequence[str]] = field(default_factory=list)
    fails: Callable[[int], bool] = lambda number: False
    stops_at: int = 0

    def command(self, line: Sequence[str], more: Mapping[str, str]) -> int:
        self.lines.append(line)
        if line[0] == "/bin/sh":
            return 0
        part = msgspec.json.decode(more[PART_VARIABLE], type=SeriesPart)
        sample = Sample("t", Metric.CALL, CoreId(0, 0), 0, 0, int(self.value_of(line[-2:])))
        run_id = self.store.begin(run_with(topology=ONE_CORE, tick=self.tick), part=part)
        if part.number == self.stops_at:
            self.stops_at = 0
            raise KeyboardInterrupt
        self.store.add(run_id, [sample])
        bad = self.fails(part.number)
        self.store.finish(run_id, RunStatus.PARTIAL if bad else RunStatus.COMPLETE)
        return 3 if bad else 0

    @property
    def measured(self) -> list[tuple[str, ...]]:
        return [tuple(line[-2:]) for line in self.lines if line[0] != "/bin/sh"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


def on(monkeypatch: pytest.MonkeyPatch, machine: Machine) -> Machine:
    monkeypatch.setattr(design, "command", machine.command)
    return machine


def go(store: Store, plan: Plan, said: list[str] | None = None, seed: int | None = 1, is_new: bool = False) -> str:
    return run_design(store, plan, seed, store.place, (said if said is not None else []).append, is_new)


def noisy(spread: float) -> Callable[[Sequence[str]], float]:
    drawn = random.Random(4)
    return lambda options: 100_000 * (2 if "--a1" in options else 1) * drawn.lognormvariate(0, spread)


def test_levels_are_set_before_each_run_and_their_options_go_with_the_command(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = on(monkeypatch, Machine(store, lambda options: 100, INSTRUCTIONS))
    go(store, plan_with())
    assert len(machine.lines) == 4 * 3
    set_a, set_b, measure = machine.lines[:3]
    level_a, level_b = (option.removeprefix("--") for option in measure[-2:])
    assert f"set {level_a}" in set_a[-1] and f"set {level_b}" in set_b[-1]
    assert list(measure[1:5]) == ["-m", "latlab", "run", "psci"]


def test_without_noise_every_combination_is_run_once_and_the_effect_is_exact(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, lambda options: 100 + 40 * ("--a1" in options), INSTRUCTIONS))
    experiment = experiment_of(with_experiment(store, store.load(go(store, plan_with())), load_run))
    assert experiment is not None and len(experiment.trials) == experiment.wanted == 4
    assert {trial.figures[0].value for trial in experiment.trials} == {100, 140}


def test_the_noise_of_the_first_replicates_says_how_many_there_are(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for spread in (0.001, 0.05, 1.0):
        machine = on(monkeypatch, Machine(store, noisy(spread)))
        go(store, plan_with(name=f"spread {spread}"))
        counts.append(len(machine.measured))
    assert counts[0] == 8 < counts[1] < counts[2] == 40


def test_an_interrupted_experiment_goes_on_and_measures_nothing_twice(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = on(monkeypatch, Machine(store, noisy(0.001)))
    go(store, plan_with(name="whole"))
    machine = on(monkeypatch, Machine(store, noisy(0.001), stops_at=4))
    with pytest.raises(LatlabError, match="latlab keeps three runs of design-"):
        go(store, plan_with())
    for life in store.unfinished_runs():
        store.finish(life.run_id, RunStatus.PARTIAL)
    said: list[str] = []
    run_id = go(store, plan_with(), said, seed=None)
    assert "three runs are done" in said[0] and store.load(run_id).status is RunStatus.COMPLETE
    assert machine.measured == [*whole.measured[:4], *whole.measured[3:]]


def test_an_experiment_that_goes_on_after_a_killed_recovery_dies_at_a_time_of_its_own(store: Store) -> None:
    run_id, _ = design._begun(store, plan_with(), 1, print, is_new=False)
    with sqlite3.connect(store.place.opened) as changed:
        dead = (packed(replace(this_process(), pid_started=1)), packed(Left("folder", heard_utc="2026-01-01T00:00:00Z")))
        changed.execute("UPDATE lives SET owner = ?, leaves = ?", dead)
    reseal(store.place.opened)
    assert design._begun(store, plan_with(), 1, print, is_new=False)[0] == run_id
    (life,) = store.unfinished_runs()
    assert life.left == Left("folder") and life.cut_off_utc == life.heartbeat_utc > "2026-01-01T00:00:00Z"


def test_a_run_that_is_still_under_way_is_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, noisy(0.001), stops_at=2))
    with pytest.raises(LatlabError, match="interrupted"):
        go(store, plan_with())
    with pytest.raises(UsageError, match="still in progress"):
        go(store, plan_with())


def test_a_run_that_fails_costs_the_others_nothing_and_is_made_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = on(monkeypatch, Machine(store, noisy(0.001), fails=lambda number: number == 3))
    with pytest.raises(DataError, match=r"one run of .* number 3"):
        go(store, plan_with())
    assert len(machine.measured) == 8
    machine.fails = lambda number: False
    go(store, plan_with())
    assert len(machine.measured) == 9 and machine.measured[8] == machine.measured[2]


def test_two_failures_one_after_the_other_end_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = on(monkeypatch, Machine(store, noisy(0.001), fails=lambda number: True))
    with pytest.raises(DataError, match="one after the other"):
        go(store, plan_with())
    assert len(machine.measured) == 2


def test_another_question_or_anew_is_another_experiment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, noisy(0.001), stops_at=2))
    with pytest.raises(LatlabError):
        go(store, plan_with())
    for life in store.unfinished_runs():
        store.finish(life.run_id, RunStatus.PARTIAL)
    first = next(run.id for run in store.runs() if run.campaign == "design")
    assert go(store, plan_with(response="t/call")) != first
    assert go(store, plan_with(), is_new=True) != first
    with pytest.raises(UsageError, match="has the seed"):
        go(store, plan_with(), seed=99)


def test_a_figure_that_the_runs_do_not_have_is_told_after_the_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = on(monkeypatch, Machine(store, noisy(0.001)))
    with pytest.raises(UsageError, match="no figure of"):
        go(store, plan_with(response="recorder/task_wakeup"))
    assert len(machine.measured) == 1


def test_an_experiment_can_be_read_while_its_runs_are_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, noisy(0.001), stops_at=6))
    with pytest.raises(LatlabError):
        go(store, plan_with())
    found = next(run for run in store.runs() if run.campaign == "design")
    experiment = experiment_of(with_experiment(store, found, load_run))
    assert experiment is not None and len(experiment.trials) == 5 and experiment.wanted == 8


GOOD = """
name = "x"
run = ["run", "psci"]
response = "t/call"
[[factor]]
name = "a"
level = [{name = "0"}, {name = "1"}]
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace('"run", "psci"', '"watch"'), "begins with"),
        (GOOD.replace('"psci"', '"psci", "--store=x"'), "--store"),
        (GOOD.replace('"psci"', '"rt", "--boots", "3"'), "--boots"),
        (GOOD.replace(', {name = "1"}', ""), "two or more"),
        (GOOD.replace('{name = "1"}', '{name = "0"}'), "name of its own"),
        (GOOD + GOOD[GOOD.index("[[factor]]") :], "two factors"),
        (GOOD.replace('name = "x"', 'name = "x"\nmost_runs = 2\nreplicates = 0'), "replicates"),
        (GOOD[: GOOD.index("[[factor]]")] + "factor = []\n", "no \\[\\[factor\\]\\]"),
        (GOOD.replace("response", "reponse"), "reponse|response"),
        ("name = ", "not TOML"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(text)
    with pytest.raises(DataError, match=said):
        load_plan(file)


def test_a_plan_is_the_same_whatever_its_file_looks_like(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text("# a comment\n" + GOOD)
    assert load_plan(tmp_path / "a.toml").digest == load_plan(tmp_path / "b.toml").digest


def test_a_level_that_cannot_be_set_and_a_command_that_leaves_nothing_are_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, lambda options: 1))
    statuses = {"/bin/sh": 7}
    monkeypatch.setattr(design, "command", lambda line, more: statuses.get(line[0], 4))
    with pytest.raises(DataError, match=r"the command before it that sets a to a[01] ended with status 7"):
        go(store, plan_with())
    statuses.clear()
    statuses["/bin/sh"] = 0
    with pytest.raises(DataError, match=r"`latlab run psci --a[01] --b[01]` ended with status 4 and left no complete run"):
        go(store, plan_with())


def test_an_experiment_that_another_latlab_is_at_is_left_to_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, lambda options: 1))
    run_id = store.begin(run_with(), part=SeriesPart("experiments", 1, 1, plan_with().digest))
    with pytest.raises(
        UsageError, match=f"{run_id} is this experiment, and another latlab process runs it; wait for its end, or .* --restart"
    ):
        go(store, plan_with())


def test_another_seed_than_the_experiment_s_is_refused_when_it_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, noisy(0.001), fails=lambda number: True))
    with pytest.raises(DataError):
        go(store, plan_with(), seed=5)
    for _ in range(2):  # refused before it is taken, so that nobody is at it
        with pytest.raises(UsageError, check=refused(value="6")):
            go(store, plan_with(), seed=6)


def test_a_new_experiment_says_its_combinations_and_the_seed_of_their_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Machine(store, lambda options: 100, INSTRUCTIONS))
    said: list[str] = []
    run = store.load(go(store, plan_with(), said, seed=9))
    assert said[0] == f"experiment {run.id}: 4 combinations, their order drawn by the seed 9"
    assert (run.campaign, run.target, run.platform, run.topology.clusters) == ("design", "latlab", "made", (1,))


def test_commands_of_an_experiment_get_no_input_their_environment_and_their_status_back(tmp_path: Path) -> None:
    text = f'read line; echo "$line$LEVEL" >{tmp_path}/said; exit 5'
    assert design.command(["/bin/sh", "-c", text], {"LEVEL": "high"}) == 5
    assert (tmp_path / "said").read_text() == "high\n"
