# SPDX-License-Identifier: BSD-3-Clause
"""What figures of a run of spans are called, and their values, counted by hand."""

from __future__ import annotations

import pytest

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run, Sample, Topology
from latlab.psci.analysis.span_figures import span_figures
from support.runs import run_with

PARALLEL, SERIAL = "susp_deep_parallel", "cpu_susp_serial"


def run_of(clusters: tuple[int, ...], test: str, metric: Metric, *iterations: tuple[int, ...]) -> Run:
    topology = Topology(clusters)
    samples = [
        Sample(test, metric, core, 0, number, value)
        for number, values in enumerate(iterations)
        for core, value in zip(topology.cores, values, strict=True)
    ]
    return run_with(topology=topology, samples=samples, lead=CoreId(0, 0))


def named(run: Run) -> dict[str, tuple[float, ...]]:
    return {figure.name: figure.values for figure in span_figures(run)}


def test_serial_spans_are_named_by_core_and_are_medians_of_the_boot() -> None:
    run = run_of((1, 2), SERIAL, Metric.POWERDOWN, (10, 20, 30), (14, 22, 34))
    assert named(run) == {"core 0.0": (12.0,), "core 1.0": (21.0,), "core 1.1": (32.0,)}


@pytest.mark.parametrize("metric", [Metric.WAKEUP, Metric.CACHE_FLUSH])
def test_what_cores_do_at_once_is_named_by_its_rank_in_the_cluster(metric: Metric) -> None:
    run = run_of((1, 2), PARALLEL, metric, (10, 30, 20), (10, 24, 36))
    assert named(run) == {"cluster 0 rank 1": (10.0,), "cluster 1 rank 1": (22.0,), "cluster 1 rank 2": (33.0,)}


def test_powerdowns_in_steps_are_named_by_the_terms_of_the_ladder() -> None:
    run = run_of((4,), "cpu_susp_parallel", Metric.POWERDOWN, (100, 300, 200, 400), (400, 100, 200, 300))
    assert {name: value for name, (value,) in named(run).items()} == pytest.approx({"base": 100.0, "step": 100.0})


def test_two_cores_make_no_ladder_and_are_named_by_their_place() -> None:
    run = run_of((2,), "cpu_susp_parallel", Metric.POWERDOWN, (300, 100), (110, 310))
    assert named(run) == {"place 1": (105.0,), "place 2": (305.0,)}


def test_powerdowns_that_no_ladder_explains_are_named_by_their_place() -> None:
    run = run_of((5,), "cpu_susp_parallel", Metric.POWERDOWN, (100, 101, 102, 103, 5000))
    assert set(named(run)) == {f"place {i}" for i in range(1, 6)}
