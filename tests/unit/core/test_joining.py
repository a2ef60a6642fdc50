# SPDX-License-Identifier: BSD-3-Clause
"""Runs of one thing as one run of as many boots, and what an explanation says of how its boots differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from latlab.core.comparison import findings as f
from latlab.core.comparison.by_kind import explain_run
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.joining import join_boots
from latlab.core.errors import UsageError
from latlab.core.lifecycle.loading import load_reference
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.figures import Figures
from latlab.core.model.run import UNNAMED, Build, CoreId, Problem, Tick, Topology
from latlab.core.readers.dump.rt_instr import POWER_METRICS
from latlab.psci.analysis.explain_spans import components
from support.console_lines import format_figures
from support.ladder_model import Truth, make_run
from support.wakeup_runs import distribution, drawn, wakeup_run

TRUTH = Truth(noise=0.01, tests=("cpu_susp_serial",))


def run(seed, boots=1, **changes):
    return replace(make_run(TRUTH, seed, boots=boots, name=f"r{seed}"), **changes)


def test_the_boots_of_all_runs_are_numbered_through_and_nothing_else_changes():
    runs = [run(1, boots=2), run(2), run(3, boots=3)]
    joined = join_boots(runs)
    assert joined.id == "r1+r2+r3" and {s.boot for s in joined.samples} == set(range(6))
    for boots, one in (((0, 1), runs[0]), ((2,), runs[1]), ((3, 4, 5), runs[2])):
        theirs = [replace(s, boot=s.boot - boots[0]) for s in joined.samples if s.boot in boots]
        assert theirs == list(one.samples)
    assert join_boots([runs[0]]) is runs[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"platform": "n1sdp"}, "the platform differs"),
        ({"topology": Topology((6,))}, "the topology differs"),
        ({"tick": Tick(Clock.VIRTUAL, 20.0)}, "the clock differs"),
        ({"tick": Tick(Clock.TIME, 10.0)}, "the tick differs"),
        ({"campaign": "psa"}, "the campaign differs"),
        ({"build": Build("other")}, "the firmware differs"),
        ({"build": Build("one", events_hash="0b")}, "the event table differs, 0a"),
        ({"lead": CoreId(0, 0)}, "the lead differs"),
        ({"conditions": Conditions(mode=Mode.MULTI_THREAD)}, "the mode differs"),
    ],
)
def test_runs_of_two_things_are_refused_with_what_differs(changes, said):
    first = run(1, platform="juno", build=Build("one", events_hash="0a"), conditions=Conditions(mode=Mode.REAL))
    second = replace(run(2, platform="juno", build=Build("one", events_hash="0a"), conditions=Conditions(mode=Mode.REAL)), **changes)
    with pytest.raises(NotComparable, match=said) as told:
        join_boots([first, first_twin(first), second])
    assert "r2" in str(told.value)


def first_twin(first):
    return replace(first, id="twin", contents=run(9).contents)


def test_a_run_that_is_named_twice_would_count_twice():
    with pytest.raises(NotComparable, match="count twice"):
        join_boots([run(1), run(2), run(1)])
    with pytest.raises(NotComparable, match="count twice"):
        join_boots([run(1), run(1, id="copy")])
    counted = Tick(Clock.INSTRUCTIONS, 0.5)
    assert {s.boot for s in join_boots([run(1, tick=counted), run(1, tick=counted, id="again")]).samples} == {0, 1}


def test_what_is_wrong_with_one_run_is_wrong_with_all():
    joined = join_boots([run(1), run(2, status=RunStatus.PARTIAL, problems=(Problem(7, "cut"),), capture_cost_ticks=3.0)])
    assert joined.status is RunStatus.PARTIAL and joined.capture_cost_ticks == 3.0
    assert [(p.line, p.message) for p in joined.problems] == [(7, "r2: cut")]


def test_a_log_that_names_neither_firmware_nor_platform_is_taken_to_be_of_the_others():
    joined = join_boots([run(1, platform=UNNAMED, build=Build("r1")), run(2, platform="juno", build=Build("v2.9"))])
    assert (joined.platform, joined.build.firmware) == ("juno", "v2.9")


def test_wake_ups_are_not_joined():
    one = wakeup_run(distribution(drawn(1, 100)))
    with pytest.raises(NotComparable, match="has no spans of boots"):
        join_boots([one, replace(one, id="b")])


def lines(*values):
    figures = (Figures("cpu_susp_serial", CoreId(0, k), tuple(zip(POWER_METRICS, (v, 2, 3), strict=True))) for k, v in enumerate(values))
    return "\n".join(map(format_figures, figures))


def test_logs_are_joined_by_plus_and_a_file_of_that_very_name_is_one_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_text(lines(10, 11))
    (tmp_path / "b.log").write_text(lines(12, 13))
    assert {(s.boot, s.value_ticks) for s in load_reference("a.log+b.log").samples if s.metric is Metric.POWERDOWN} == {
        (0, 10), (0, 11), (1, 12), (1, 13),
    }  # fmt: skip
    (tmp_path / "a.log+b.log").write_text(lines(77))
    assert len(load_reference("a.log+b.log").samples) == 3
    with pytest.raises(UsageError, match="name every run"):
        load_reference("a.log+")


def test_components_are_those_of_a_one_way_layout():
    rng = np.random.default_rng(5)
    boots = np.repeat(np.arange(400), 10)
    values = 1000 + np.repeat(rng.normal(0, 20, 400), 10) + rng.normal(0, 50, 4000)
    between, within = components(boots, values)
    assert between is not None and between == pytest.approx(0.02, rel=0.2) and within == pytest.approx(0.05, rel=0.05)
    none, inside = components(np.array([0, 0]), np.array([1.0, 3.0]))
    assert none is None and inside == pytest.approx(np.sqrt(2) / 2)
    outside, none = components(np.array([0, 1]), np.array([1.0, 3.0]))
    assert none is None and outside == pytest.approx(np.sqrt(2) / 2)


def scatter_of(explained):
    return [e.finding for e in explain_run(explained) if isinstance(e.finding, f.Scatter)]


def test_boots_and_iterations_are_told_apart_by_metric_with_their_counts():
    found = {one.metric: one for one in scatter_of(make_run(TRUTH, 3, boots=8, iterations=5))}
    one = found[Metric.WAKEUP]
    assert one.counts == (8, 8, 5, 5, 6) and one.between is not None and one.within is not None
    assert 0 < one.between[0] <= one.between[1] < 0.05
    said = [e.sentence for e in explain_run(make_run(TRUTH, 3, boots=8, iterations=5))]
    assert any(s.startswith("wakeup scatters by ") and s.endswith("medians of six spans; eight boots of five iterations") for s in said)


def test_who_came_first_in_a_parallel_test_is_no_scatter():
    truth = Truth(noise=0.001, tests=("susp_deep_parallel",))
    (found,) = [one for one in scatter_of(make_run(truth, 4, boots=6, iterations=4)) if one.metric is Metric.WAKEUP]
    assert found.within is not None and found.within[1] < 0.01


def test_one_boot_of_one_iteration_says_nothing_of_scatter_and_equal_boots_are_called_identical():
    assert scatter_of(make_run(TRUTH, 3)) == []
    counted = Tick(Clock.INSTRUCTIONS, 0.5)
    same = join_boots([run(1, tick=counted), run(1, tick=counted, id="again")])
    said = [e.sentence for e in explain_run(same) if isinstance(e.finding, f.Scatter)]
    assert said[0] == "powerdown: every boot and iteration of six spans is identical; two boots of one iteration"
