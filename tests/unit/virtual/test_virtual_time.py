# SPDX-License-Identifier: BSD-3-Clause
"""The psci core in virtual time, by the program that `cmake --preset virtual` builds; needs it."""

from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from latlab.campaigns.recording import Silent, run_psci_virtual
from latlab.catalog import event_table
from latlab.cli.app import app
from latlab.errors import LatlabError, UsageError
from latlab.formats.dump.dump import collect_dump
from latlab.model.enums import Clock, Metric, RunStatus
from latlab.model.run import CoreId
from latlab.store.references import load
from latlab.store.store import open_store
from latlab.virtual.board import Board, load_board
from latlab.virtual.exploration import System, check_choices, explore_one, find_explorer, replay
from latlab.virtual.prediction import acquisition_orders, measured_spans, predict, repeated, undetermined_costs
from latlab.virtual.program import Virtual, find_program, run_program, spans_of
from latlab.virtual.whatif import alone_ns

FLUSH_TESTS = ("susp_deep_serial", "cpu_susp_serial", "cpu_off_serial", "cpu_susp_parallel")


@pytest.fixture(name="program")
def fixture_program() -> Path:
    try:
        return find_program()
    except LatlabError as error:
        pytest.skip(str(error))


@pytest.fixture(name="explorer")
def fixture_explorer() -> Path:
    try:
        return find_explorer()
    except LatlabError as error:
        pytest.skip(str(error))


@pytest.fixture(name="juno")
def fixture_juno() -> Board:
    return load_board("juno")


def powerdowns(program: Path, board: Board, test: str = "susp_deep_parallel") -> dict[CoreId, float]:
    return {core: value for (_, metric, core), value in spans_of(program, board, None, test).items() if metric is Metric.POWERDOWN}


def test_a_run_takes_the_path_of_every_dump_and_is_complete(program: Path, juno: Board, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "runs.db"))
    recorded = run_psci_virtual(store, Virtual(program, juno, 2), Silent())
    run = store.load(recorded.run_id)
    assert (recorded.status, recorded.problems, run.status) == (RunStatus.COMPLETE, (), RunStatus.COMPLETE)
    assert run.tick.clock is Clock.VIRTUAL
    assert run.lead == CoreId(1, 0)
    assert len(run.samples) == 2 * 6 * (5 * 3 + 1)


def test_two_runs_print_the_same_bytes(program: Path, juno: Board, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "runs.db"))
    logs = [store.logs(run_psci_virtual(store, Virtual(program, juno, 2), Silent()).run_id)["console"] for _ in range(2)]
    assert logs[0] == logs[1]


def test_published_powerdowns_are_predicted_from_the_costs_of_another_release(program: Path, juno: Board) -> None:
    predictions = predict(program, juno, load("published:tf-a/juno/v2.10"))
    errors = [abs(p.error_percent) for p in predictions if p.key[1] is Metric.POWERDOWN]
    flushes = [abs(p.error_percent) for p in predictions if p.key[1] is Metric.CACHE_FLUSH]
    assert median(errors) <= 1.5
    assert max(errors) <= 5.0
    assert median(flushes) <= 3.0


def test_predicted_flushes_are_as_near_as_those_of_the_other_release_itself(program: Path, juno: Board) -> None:
    old, new = load("published:tf-a/juno/v2.9"), load("published:tf-a/juno/v2.10")
    modelled, copied = (
        median(abs(p.error_percent) for p in predictions if p.key[1] is Metric.CACHE_FLUSH)
        for predictions in (predict(program, juno, new), repeated(old, new, Metric.CACHE_FLUSH))
    )
    assert modelled <= 1.1 * copied


def test_serial_tests_do_not_show_what_a_cluster_costs_the_channel(program: Path, juno: Board) -> None:
    held = undetermined_costs(program, juno, load("published:tf-a/juno/v2.9"), FLUSH_TESTS)
    assert "busy_cluster_ns" in held
    assert "busy_core_ns" not in held


