# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign: its spans and its windows."""

import pytest

from latlab.analysis.spans.psa import psa_samples, windows
from latlab.analysis.spans.psa_builds import cost_range, worst_latency
from latlab.analysis.spans.spans import samples_of
from latlab.model.enums import Clock, Metric
from latlab.model.run import CoreId, CoreTrace, Run, TraceRecord
from latlab.model.symbols import Symbols
from latlab.targets.qemu import mps2
from support.runs import ONE_CORE, run_with

TICK = mps2.tick_of(20_000_000)
CORE = CoreId(0, 0)
SYMBOLS = Symbols((0x100, 0x200, 0x300), ("before", "masks", "after"))


def trace(test: str, records: list[tuple[int, str, int]]) -> CoreTrace:
    return CoreTrace(test, 0, 0, CORE, tuple(TraceRecord(i, time, event, arg) for i, (time, event, arg) in enumerate(records)))


def interrupt(due: int, latency: int, pc: int) -> tuple[int, str, int]:
    return (due, "NS_INTERRUPT", latency << 32 | pc)


def run_of(*traces: CoreTrace) -> Run:
    return run_with(campaign="psa", topology=ONE_CORE, tick=TICK, lead=CORE, traces=traces, samples=samples_of(traces))


def test_a_tick_of_the_board_is_a_20th_of_an_instruction() -> None:
    assert TICK.clock is Clock.INSTRUCTIONS
    assert 1 / TICK.value == pytest.approx(20.48)


def test_the_cost_of_a_call_is_from_its_begin_to_its_end_checkpoint() -> None:
    run = run_of(trace("ns_call_0", [(1000, "CHECKPOINT", 1 << 32), (1000 + 2048, "CHECKPOINT", 2 << 32 | 1)]))
    assert [(s.metric, s.value_ticks) for s in run.samples] == [(Metric.PSA_CALL, 2048)]
    assert cost_range(run, "ns_call_0") == (100, 100)


def test_records_of_another_campaign_are_left_alone() -> None:
    assert psa_samples(trace("psci_version_parallel", [(1, "ENTER_PSCI", 0), (2, "EXIT_PSCI", 0)])) == ()


def test_a_sweep_without_waits_has_no_window() -> None:
    run = run_of(trace("sweep_call_0", [interrupt(20, 0, 0x100), interrupt(400, 0, 0x300)]))
    assert worst_latency(run) == 0
    assert windows(run, SYMBOLS) == ()


def test_each_jump_upwards_is_a_window_named_after_the_function_that_it_ends_in() -> None:
    points = [interrupt(20, 0, 0x110), interrupt(40, 2048, 0x240), interrupt(2060, 20, 0x240), interrupt(2080, 1024, 0x310)]
    found = windows(run_of(trace("sweep_call_0", points)), SYMBOLS)
    assert [(w.from_ticks, w.latency_ticks, w.function) for w in found] == [(40, 2048, "masks"), (2080, 1024, "after")]


def test_an_address_below_every_function_is_shown_as_it_is() -> None:
    assert SYMBOLS.name(0x50) == "0x00000050"


def test_symbols_survive_their_text_form() -> None:
    assert mps2.parse_symbols(mps2.symbols_text(SYMBOLS)) == SYMBOLS
