# SPDX-License-Identifier: BSD-3-Clause
import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from scipy import optimize, stats

from latlab.core.comparison.by_kind import compare, explain_pair, tails
from latlab.core.comparison.history import history
from latlab.core.comparison.tail import _block_check, _extreme_value, _stability
from latlab.core.comparison.verdicts import Limits
from latlab.core.errors import UsageError
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Sample, Tick
from latlab.core.report.history import pages as history_pages
from latlab.core.report.renderers import terminal
from latlab.core.statistics.change_points import ChangeKind
from latlab.core.statistics.pareto import level_of, over
from support.ladder_model import Truth, make_run
from support.runs import ONE_CORE, run_with


def test_a_longer_step_is_found_in_the_history_and_explained():
    truth = Truth(noise=0.005, tests=("cpu_susp_parallel",))
    runs = [make_run(truth if i < 5 else replace(truth, step=170_000.0), i, boots=2, name=f"r{i}") for i in range(10)]
    (series,) = history(runs, "*/powerdown/step")
    (change,) = series.changes
    assert change.index == 5 and change.before == pytest.approx(140_000, rel=0.02) and change.after == pytest.approx(170_000, rel=0.02)
    assert any("delay per position of the queue regressed" in e.sentence for e in change.explanations)


def screen_of(found):
    stream = io.StringIO()
    terminal.print_page(Console(file=stream, width=200), history_pages.screen(found))
    return stream.getvalue()


def test_two_releases_of_one_boot_say_nothing_and_the_note_says_so():
    (series,) = history([make_run(Truth(tests=("cpu_susp_parallel",)), i, name=str(i)) for i in range(2)], "*/powerdown/step")
    assert series.changes == () and series.note.startswith(
        "two runs do not show the scatter between runs; a change needs three runs or more"
    )


def test_where_nothing_is_shown_the_note_says_what_would_be():
    truth = Truth(noise=0.01, tests=("cpu_susp_parallel",))
    (series,) = history([make_run(truth, i, name=str(i)) for i in range(9)], "*/powerdown/step")
    assert series.changes == () and "minimum detectable change of the newest run" in series.note and "from the middle on" in series.note


@pytest.mark.parametrize(("at", "kind", "told"), [(8, ChangeKind.NEWEST, "the newest run"), (4, ChangeKind.ALONE, "this run alone")])
def test_one_release_that_differs_is_named_alone_and_compared_with_the_one_before_it(at, kind, told):
    truth = Truth(noise=0.005, tests=("cpu_susp_parallel",))
    runs = [make_run(replace(truth, step=210_000.0) if i == at else truth, i, name=f"r{i}") for i in range(9)]
    found = history(runs, "*/powerdown/step")
    (change,) = found[0].changes
    assert (change.kind, change.left, change.index, change.end) == (kind, at - 1, at, at + 1)
    assert any("delay per position of the queue regressed" in e.sentence for e in change.explanations)
    assert told in screen_of(found)


def test_a_figure_that_drifts_is_told_as_drift_with_the_ends_of_its_line():
    truth = Truth(noise=0.005, tests=("cpu_susp_parallel",))
    runs = [make_run(replace(truth, step=140_000.0 + 3_000.0 * i), i, name=f"r{i}") for i in range(12)]
    found = history(runs, "*/powerdown/step")
    (change,) = found[0].changes
    assert (change.kind, change.left, change.index) == (ChangeKind.DRIFT, 0, 11)
    assert change.before == pytest.approx(140_000, rel=0.02) and change.after == pytest.approx(173_000, rel=0.02)
    text = screen_of(found)
    assert "drift from r0 to r11" in text and "a trend fits better than" in text and "change, p" not in text


def test_what_two_neighbours_differ_in_stands_with_the_series():
    truth = Truth(noise=0.005, tests=("cpu_susp_parallel",))
    runs = [make_run(truth, i, name=f"r{i}") for i in range(4)]
    runs[2:] = [replace(run, conditions=replace(run.conditions, compiler="GCC 13.1")) for run in runs[2:]]
    runs[:2] = [replace(run, conditions=replace(run.conditions, compiler="GCC 12.2")) for run in runs[:2]]
    found = history(runs, "*/powerdown/step")
    assert [k for k, _ in found[0].differences] == [2]
    assert "conditions r1 to r2: differs: " in screen_of(found) and "12.2" in screen_of(found)


def test_a_change_within_the_tolerance_is_none_however_certain():
    truth = Truth(noise=0.0005, tests=("cpu_susp_parallel",))
    runs = [make_run(truth if i < 6 else replace(truth, step=142_800.0), i, name=f"r{i}") for i in range(12)]
    assert history(runs, "*/powerdown/step")[0].changes == ()
    assert [c.index for c in history(runs, "*/powerdown/step", Limits(relative=0.01))[0].changes] == [6]


def counted(powerdown, name, clock=Clock.INSTRUCTIONS):
    truth = Truth(tests=("cpu_susp_serial", "cpu_susp_parallel"), powerdown=powerdown, step=powerdown)
    return replace(make_run(truth, 1, name=name), tick=Tick(clock, 0.5))


