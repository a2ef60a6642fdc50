# SPDX-License-Identifier: BSD-3-Clause
"""Nothing large passes in silence: some of the like cores, one boot, the spread of a few iterations, the median of a CPU."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Comparison, SpanComparison
from latlab.core.comparison.findings import BootApart, SpreadMoved
from latlab.core.comparison.gate import GateReport, report_gate
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.run import Run
from latlab.core.report.comparison.sentences import quiet_lines, summary
from latlab.core.statistics.distributions import t_tail
from support.slow_but import slow_but
from truth.held import Wrong, held
from truth.machines import JUNO, SERIAL, scaled
from truth.noise import Noise
from truth.parts import How, Part, PartCase, RtPartCase, Which, part_case_of, part_pair, rt_part_case_of, rt_part_pair
from truth.reading import runs_of_spans, runs_of_wakeups
from truth.wakeups import Between, Tool


def _spans(part: Part, boots: int, iterations: int, noise: float = 1.0, seed: int = 0) -> Comparison:
    case = PartCase(scaled(JUNO, noise), part, Noise.GAUSSIAN, boots, iterations, seed)
    return compare(*runs_of_spans(part_pair(case).pair, case.form))


def compared(case: PartCase) -> SpanComparison:
    found = compare(*runs_of_spans(part_pair(case).pair, case.form))
    assert isinstance(found, SpanComparison)
    return found


def _gate(comparison: Comparison) -> GateReport:
    return report_gate(comparison, frozenset({"regressed"}))


@pytest.mark.parametrize("boots", slow_but([1, 3, 8], 1, 8))
@pytest.mark.parametrize("noise", slow_but([0.8, 1.4], 1.4))
@pytest.mark.parametrize(("which", "size"), [(Which.HALF, 0.4), (Which.HALF, 1.0), (Which.EACH, 0.4), (Which.SPLIT, 0.4), (Which.ONE, 0.4)])
def test_some_of_the_like_cores_later_in_every_serial_test_never_pass(which: Which, size: float, noise: float, boots: int) -> None:
    for seed in range(3):
        found = _gate(_spans(Part(which, How.LEVEL, size, SERIAL), boots, 1, noise, seed))
        assert found.exit_code in (1, 3), found.lines


@pytest.mark.parametrize("noise", [0.8, 1.4])
def test_one_bad_boot_of_ten_in_the_base_is_named_with_its_number(noise: float) -> None:
    for seed in range(5):
        found = _gate(_spans(Part(Which.ALL, How.BOOT, 1.0, SERIAL, in_base=True), 10, 1, noise, seed))
        assert found.exit_code == 3 and any(re.search(r"boot \d+ of 10 of run1 has", line) for line in found.lines)


@pytest.mark.parametrize(("noise", "least", "most"), [(Noise.DEPENDENT, 3, 10), (Noise.GAUSSIAN, 4, 10), (Noise.HEAVY, 0, 5)])
def test_one_core_of_one_boot_needs_fewer_deviations_where_the_others_have_light_tails(noise: Noise, least: int, most: int) -> None:
    """Some 14 deviations, which Student's t of three degrees reaches."""
    cases = [PartCase(scaled(JUNO, 1.8), Part(Which.ONE, How.BOOT, 0.5, SERIAL[:1]), noise, 10, 1, seed) for seed in range(10)]
    named = sum(any(isinstance(one, BootApart) for one in compared(case).notable) for case in cases)
    assert least <= named <= most


def test_a_boot_that_is_odd_in_two_tests_of_a_core_is_named_whatever_tails_the_noise_has() -> None:
    """The same deviations in one test may be Student's t of three degrees; in four tests of one core they are no chance."""
    cases = [PartCase(scaled(JUNO, 1.8), Part(Which.ONE, How.BOOT, 0.5, SERIAL), Noise.HEAVY, 10, 1, seed) for seed in range(10)]
    assert sum(any(isinstance(one, BootApart) for one in compared(case).notable) for case in cases) >= 9


@pytest.mark.parametrize("noise", [Noise.BIMODAL, Noise.HEAVY, Noise.GAUSSIAN])
def test_three_times_the_spread_of_all_cores_is_named_at_one_boot_of_five_iterations(noise: Noise) -> None:
    cases = [PartCase(JUNO, Part(Which.ALL, How.SPREAD, 2.0, SERIAL), noise, 1, 5, seed) for seed in range(20)]
    assert sum(any(isinstance(one, SpreadMoved) for one in compared(case).notable) for case in cases) >= 17


def test_a_tail_is_as_heavy_as_the_other_values_show() -> None:
    rng = np.random.default_rng(4)
    for dof in (3.0, 100.0):
        far = [t_tail(12.0, np.abs(rng.standard_t(dof, 300))) for _ in range(8)]
        assert all((one > 1e-5) == (dof < 50) for one in far), far
    assert t_tail(1.0, np.zeros(5)) == 1.0


