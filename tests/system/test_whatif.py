# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps of designs in virtual time, by the program that `cmake --preset virtual` builds; needs it."""

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Latlab
from latlab.core.errors import DataError, UsageError
from latlab.psci.analysis.slowest import CHANNEL_CAUSES, LOCK_CAUSES, Cause
from latlab.psci.targets.board import load_board
from latlab.virtual.campaign.engines import on_dask, on_this_machine
from latlab.virtual.campaign.whatif import Design, Growth, SimulationJob, SweepPoint, designs_of, growths, jobs_of, simulate
from latlab.virtual.pages.whatif import PARTS, Sweep, as_csv, as_json, ends_of, tables, text_of
from latlab.virtual.pages.whatif_web import charts
from support.slow_but import slow_but

pytestmark = pytest.mark.firmware

TEST = "susp_deep_parallel"


@pytest.fixture(name="sweep", scope="module")
def fixture_sweep(program: Path) -> Sweep:
    """Both scopes and both channels at 6 and 64 cores."""
    board = load_board("juno")
    points = [simulate(program, job) for job in jobs_of(board, designs_of(board, (), (), ()), [6, 64], [4], TEST)]
    return Sweep("juno", board, TEST, tuple(points))


def growth_of(sweep: Sweep, scope: str, channel: str) -> Growth:
    return next(g for g in growths(sweep.points) if (g.small.design.lock_scope, g.small.design.channel) == (scope, channel))


def one_job(design: Design, cores: int, size: int, test: str = TEST, platform: str = "juno") -> SimulationJob:
    return jobs_of(load_board(platform), [design], [cores], [size], test)[0]


def test_short_locks_and_a_channel_a_core_keep_six_cores_near_what_they_take_alone(sweep: Sweep) -> None:
    growth = growth_of(sweep, "coordination", "per-core")
    assert 1.0 <= growth.small.over_alone <= 1.3
    assert growth.factor < 1.3


def test_with_one_channel_short_locks_are_the_best_that_it_allows(sweep: Sweep) -> None:
    growth = growth_of(sweep, "coordination", "shared")
    for point in (growth.small, growth.large):
        assert point.over_floor is not None
        assert 1.0 <= point.over_floor <= 1.01
        assert sum(point.causes_ns[cause] for cause in CHANNEL_CAUSES) > 0.75 * point.powerdown_worst_ns
    assert growth.factor > 10


def test_no_design_falls_below_the_floor_of_its_channel(sweep: Sweep) -> None:
    floors = [point.over_floor for point in sweep.points if point.over_floor is not None]
    assert len(floors) == 4
    assert min(floors) >= 1.0
    assert all((point.over_floor is None) == (point.design.channel == "per-core") for point in sweep.points)


@pytest.mark.parametrize(
    "changes", slow_but(["noise_ns=2000", "message_ns=100,stagger_ns=100000", "busy_core_ns=0,busy_cluster_ns=0"], "noise_ns=2000")
)
@pytest.mark.parametrize("test", slow_but(["susp_deep_parallel", "cpu_susp_parallel"], "susp_deep_parallel"))
def test_the_floor_holds_whatever_the_costs(program: Path, changes: str, test: str) -> None:
    board = load_board(f"juno,{changes}")
    for job in jobs_of(board, designs_of(board, ("compare-and-swap",), (), ("shared",)), [1, 7, 16], [1, 4, 16], test):
        over_floor = simulate(program, job).over_floor
        assert over_floor is not None
        assert over_floor >= 1.0


def test_long_locks_without_a_shared_channel_are_the_locks_own_doing(sweep: Sweep) -> None:
    growth = growth_of(sweep, "transition", "per-core")
    assert sum(growth.large.causes_ns[cause] for cause in CHANNEL_CAUSES) == 0
    assert sum(growth.large.causes_ns[cause] for cause in LOCK_CAUSES) > 0.9 * growth.large.powerdown_worst_ns
    assert growth.factor > 5


