# SPDX-License-Identifier: BSD-3-Clause
"""What a store has of a run beside its head: read by the run's kind, damage named with its log."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.calls.campaign.watch_logs import calls_of, masked_of, timelines_of
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.material import RunArtifacts, load_run
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Address
from latlab.core.model.run import Build, Run
from latlab.core.store.function_files import KINDS_LOG, MASKED_LOG, TIMELINES_LOG
from latlab.core.store.store import PART_VARIABLE, Store, open_store, part_of_environment
from latlab.core.targets import scratch
from latlab.core.targets.qemu import probe as probes
from latlab.psa.attack_results import Attacks
from latlab.psa.campaign.attack import with_attacks
from latlab.psa.campaign.measure import build_results, load_symbols
from latlab.rt.model.power_steps import PowerCycles
from latlab.runs.campaign import recovering
from latlab.runs.campaign.recovering import no_machine
from support.runs import run_with


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "runs.sqlite"))


def kept(store: Store, logs: dict[str, bytes] | None = None, **fields: object) -> Run:
    run_id = store.begin(run_with(**fields))
    store.add(run_id, logs=logs or {})
    store.finish(run_id, RunStatus.COMPLETE)
    return store.load(run_id)


def test_rows_of_attacks_that_are_damaged_are_named_with_their_run(store: Store) -> None:
    run = kept(store, {"attacks": b"\xff"}, contents=Attacks())
    with pytest.raises(DataError, match=rf"^{run.id}: its log attacks is damaged \(.+\); run it again$"):
        with_attacks(store, run)
    with pytest.raises(DataError, match="its log attacks is damaged"):
        load_run(store, run.id)


@pytest.mark.parametrize(("log", "read"), [(KINDS_LOG, calls_of), (MASKED_LOG, masked_of), (TIMELINES_LOG, timelines_of)])
def test_a_log_that_is_damaged_is_named_with_what_to_do(store: Store, log: str, read: Callable[[RunArtifacts], object]) -> None:
    run = kept(store)
    store.add(run.id, logs={log: b"\xff nonsense\n"})
    with pytest.raises(DataError, match=rf"^{run.id}: its log {log} is damaged \(.+\); run it again$"):
        read(RunArtifacts(store, run))


def test_a_run_without_these_logs_has_none_of_it(store: Store) -> None:
    found = RunArtifacts(store, kept(store))
    assert (calls_of(found), masked_of(found), timelines_of(found)) == ((), None, ())
    elsewhere = RunArtifacts(store, run_with(id="published:x"))
    assert timelines_of(elsewhere) == ()


def test_a_run_of_power_cycles_has_no_wake_ups_to_load(store: Store) -> None:
    run = kept(store, contents=PowerCycles())
    with pytest.raises(DataError, match=f"{run.id} has power-state transitions and no wake-ups; `latlab show {run.id}` prints them"):
        load_run(store, run.id)


def test_a_run_of_the_bench_names_its_functions_or_says_that_they_were_not_kept(store: Store) -> None:
    with_them = kept(store, {"symbols": b"10000000 reset .spm_code\n"})
    assert load_symbols(store, with_them.id).names == ("reset",)
    foreign = kept(store, {"probe": b"x"})
    assert load_symbols(store, foreign.id).names == ()
    without = kept(store)
    with pytest.raises(UsageError, match=f"{without.id} was stored without the functions of its image; measure it again"):
        load_symbols(store, without.id)


def test_the_newest_run_of_every_other_build_stands_beside_one_in_the_order_of_the_builds(store: Store) -> None:
    symbols = {"symbols": b"10000000 reset\n"}

    def of(build: str, **more: object) -> Run:
        fields: dict[str, object] = {"campaign": "psa", "platform": "mps2_an521", "emulator": "QEMU 10.0.2"}
        return kept(store, symbols, **{**fields, "build": Build(build), **more})

    old, other_machine = of("ipc_l1"), of("ipc_l3", platform="mps2_an505")
    mine, newest, unknown, first = of("ipc_l2"), of("ipc_l1"), of("zzz"), of("sfn_l1")
    alone = build_results(store, mine, every_build=False)
    assert [one.run.id for one in alone] == [mine.id]
    beside = [one.run.id for one in build_results(store, mine, every_build=True)]
    assert beside == [first.id, newest.id, mine.id, unknown.id]
    assert old.id not in beside and other_machine.id not in beside
    flags = of("classic_l1", conditions=replace(mine.conditions, compiler_flags=("-Os -lgcc",)))
    assert flags.id in [one.run.id for one in build_results(store, mine, every_build=True)], "flags belong to a build"
    asked_again = of("ipc_l2")
    assert mine.id in [one.run.id for one in build_results(store, mine, every_build=True)], "the run that was asked for is the one"
    assert [one.run.id for one in build_results(store, asked_again, every_build=False)] == [asked_again.id]


def test_what_cannot_be_read_of_a_left_run_is_a_problem_of_it() -> None:
    rt = run_with(campaign="rt", contents=WakeupCounts(), conditions=Conditions(mode=Mode.REAL))
    (said,) = recovering._problems(rt, {"console": b""})
    assert said.startswith("no file of a recorder, cyclictest or rtla came back")
    assert recovering._problems(run_with(), {}) == []


def test_another_machine_is_not_reached_by_a_sweep() -> None:
    with pytest.raises(UsageError, match="is another machine"):
        no_machine(Address("ssh", host="shelf"))


@pytest.mark.parametrize("text", ["x", "{}", "[1]"])
def test_a_part_that_no_experiment_of_ours_set_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(PART_VARIABLE, text)
    with pytest.raises(UsageError, match=rf"^{PART_VARIABLE} is not what an experiment of latlab sets \(.+\); unset it$"):
        part_of_environment()
    monkeypatch.delenv(PART_VARIABLE)
    assert part_of_environment() is None


def test_without_proc_a_process_has_no_space_and_no_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(path: object, *more: object, **options: object) -> None:
        raise FileNotFoundError(path)

    assert scratch.space() > 0 and scratch._started(1) > 0
    assert scratch._started(1 << 30) == 0 and not scratch._is_mine(tmp_path / "nowhere")
    with monkeypatch.context() as without_proc:
        without_proc.setattr("os.stat", missing)
        space = scratch.space()
    assert space == 0


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Could not load plugin x: cannot open shared object",
            r"QEMU cannot load the probe \(x: cannot open shared object\); where it is one for another kind of",
        ),
        (
            "Could not load plugin x: undefined symbol: qemu_plugin_u64_add",
            r"older than version 4, it lacks qemu_plugin_u64_add; use QEMU 9",
        ),
        ("-plugin: invalid option", "this QEMU was built without plugins; use one that has them, such as Debian's"),
        ("latlab probe: no memory", "^the probe: no memory$"),
        (
            "plugin requires API version 5, but this QEMU supports only up to version 4",
            "offers version 4 .* the probe needs 5; use QEMU 9",
        ),
    ],
)
def test_each_way_in_which_a_plugin_is_refused_is_one_sentence(said: str, told: str) -> None:
    assert re.search(told, probes.refusal(said) or "") and probes.refusal("fine") is None


def test_a_store_of_an_older_version_that_cannot_be_copied_is_left_as_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copy2", full)
    place = tmp_path / "runs.sqlite"
    with pytest.raises(UsageError, match=rf"{place} is of an older version and cannot be copied to {place}\.version-2 .*\(No space left"):
        store._migrate(2)