def test_the_order_of_a_parallel_test_is_that_of_its_powerdowns() -> None:
    orders = acquisition_orders(measured_spans(load("published:tf-a/juno/v2.10")))
    assert [str(core) for core in orders["susp_deep_parallel"]] == ["1.0", "0.0", "1.1", "0.1", "1.2", "1.3"]


def test_with_short_locks_and_a_channel_a_core_nobody_waits_long(program: Path) -> None:
    board = load_board("juno,lock_scope=coordination,channel=per-core")
    alone = alone_ns(program, board, "susp_deep_parallel")
    spans = spans_of(program, board, None, "susp_deep_parallel")
    for core, value in powerdowns(program, board).items():
        assert value <= 1.3 * (alone[core] + spans[("susp_deep_parallel", Metric.CACHE_FLUSH, core)])


def test_with_locks_held_over_the_transition_cores_queue_even_without_a_shared_channel(program: Path) -> None:
    held, short = (powerdowns(program, load_board(f"juno,lock_scope={scope},channel=per-core")) for scope in ("transition", "coordination"))
    assert max(held.values()) > 2 * max(short.values())


def test_exactly_one_core_a_cluster_pays_its_flush_in_parallel(program: Path, juno: Board) -> None:
    for scope in ("transition", "coordination"):
        spans = spans_of(program, load_board(f"juno,lock_scope={scope}"), None, "susp_deep_parallel")
        for cluster, kind in ((0, "cortex-a57"), (1, "cortex-a53")):
            limit = 0.9 * juno.costs[f"{kind}.flush_cluster_ns"]
            paid = [core for (_, m, core), value in spans.items() if m is Metric.CACHE_FLUSH and core.cluster == cluster and value > limit]
            assert len(paid) == 1


def test_the_lead_of_many_cores_keeps_its_figures_whatever_it_does_afterwards(program: Path) -> None:
    board = load_board("juno,clusters=" + "+".join(["4"] * 256))
    spans = spans_of(program, board, None, "susp_deep_parallel")
    lead = {metric: value for (_, metric, core), value in spans.items() if core == board.lead}
    assert sorted(lead) == sorted((Metric.POWERDOWN, Metric.WAKEUP, Metric.CACHE_FLUSH))
    assert min(lead.values()) > 0


def test_the_dump_of_a_thousand_clusters_is_complete(program: Path) -> None:
    board = load_board("juno,clusters=" + "+".join(["1"] * 1024))
    printed = run_program(program, board, ("1", "0", "dump"))
    found = collect_dump(printed.decode().splitlines(), event_table())
    assert (found.status, len(found.iterations[0].traces)) == (RunStatus.COMPLETE, 1024)


def test_a_stored_run_is_predicted_like_the_published_figures_it_holds(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, published = str(tmp_path / "store.sqlite"), load("published:tf-a/juno/v2.10")
    store = open_store(place)
    run_id = store.begin(published)
    store.add(run_id, samples=published.samples)
    said = []
    for reference in (run_id, "published:tf-a/juno/v2.10"):
        app(("predict", reference, "--program", str(program), "--store", place, "--format", "csv"), standalone_mode=False)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] and said[0].count("\n") > 90


def test_figures_of_another_topology_are_refused(program: Path) -> None:
    with pytest.raises(UsageError, match="topology"):
        predict(program, load_board("juno,clusters=2+2"), load("published:tf-a/juno/v2.9"))


@pytest.mark.parametrize("scope", ["coordination", "transition"])
def test_every_interleaving_of_two_cores_keeps_the_rules(explorer: Path, scope: str) -> None:
    finding = explore_one(explorer, System("2", "1f|1"), scope, 1)
    assert finding.timeline == ""
    assert finding.states > 500


