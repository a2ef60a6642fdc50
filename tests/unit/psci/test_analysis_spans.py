# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.model.enums import Metric
from latlab.core.model.figures import Figures
from latlab.core.model.run import CoreId, CoreTrace, Topology, TraceRecord
from latlab.psci.analysis.crosscheck import disagreement
from latlab.psci.analysis.decompose import ORDER, decompose, segments
from latlab.psci.analysis.spans import SpanError, core_samples, measured_call, samples_of, span_ticks
from support.runs import JUNO
from support.synthetic import Model, figures

ITERATIONS = list(Model(Topology((2, 2)), 1).iterations())
TRACES = [trace for iteration in ITERATIONS for trace in iteration.traces]
HZ = 62_500_000


def trace(*events: tuple[str, int, int], test: str = "cpu_susp_serial") -> CoreTrace:
    records = tuple(TraceRecord(10 + i, time, name, arg) for i, (name, time, arg) in enumerate(events))
    return CoreTrace(test, 0, 0, CoreId(0, 1), records)


SUSPEND = (
    ("ENTER_PSCI", 100, 0xC4000001),
    ("ENTER_CFLUSH", 160, 0),
    ("EXIT_CFLUSH", 360, 0),
    ("ENTER_HW_LOW_PWR", 400, 0),
    ("EXIT_HW_LOW_PWR", 9000, 0),
    ("WARM_BOOT", 9040, 0),
    ("EXIT_PSCI", 9100, 0),
)


def values(of: CoreTrace) -> dict[Metric, int]:
    return {sample.metric: sample.value_ticks for sample in core_samples(of)}


def test_a_suspend_makes_three_spans() -> None:
    assert values(trace(*SUSPEND)) == {Metric.POWERDOWN: 300, Metric.WAKEUP: 100, Metric.CACHE_FLUSH: 200}


def test_a_version_call_makes_one_span() -> None:
    call = trace(("ENTER_PSCI", 7, 0x84000000), ("EXIT_PSCI", 60, 0x10001), test="psci_version_parallel")
    assert values(call) == {Metric.PSCI_CALL: 53}


def test_calls_around_the_tested_one_are_passed_over() -> None:
    around = (("EXIT_PSCI", 20, 0), ("ENTER_PSCI", 30, 0xC4000003), ("EXIT_PSCI", 90, 0))
    after = (("ENTER_PSCI", 9200, 0x84000002), ("ENTER_HW_LOW_PWR", 9300, 0))
    assert values(trace(*around, *SUSPEND, *after)) == values(trace(*SUSPEND))


def test_a_core_that_is_off_makes_its_spans_over_two_visits() -> None:
    off = (("ENTER_PSCI", 100, 0x84000002), *SUSPEND[1:])
    assert values(trace(*off, test="cpu_off_serial")) == values(trace(*SUSPEND))


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ((), "no complete call"),
        (SUSPEND[:4], "no complete call"),
        ((SUSPEND[0], SUSPEND[6]), "without powering down"),
        ((*SUSPEND[:3], *SUSPEND[4:]), "EXIT_HW_LOW_PWR instead of"),
        ((*SUSPEND[:2], *SUSPEND[3:]), "not pairs"),
        ((SUSPEND[0], ("ENTER_CFLUSH", 90, 0), *SUSPEND[2:]), "time runs backwards from ENTER_PSCI at 100 to ENTER_CFLUSH at 90"),
    ],
)
def test_records_that_make_no_span_are_refused_with_the_core(events: tuple[tuple[str, int, int], ...], words: str) -> None:
    with pytest.raises(SpanError, match=words) as caught:
        core_samples(trace(*events))
    assert "core 0.1" in str(caught.value)


def test_a_gap_in_the_sequences_is_refused() -> None:
    whole = trace(*SUSPEND)
    with pytest.raises(SpanError, match="record 12 is followed by 14"):
        core_samples(replace(whole, records=whole.records[:3] + whole.records[4:]))