@pytest.mark.parametrize(("boots", "iterations"), [(1, 5), (3, 5), (8, 5), (4, 5), (1, 20)])
def test_iterations_that_scatter_three_times_as_wide_are_named(boots: int, iterations: int) -> None:
    for seed in range(3):
        found = _gate(_spans(Part(Which.ALL, How.SPREAD, 2.0, SERIAL), boots, iterations, 0.8, seed))
        named = any("times as wide" in line or "spread" in line for line in found.lines)
        assert found.exit_code in (1, 3) and named, found.lines


@pytest.mark.parametrize("tool", list(Tool))
@pytest.mark.parametrize(("how", "size"), [(How.LEVEL, 0.3), (How.LEVEL, 0.46), (How.LEVEL, 0.7), (How.SPREAD, 0.5)])
def test_a_median_or_a_spread_of_wake_ups_that_moved_far_ends_with_three_and_what_to_measure(tool: Tool, how: How, size: float) -> None:
    case = RtPartCase(Which.ONE, how, size, 2, tool, Between.NOTHING, 5)
    comparison = compare(*runs_of_wakeups(rt_part_pair(case, 60_000), tool))
    found = _gate(comparison)
    assert found.exit_code in (1, 3)
    assert any("once more" in line or "regressed" in line for line in found.lines)
    assert not [row for row in comparison.rows if row.is_large and row.verdict is Verdict.SAME]


def test_the_largest_shift_that_is_printed_is_the_largest() -> None:
    case = RtPartCase(Which.ONE, How.LEVEL, 0.46, 2, Tool.HISTOGRAM, Between.NOTHING, 5)
    comparison = compare(*runs_of_wakeups(rt_part_pair(case, 60_000), case.tool))
    told = next(line for verdict, line in quiet_lines(comparison) if verdict is Verdict.CANNOT_TELL and line.startswith("task_wakeup"))
    shares = [abs(row.relative) for row in comparison.rows if row.verdict is Verdict.CANNOT_TELL and row.metric == "task_wakeup"]
    assert f"{100 * max(shares):.1f} %" in told
    assert "differs by" in summary(comparison)


def test_runs_of_one_truth_hold_nothing_large() -> None:
    nobody = Part(Which.NONE, How.LEVEL, 0.0, SERIAL)
    for boots, iterations in ((1, 1), (1, 5), (8, 1)):
        assert all(_spans(nobody, boots, iterations, seed=seed).notable == () for seed in range(5))


def test_of_drawn_pairs_of_parts_hardly_one_passes_in_silence_or_is_blamed() -> None:
    found = [held(part_case_of(seed)) for seed in range(30)] + [held(rt_part_case_of(seed)) for seed in range(15)]
    for wrong in (Wrong.SILENCE, Wrong.BLAME, Wrong.UNKNOWN):
        said = [(one.case.name, fault.said) for one in found for fault in one.faults if fault.wrong is wrong]
        assert len(said) <= 1, said


def test_the_bench_notices_a_gate_that_says_nothing_of_what_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    from truth import held as bench

    def silent(before: Run, after: Run) -> Comparison:
        comparison: Any = compare(before, after)
        rows = tuple(replace(row, large=0.0, verdict=Verdict.SAME) for row in comparison.rows)
        return replace(comparison, rows=rows, notable=(), claims=())

    monkeypatch.setattr(bench, "compare", silent)
    case = PartCase(JUNO, Part(Which.HALF, How.LEVEL, 1.0, SERIAL), Noise.GAUSSIAN, 1, 1, 0)
    assert Wrong.SILENCE in {fault.wrong for fault in held(case).faults}


def _version_calls(factor: float, core: int) -> Comparison:
    """One boot of one iteration: nothing shows what a call of one core scatters by."""
    case = PartCase(JUNO, Part(Which.NONE, How.LEVEL, 0.2, SERIAL), Noise.GAUSSIAN, 1, 1, 3)
    pair = part_pair(case).pair
    span = "psci_version_parallel", "psci_call"
    factors = np.where(np.arange(len(JUNO.cores)) == core, factor, 1.0)
    after = pair.after | {span: np.rint(pair.before[span] * factors).astype(np.int64)}
    return compare(*runs_of_spans(replace(pair, after=after), case.form))


@pytest.mark.parametrize(("factor", "exit_code"), [(1.0, 0), (1.3, 0), (1.6, 3)])
def test_a_call_of_one_core_of_one_boot_stops_from_a_factor_of_1_45(factor: float, exit_code: int) -> None:
    assert [_gate(_version_calls(factor, core)).exit_code for core in range(2)] == [exit_code] * 2