@pytest.mark.parametrize("scope", ["coordination", "transition"])
def test_every_interleaving_of_two_clusters_of_two_cores_keeps_the_rules(explorer: Path, scope: str) -> None:
    finding = explore_one(explorer, System("2,2", "2f|1|2B|0"), scope, 1)
    assert finding.verdict == "every interleaving keeps the rules"
    assert finding.states > 10_000


def test_a_planted_fault_is_found_and_its_counterexample_replayed(explorer: Path) -> None:
    faulty = explorer.parent / "latlab_explore_no_recheck"
    if not faulty.is_file():
        pytest.skip(f"{faulty.name} is not built")
    system = System("2", "1|1")
    finding = explore_one(faulty, system, "coordination", 1)
    assert finding.replay
    assert "BROKEN" in replay(faulty, system, "coordination", finding.replay)


@pytest.mark.parametrize("scope", ["coordination", "transition"])
@pytest.mark.parametrize(
    "system",
    [
        System("2", "1|1"),
        System("1,1", "2|2"),
        System("2", "22|11"),
        System("2", "1fa|1B"),
        System("2", "f|1A"),
        System("2", "r|1"),
        System("2", "11|00", os_initiated=True),
        System("2,1", "2|0|1", os_initiated=True),
    ],
    ids=lambda system: f"{system.clusters} {system.programs}",
)
def test_joined_steps_end_in_the_same_states_as_single_accesses(explorer: Path, system: System, scope: str) -> None:
    joined = explore_one(explorer, system, scope, 1)
    single = explore_one(explorer, replace(system, every_access=True), scope, 1)
    assert joined.verdict == single.verdict == "every interleaving keeps the rules"
    assert joined.ends == single.ends
    assert joined.states < single.states


def test_choices_that_cannot_be_made_are_refused(explorer: Path) -> None:
    with pytest.raises(UsageError, match="cannot be made"):
        replay(explorer, System("2", "1|1"), "coordination", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")


@pytest.mark.parametrize(
    ("clusters", "programs", "said"),
    [
        ("2", "1|1|1", "more programs than cores"),
        ("2", "1", "fewer programs than cores"),
        ("2,x", "1|1", "no list such as 2,2"),
        ("2x2", "1|1|1|1", "no list such as 2,2"),
        ("17", "1", "16 cores at most"),
        ("2", "x|1", "is made of 2, 1, 0"),
        ("2", "1-|1", "with - before them"),
        ("2", "1111111111111111|1", "longer than 15"),
        ("2", "-1|1", "core 0 starts the others"),
    ],
)
def test_a_system_that_is_none_is_refused_with_what_is_wrong(explorer: Path, clusters: str, programs: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        explore_one(explorer, System(clusters, programs), "coordination", 1)


def test_a_replay_that_stops_half_way_is_not_called_broken(explorer: Path) -> None:
    told = replay(explorer, System("2", "1|1"), "coordination", "0,1,0,1")
    assert "no rule is broken so far" in told and "BROKEN" not in told


def test_a_replay_of_anything_but_numbers_is_refused(explorer: Path) -> None:
    with pytest.raises(UsageError, match="choice 1 is zz"):
        replay(explorer, System("2", "1|1"), "coordination", "0,zz")


def test_a_program_that_explores_nothing_has_no_verdict(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\n")
    silent.chmod(0o755)
    with pytest.raises(UsageError, match="no verdict"):
        explore_one(silent, System("2", "1|1"), "coordination", 1)


@pytest.mark.parametrize(
    ("scopes", "system", "said"),
    [
        (["nope"], System("2", "1|1"), "not a lock scope"),
        (["transition"], System("2", "1|1", bound=-1), "from 0"),
        (["transition"], System("2", "1|1", walks=-1), "from 0"),
        (["transition"], System("2", "1|1", bound=1, walks=10), "exclude each other"),
    ],
)
def test_choices_that_would_be_read_as_something_else_are_refused(scopes: list[str], system: System, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_choices(scopes, system)