def test_the_parts_of_a_suspend_are_named_by_its_events() -> None:
    locks = (
        ("LOCK_REQUEST", 120, 1 << 16 | 1),
        ("LOCK_ACQUIRE", 150, 1 << 16 | 1),
        ("LOCK_REQUEST", 155, 2 << 16),
        ("LOCK_ACQUIRE", 156, 2 << 16),
        ("LOCK_RELEASE", 157, 2 << 16),
        ("LOCK_RELEASE", 158, 1 << 16 | 1),
    )
    call = measured_call(trace(SUSPEND[0], *locks, *SUSPEND[1:]))
    assert {str(part.name): part.ticks for part in decompose(call, Metric.POWERDOWN)} == {
        "dispatch": 20,
        "lock wait, level 1": 30,
        "lock wait, level 2": 1,
        "coordination": 5 + 1 + 1,
        "prepare": 2,
        "cache flush": 200,
        "commit": 40,
    }
    assert {str(part.name): part.ticks for part in decompose(call, Metric.WAKEUP)} == {"reset path": 40, "finish": 60}


def test_a_domain_wait_and_a_message_are_parts_of_their_own() -> None:
    extra = (
        ("ENTER_DOMAIN_WAIT", 110, 1 << 16),
        ("EXIT_DOMAIN_WAIT", 140, 1 << 16),
        *SUSPEND[1:3],
        ("ENTER_POWER_MESSAGE", 370, 0),
        ("EXIT_POWER_MESSAGE", 385, 0),
    )
    parts = {str(p.name): p.ticks for p in decompose(measured_call(trace(SUSPEND[0], *extra, *SUSPEND[3:])), Metric.POWERDOWN)}
    assert parts == {"dispatch": 10, "domain wait, level 1": 30, "prepare": 20, "cache flush": 200, "power message": 15, "commit": 25}


@pytest.mark.parametrize("of", TRACES, ids=lambda t: f"{t.test}-{t.core}")
def test_the_parts_sum_to_the_span(of: CoreTrace) -> None:
    call = measured_call(of)
    for sample in core_samples(of):
        assert sum(part.ticks for part in decompose(call, sample.metric)) == sample.value_ticks


MIDDLE = (
    "LOCK_REQUEST",
    "LOCK_ACQUIRE",
    "LOCK_RELEASE",
    "ENTER_POWER_MESSAGE",
    "EXIT_POWER_MESSAGE",
    "ENTER_DOMAIN_WAIT",
    "WARM_BOOT",
    "ENTER_SMC",
)
strange = st.lists(st.tuples(st.sampled_from(MIDDLE), st.integers(0, 1000), st.integers(0, 2**20)), max_size=12)


@given(strange, strange, st.integers(0, 2**63))
def test_the_parts_sum_to_the_span_whatever_the_events_between(down: object, up: object, start: int) -> None:
    steps = [
        ("ENTER_PSCI", 0, 0xC4000001),
        *down,  # type: ignore[misc]
        ("ENTER_CFLUSH", 1, 0),
        ("EXIT_CFLUSH", 2174, 0),
        ("ENTER_HW_LOW_PWR", 3, 0),
        ("EXIT_HW_LOW_PWR", 5, 0),
        *up,
        ("EXIT_PSCI", 1, 0),
    ]
    time, events = start, []
    for name, after, arg in steps:
        time += after
        events.append((name, time, arg))
    call = measured_call(trace(*events))
    for metric in (Metric.POWERDOWN, Metric.WAKEUP, Metric.CACHE_FLUSH):
        parts = decompose(call, metric)
        assert sum(part.ticks for part in parts) == span_ticks(call, metric)
        assert all(part.name.kind in ORDER for part in parts)
    whole = segments(call)
    assert sum(segment.ticks for segment in whole) == time - start


def test_figures_made_from_the_same_records_agree() -> None:
    for iteration in ITERATIONS:
        assert disagreement(samples_of(iteration.traces), iteration.figures, HZ) is None


def test_figures_may_differ_by_one_tick_and_no_more() -> None:
    iteration = next(Model(JUNO, 1).iterations())
    samples = samples_of(iteration.traces)
    core = iteration.traces[0]
    metric, value = figures(core).values_ns[0]
    assert disagreement(samples, [Figures(core.test, core.core, ((metric, value + 16),))], HZ) is None
    problem = disagreement(samples, [Figures(core.test, core.core, ((metric, value + 17),), line=9)], HZ)
    assert problem is not None
    assert problem.line == 9
    assert f"{value + 17} ns" in problem.message


def test_a_core_that_had_nothing_to_flush_prints_zero() -> None:
    assert disagreement([], [Figures("t", CoreId(0, 0), ((Metric.CACHE_FLUSH, 0),))], HZ) is None


def test_a_figure_without_its_span_is_a_disagreement() -> None:
    assert "no such span" in str(disagreement([], [Figures("t", CoreId(0, 0), ((Metric.WAKEUP, 5),))], HZ))
