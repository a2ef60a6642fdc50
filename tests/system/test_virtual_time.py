# SPDX-License-Identifier: BSD-3-Clause
"""The psci core in virtual time, by the program that `cmake --preset virtual` builds; needs it."""

from pathlib import Path
from statistics import median

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import UsageError
from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import CoreId
from latlab.core.readers.dump.dump import collect_dump
from latlab.core.readers.event_table import event_table
from latlab.core.store.references import load
from latlab.core.store.store import open_store
from latlab.psci.campaign.measure import run_psci_virtual
from latlab.psci.targets.board import Board, load_board
from latlab.psci.targets.virtual_program import Virtual, run_program, spans_of
from latlab.virtual.campaign.prediction import acquisition_orders, measured_spans, other_releases, predict, repeated, undetermined_costs
from latlab.virtual.campaign.scatter import with_intervals
from latlab.virtual.campaign.whatif import alone_ns

pytestmark = pytest.mark.firmware

FLUSH_TESTS = ("susp_deep_serial", "cpu_susp_serial", "cpu_off_serial", "cpu_susp_parallel")


def powerdowns(program: Path, board: Board, test: str = "susp_deep_parallel") -> dict[CoreId, float]:
    return {core: value for (_, metric, core), value in spans_of(program, board, None, test).items() if metric is Metric.POWERDOWN}


def test_a_run_takes_the_path_of_every_dump_and_is_complete(program: Path, juno: Board, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "runs.db"))
    recorded = run_psci_virtual(store, Virtual(program, juno, 2), NullProgress())
    run = store.load(recorded.run_id)
    assert (recorded.status, recorded.problems, run.status) == (RunStatus.COMPLETE, (), RunStatus.COMPLETE)
    assert run.tick.clock is Clock.VIRTUAL
    assert run.lead == CoreId(1, 0)
    assert len(run.samples) == 2 * 6 * (5 * 3 + 1)


def test_two_runs_print_the_same_bytes(program: Path, juno: Board, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "runs.db"))
    logs = [store.logs(run_psci_virtual(store, Virtual(program, juno, 2), NullProgress()).run_id)["console"] for _ in range(2)]
    assert logs[0] == logs[1]


def test_published_powerdowns_are_predicted_from_the_costs_of_another_release(program: Path, juno: Board) -> None:
    predictions = predict(program, juno, load("published:tf-a/juno/v2.10")).spans
    errors = [abs(p.error_percent) for p in predictions if p.key[1] is Metric.POWERDOWN]
    flushes = [abs(p.error_percent) for p in predictions if p.key[1] is Metric.CACHE_FLUSH]
    assert median(errors) <= 1.5
    assert max(errors) <= 5.0
    assert median(flushes) <= 3.0


def test_predicted_flushes_are_as_near_as_those_of_the_other_release_itself(program: Path, juno: Board) -> None:
    old, new = load("published:tf-a/juno/v2.9"), load("published:tf-a/juno/v2.10")
    modelled, copied = (
        median(abs(p.error_percent) for p in predictions if p.key[1] is Metric.CACHE_FLUSH)
        for predictions in (predict(program, juno, new).spans, repeated(old, new, Metric.CACHE_FLUSH))
    )
    assert modelled <= 1.1 * copied


def test_serial_tests_do_not_show_what_a_cluster_costs_the_channel(program: Path, juno: Board) -> None:
    held = undetermined_costs(program, juno, load("published:tf-a/juno/v2.9"), FLUSH_TESTS)
    assert "busy_cluster_ns" in held
    assert "busy_core_ns" not in held


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


@pytest.mark.parametrize("release", ["2017", "v2.9-rc0", "v2.9", "v2.10", "v2.11", "v2.12", "v2.13", "v2.14", "v2.15"])
def test_cores_are_served_in_the_order_that_is_given(program: Path, juno: Board, release: str) -> None:
    """v2.15 has core 1.2 before 0.0, which waited for the channel when 1.2 had not yet got its cluster's lock."""
    run = load(f"published:tf-a/juno/{release}")
    spans = spans_of(program, juno, acquisition_orders(measured_spans(run)))
    for test, order in acquisition_orders(measured_spans(run)).items():
        predicted = [spans[test, Metric.POWERDOWN, core] for core in order]
        assert predicted == sorted(predicted), test


def test_nine_of_ten_spans_of_every_release_lie_in_the_intervals_that_the_others_give(program: Path, juno: Board) -> None:
    releases = other_releases(juno, [])
    predicted = {run.id: predict(program, juno, run).spans for run in releases}
    inside = [
        one.is_inside
        for name, spans in predicted.items()
        for one in with_intervals(spans, [others for other, others in predicted.items() if other != name])
    ]
    assert len(releases) >= 8 and len(inside) > 600 and None not in inside
    assert sum(map(bool, inside)) >= 0.88 * len(inside)


def test_what_the_model_has_not_is_not_predicted(program: Path, juno: Board) -> None:
    predicted = predict(program, juno, load("published:tf-a/juno/v2.13"))
    assert {one.test for one in predicted.departures} == {"susp_deep_parallel", "susp_deep_serial"}
    assert not {one.key[0] for one in predicted.spans} & {"susp_deep_parallel", "susp_deep_serial"}
    assert max(abs(one.error_percent) for one in predicted.spans if one.key[1] is Metric.POWERDOWN) < 12