def test_under_a_deterministic_clock_every_change_is_exact_also_in_the_newest_of_three_releases():
    runs = [counted(powerdown, str(i)) for i, powerdown in enumerate((100_000.0, 100_000.0, 100_100.0))]
    (series,) = history(runs, "cpu_susp_serial/powerdown/core-0.1")
    (change,) = series.changes
    assert (change.index, change.p) == (2, None) and change.after > change.before and "exact" in series.note
    assert any("powerdown regressed" in e.sentence for e in change.explanations)


def test_an_exact_change_is_explained_by_the_two_runs_that_it_lies_between():
    runs = [counted(powerdown, str(i)) for i, powerdown in enumerate((100_000.0, 110_000.0, 110_500.0, 110_500.0))]
    (series,) = history(runs, "cpu_susp_serial/powerdown")
    assert [(c.left, c.index, c.end) for c in series.changes] == [(0, 1, 2), (1, 2, 4)]
    assert [c.explanations for c in series.changes] == [explain_pair(compare(runs[i], runs[i + 1])) for i in (0, 1)]
    assert series.changes[0].explanations != series.changes[1].explanations


def test_slow_drift_in_virtual_time_adds_up_to_a_change():
    runs = [counted(100_000.0 * 1.02**i, str(i), Clock.VIRTUAL) for i in range(4)]
    (series,) = history(runs, "cpu_susp_serial/powerdown/core-0.1")
    assert [change.index for change in series.changes] == [2]


def test_where_cores_took_turns_no_change_of_a_parallel_test_is_named():
    runs = [counted(powerdown, str(i)) for i, powerdown in enumerate((100_000.0, 150_000.0))]
    (series,) = history(runs, "cpu_susp_parallel/powerdown/step")
    assert series.changes == () and "take turns" in series.note


def test_a_figure_that_no_run_has_is_refused():
    with pytest.raises(UsageError, match="no figure of these runs matches 'nothing'"):
        history([make_run(Truth(), 1), make_run(Truth(), 2)], "nothing")


def run_of(values, clock=Clock.TIME):
    samples = tuple(Sample("cyclictest", Metric.TASK_WAKEUP, CoreId(0, 0), 0, i, int(v)) for i, v in enumerate(values))
    return run_with(campaign="rt", topology=ONE_CORE, tick=Tick(clock, 1.0), samples=samples, id="run")


def tail_of(values, once_in=1e5, clock=Clock.TIME):
    (found,) = tails(run_of(values, clock), None, Metric.TASK_WAKEUP, once_in)
    return found


def test_the_true_level_lies_in_the_interval_nearly_as_often_as_it_says():
    rng, inside, given = np.random.default_rng(2), 0, 0
    for _ in range(40):
        found = tail_of(rng.exponential(100_000, 4000))
        given += found.level is not None
        inside += found.level is not None and found.low <= 100_000 * np.log(1e5) <= found.high_without_mode
    assert given >= 36 and inside >= 0.87 * given


def test_a_mode_that_hardly_ever_comes_makes_no_interval_false():
    """Once in 50,000, at ten times the rest, and ten thousand samples: most of them do not hold it once."""
    rng, given, covered = np.random.default_rng(6), 0, 0
    for _ in range(40):
        values = rng.exponential(100_000, 10_000)
        late = rng.random(10_000) < 1 / 50_000
        found = tail_of(np.where(late, values + 10_000_000, values), once_in=1e6)
        truth = 10_000_000 + 100_000 * np.log(1e6 / 50_000)
        given += found.level is not None
        covered += found.level is not None and found.low <= truth and (found.high is None or truth <= found.high)
    assert given >= 30 and covered == given


def test_an_interval_has_an_upper_end_only_where_a_mode_as_rare_would_have_been_seen():
    rng = np.random.default_rng(4)
    found = tail_of(rng.exponential(100_000, 30_000), once_in=1_000)
    assert found.detection_limit == 10_000 and found.high == found.high_without_mode
    found = tail_of(rng.exponential(100_000, 30_000), once_in=1_001)
    assert found.level is not None and found.high is None and found.high_without_mode > found.level


def test_twice_as_many_excesses_must_tell_the_same_level():
    """A kink within the excesses: the upper half of them has a tail of its own."""
    rng = np.random.default_rng(5)
    lower = found_level = level_of(over(rng.exponential(1e5, 6000), 300, 1.0), 1e5)
    assert _stability(lower, found_level).passed
    for end in (found_level.low, found_level.high):
        assert _stability(replace(lower, level=end), found_level).passed
    assert not _stability(replace(lower, level=found_level.low * 0.999), found_level).passed
    assert not _stability(replace(lower, level=found_level.high * 1.001), found_level).passed
    values = np.sort(rng.exponential(1e5, 20_000))
    values[-246:] = values[-246] + (values[-246:] - values[-246]) * 6
    told = tail_of(rng.permutation(values), once_in=1e6)
    assert told.level is None and [check.name for check in told.diagnostics if not check.passed] == ["stability"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.arange(100.0), "excesses: 5 of 100"),
        (np.round(np.random.default_rng(1).exponential(3, 5000)), "tick is too coarse"),
        (np.abs(np.random.default_rng(1).standard_cauchy(5000)) ** 2 * 1000, "shape"),
        (np.repeat(np.random.default_rng(1).exponential(1e5, 500), 10), "independence"),
        (np.random.default_rng(1).integers(1000, 1100, 5000), "the largest value came"),
        (np.random.default_rng(1).integers(0, 1_000_000_000, 5000), "has an upper end"),
    ],
)
def test_no_estimate_is_given_where_a_diagnostic_fails(values, said):
    found = tail_of(values)
    assert found.level is None and said in found.refusal