def test_the_parts_of_every_point_sum_to_its_worst_powerdown(sweep: Sweep) -> None:
    for point in sweep.points:
        assert sum(point.causes_ns.values()) == point.powerdown_worst_ns
        assert sum(sum(point.causes_ns[cause] for cause in causes) for causes in PARTS.values()) == point.powerdown_worst_ns


def test_the_command_s_tables_tell_the_ratio_at_six_cores_and_the_growth_to_sixty_four(sweep: Sweep) -> None:
    every, parts, growth = tables(sweep)
    assert (len(every.rows), len(parts.rows), len(growth.rows)) == (8, 8, 4)
    headings = [column.heading for column in growth.columns]
    shown = dict(zip(headings, next(row for row in growth.rows if row[1:3] == ("coordination", "per-core")), strict=True))
    expected = growth_of(sweep, "coordination", "per-core")
    assert shown["over alone, 6"] == f"{expected.small.over_alone:.2f}"
    assert shown["Growth 6 to 64"] == f"{expected.factor:.2f}"


def test_a_core_alone_takes_what_it_takes_alone(program: Path) -> None:
    point = simulate(program, one_job(Design("ticket", "coordination", "shared"), 1, 4))
    assert point.over_alone == 1.0
    assert point.causes_ns[Cause.CHANNEL] == 0


def test_a_thousand_cores_run(program: Path) -> None:
    point = simulate(program, one_job(Design("ticket", "coordination", "per-core"), 1024, 16, "cpu_susp_parallel"))
    assert (point.cores, point.clusters) == (1024, 64)


def test_the_size_of_the_clusters_is_swept_and_the_last_cluster_takes_the_rest(program: Path) -> None:
    jobs = jobs_of(load_board("juno"), [Design("ticket", "coordination", "per-core")], [10], [1, 4, 16], TEST)
    assert [job.board.topology.clusters for job in jobs] == [(1,) * 10, (4, 4, 2), (10,)]
    assert [simulate(program, job).clusters for job in jobs] == [10, 3, 1]


def test_the_kind_of_lock_is_swept(program: Path) -> None:
    board = load_board("juno")
    designs = designs_of(board, ("ticket", "compare-and-swap"), ("coordination",), ("per-core",))
    ticket, swap = (simulate(program, job) for job in jobs_of(board, designs, [16], [16], TEST))
    assert ticket.worst_core != swap.worst_core


def test_growth_is_told_between_the_fewest_and_the_most_where_six_and_sixty_four_are_not_there(sweep: Sweep) -> None:
    few = [point for point in sweep.points if point.cores == 6]
    found = growths(few)
    assert [growth.factor for growth in found] == [1.0] * 4
    assert ends_of(found) == few
    assert len(tables(Sweep("juno", sweep.board, TEST, tuple(few)))[2].columns) == 4 + 3 + 1


def test_csv_has_a_line_a_point_whose_parts_sum_to_the_worst(sweep: Sweep) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(sweep))))
    assert len(rows) == len(sweep.points)
    for row in rows:
        assert sum(int(row[f"{cause.value}_ns"]) for cause in Cause) == float(row["powerdown_worst_ns"])


def test_json_says_what_the_figures_rest_on(sweep: Sweep) -> None:
    document = json.loads(as_json(sweep))
    assert (document["schema"], document["clock"], document["platform"], document["test"]) == ("latlab-whatif", "virtual", "juno", TEST)
    assert document["costs_ns"]["message_ns"] == sweep.board.costs["message_ns"]
    assert "cortex-a57.exit_ns" not in document["costs_ns"]
    assert len(document["points"]) == len(sweep.points)


