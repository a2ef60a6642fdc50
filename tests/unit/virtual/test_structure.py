# SPDX-License-Identifier: BSD-3-Clause
"""What published releases show that the model has not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.core.errors import DataError
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.store.references import load
from latlab.psci.targets.board import load_board
from latlab.virtual.analysis.structure import broken_rules, far_from_the_model, orders_not_served
from latlab.virtual.campaign.prediction import fit_board, other_releases

DEEP = {"susp_deep_parallel", "susp_deep_serial"}


def juno(release: str):
    return load(f"published:tf-a/juno/{release}")


@pytest.mark.parametrize(("release", "tests"), [("v2.9", set()), ("v2.12", set()), ("v2.13", DEEP), ("v2.14", DEEP), ("v2.15", set())])
def test_releases_whose_cores_all_pay_the_cluster_flush_depart_in_the_deep_tests(release, tests) -> None:
    found = broken_rules(juno(release), load_board("juno"))
    assert {one.test for one in found} == tests
    assert all("no core but the last of a cluster pays the cluster flush" in one.sentence for one in found)


def test_only_the_tests_that_are_asked_for_are_looked_at_and_a_board_that_flushes_so_has_the_pattern() -> None:
    board = load_board("juno")
    assert broken_rules(juno("v2.13"), board, ["cpu_off_serial"]) == ()
    assert broken_rules(juno("v2.13"), replace(board, flush_always_cluster=True)) == ()


def test_a_fit_to_what_the_model_has_not_is_refused_before_anything_runs(tmp_path) -> None:
    with pytest.raises(
        DataError, match=r"v2\.13 cannot be fitted: in susp_deep_.* fit other tests than susp_deep_parallel, susp_deep_serial, with --test"
    ):
        fit_board(tmp_path / "none", load_board("juno"), [juno("v2.13")])


def test_an_order_that_a_shared_channel_did_not_serve_is_told_with_the_one_it_served() -> None:
    board, (a, b, c) = load_board("juno"), (CoreId(0, 0), CoreId(0, 1), CoreId(1, 0))
    spans = {("t", Metric.POWERDOWN, core): value for core, value in ((a, 10.0), (b, 30.0), (c, 20.0))}
    (found,) = orders_not_served({"t": (a, b, c)}, spans, board)
    assert (found.given, found.served) == ((a, b, c), (a, c, b)) and "0.0, 0.1, 1.0" in found.sentence
    assert orders_not_served({"t": (a, c, b)}, spans, board) == ()
    assert orders_not_served({"t": (a, b, c)}, spans, replace(board, channel="per-core")) == ()


def test_a_metric_that_takes_twice_as_long_at_the_median_core_takes_another_path() -> None:
    cores = [CoreId(0, core) for core in range(3)]
    modelled = {("t", metric, core): 100.0 for metric in (Metric.POWERDOWN, Metric.WAKEUP) for core in cores}
    measured = modelled | {("t", Metric.POWERDOWN, core): value for core, value in zip(cores, (90.0, 210.0, 230.0), strict=True)}
    (found,) = far_from_the_model(measured, modelled)
    assert (found.test, found.metric, found.times) == ("t", Metric.POWERDOWN, 2.1)
    assert far_from_the_model(measured | {("t", Metric.POWERDOWN, cores[1]): 190.0}, modelled) == ()
    deep = {("susp_deep_parallel", Metric.WAKEUP, core): 100.0 for core in cores}
    assert far_from_the_model({key: 900.0 for key in deep}, deep) == ()


def test_other_releases_are_neither_those_in_use_nor_those_of_another_lead() -> None:
    used = [juno("v2.9"), replace(juno("v2.15"), id="mine.rst")]
    found = {run.id.rpartition("/")[2] for run in other_releases(load_board("juno"), used)}
    assert found == {"v2.9-rc0", "v2.10", "v2.11", "v2.12", "v2.13", "v2.14"}