def test_what_passed_is_not_said_in_the_words_of_what_did_not():
    found = tail_of(np.random.default_rng(1).exponential(1e5, 10_000), once_in=300)
    assert found.level is not None and all(check.passed for check in found.diagnostics)
    told = "; ".join(check.text for check in found.diagnostics)
    assert "distinct excesses" in told and not any(one in told for one in ("too coarse", "samples end", "few samples decide"))


def test_a_bounded_uniform_is_not_called_too_coarse():
    assert "coarse" not in tail_of(np.random.default_rng(1).integers(1000, 1100, 5000)).refusal


def test_the_fit_is_the_maximum_of_the_likelihood_that_scipy_finds():
    values = np.random.default_rng(7).pareto(4, 6000) * 1e5
    excesses = over(values, 300, 0.0)
    found = level_of(excesses, 1e5)
    shape, _, scale = stats.genpareto.fit(excesses.values, floc=0)
    assert found.shape == pytest.approx(shape, abs=0.01) and found.scale == pytest.approx(scale, rel=0.02)
    assert found.level == pytest.approx(excesses.threshold + stats.genpareto.isf(1 / 1e5 / excesses.share, shape, 0, scale), rel=0.03)


def test_the_ends_of_the_interval_are_where_the_profile_falls_by_what_it_says():
    excesses = over(np.random.default_rng(7).exponential(1e5, 6000), 300, 0.0)
    found = level_of(excesses, 1e6)
    y, ratio = excesses.values, excesses.share * 1e6

    def likelihood(level):
        def against(shape):
            return -stats.genpareto.logpdf(y, shape, 0, (level - excesses.threshold) * shape / (ratio**shape - 1)).sum()

        return -optimize.minimize_scalar(against, bounds=(-0.45, 1.2), method="bounded", options={"xatol": 1e-6}).fun

    fallen = [2 * (likelihood(found.level) - likelihood(end)) for end in (found.low, found.high)]
    assert fallen == pytest.approx([4.2, 4.2], abs=0.25)


def test_the_threshold_lies_half_a_tick_below_what_exceeds_it():
    values = np.array([*[10.0] * 90, *range(20, 40, 2)])
    assert over(values, 4, 2.0).threshold == 31.0 and list(over(values, 4, 2.0).values) == [1.0, 3.0, 5.0, 7.0]
    assert over(values, 12, 2.0).threshold == 11.0 and over(values, 12, 2.0).share == 0.1


def test_more_of_a_larger_sample_but_a_smaller_share_lies_beyond_the_threshold():
    rng = np.random.default_rng(3)
    told = [tail_of(rng.exponential(1e5, n)).diagnostics[0].figure for n in (2000, 10_000, 100_000)]
    assert [one.split()[0] for one in told] == ["100", "200", "399"]


def test_a_block_holds_as_many_samples_as_there_are_blocks_and_ten_at_least():
    values = np.random.default_rng(3).exponential(100.0, 10_000)
    (many,), few = _block_check(values, 1e5, 0.0, 1e9), _block_check(values[:60], 1e5, 0.0, 1e9)
    assert "by maxima of 100 blocks" in many.figure
    assert few == []


def test_the_instruction_clock_has_no_tail():
    assert "deterministic" in tail_of(np.random.default_rng(1).exponential(1e5, 5000), clock=Clock.INSTRUCTIONS).refusal


@pytest.mark.parametrize("shape", [-0.2, 0.0, 0.2])
def test_block_maxima_are_fitted_by_their_l_moments(shape):
    """Against scipy's own parameters, from which the maxima are drawn; scipy's shape has the sign of Hosking's k."""
    truth = stats.genextreme(shape, loc=50.0, scale=4.0)
    found = _extreme_value(truth.rvs(200_000, random_state=np.random.default_rng(5)))
    assert found.args[0] == pytest.approx(shape, abs=0.01)
    assert (found.kwds["loc"], found.kwds["scale"]) == pytest.approx((50.0, 4.0), rel=0.01)


def test_parallel_tests_in_turns_are_not_followed_with_the_others_of_their_metric():
    runs = [counted(powerdown, str(i)) for i, powerdown in enumerate((100_000.0, 150_000.0))]
    (series,) = history(runs, "powerdown")
    assert series.figures and all(path.startswith("cpu_susp_serial/") for path in series.figures)
    assert [change.index for change in series.changes] == [1]