def values_of(spec: dict[str, Any], view: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a view, which altair keeps by name where several views share them."""
    data = view["data"]
    found: list[dict[str, Any]] = data["values"] if "values" in data else spec["datasets"][data["name"]]
    return found


def test_the_charts_draw_every_point_and_say_what_they_rest_on(sweep: Sweep) -> None:
    lines, parts = charts(sweep)
    panels = [panel for row in lines.spec["vconcat"] for panel in row["hconcat"]]
    assert [len(values_of(lines.spec, panel)) for panel in panels] == [len(sweep.points)] * 4
    assert "virtual time" in lines.spec["title"]["text"]
    assert "one sample a core" in lines.spec["title"]["subtitle"]
    drawn = sum(row["us"] for row in values_of(parts.spec, parts.spec["layer"][0]))
    assert drawn == pytest.approx(sum(point.powerdown_worst_ns for point in sweep.points) / 1000)


def test_the_page_opens_without_a_network_and_holds_every_figure(sweep: Sweep) -> None:
    text = text_of(sweep, ".html")
    assert "<link" not in text
    assert "<script src" not in text
    cells = set(re.findall(r"<td[^>]*>([^<]*)</td>", text))
    assert {str(round(point.powerdown_worst_ns / 1000, 2)) for point in sweep.points} <= cells


def points_of(program: Path, jobs: list[SimulationJob]) -> list[SweepPoint]:
    return [simulate(program, job) for job in jobs]


@pytest.fixture(name="jobs")
def fixture_jobs() -> list[SimulationJob]:
    board = load_board("juno")
    return jobs_of(board, designs_of(board, ("ticket",), (), ()), [3, 6], [2, 4], TEST)


def written(points: list[SweepPoint]) -> str:
    sweep = Sweep("juno", load_board("juno"), TEST, tuple(points))
    return as_json(sweep) + as_csv(sweep)


def test_the_processes_of_this_machine_give_the_points_in_the_order_of_the_jobs(program: Path, jobs: list[SimulationJob]) -> None:
    assert written(on_this_machine(program, jobs)) == written(points_of(program, jobs))


def test_a_dask_cluster_writes_the_same_bytes_as_this_machine(program: Path, jobs: list[SimulationJob]) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        far = on_dask(cluster.scheduler_address)(program, jobs)
    assert written(far) == written(points_of(program, jobs))


def test_a_dask_worker_s_error_is_the_sentence_of_this_machine(tmp_path: Path, jobs: list[SimulationJob]) -> None:
    distributed = pytest.importorskip("distributed")
    broken = tmp_path / "latlab_virtual"
    broken.write_text("#!/bin/sh\necho 'no such board' >&2\nexit 2\n")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        pytest.raises(DataError, match="no such board"),
    ):
        on_dask(cluster.scheduler_address)(broken, jobs)


def test_a_scheduler_without_workers_is_refused(program: Path, jobs: list[SimulationJob]) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        pytest.raises(UsageError, match="no workers; start `dask worker"),
    ):
        on_dask(cluster.scheduler_address)(program, jobs)


def test_an_address_where_no_scheduler_answers_is_refused(program: Path, jobs: list[SimulationJob]) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UsageError, match="nonsense: no scheduler answers"):
        on_dask("nonsense")(program, jobs)


def test_without_distributed_the_extra_is_named(program: Path, jobs: list[SimulationJob], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match="--dask needs the Python package distributed; run "):
        on_dask("local")(program, jobs)


def test_the_command_prints_the_same_with_dask_as_without(latlab: Latlab, program: Path) -> None:
    pytest.importorskip("distributed")
    arguments = ("whatif", "--cores", "2,6", "--scope", "coordination", "--format", "json", "--program", program)
    here, far = latlab(*arguments), latlab(*arguments, "--dask", "local")
    assert (here.returncode, far.returncode) == (0, 0), far.stderr
    assert here.stdout == far.stdout


def test_the_command_writes_each_file_that_it_is_asked_for(latlab: Latlab, program: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"whatif{suffix}" for suffix in (".html", ".csv", ".json", ".rst")]
    done = latlab("whatif", "--cores", "6", "--program", program, *(word for path in files for word in ("-o", path)))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert len(json.loads(files[2].read_text("utf-8"))["points"]) == len(files[1].read_text("utf-8").splitlines()) - 1 == 4
    assert "<title>susp_deep_parallel simulated in virtual time, platform juno</title>" in files[0].read_text("utf-8")
    assert files[3].read_text("utf-8").count(".. table::") == 3
