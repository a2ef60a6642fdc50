# SPDX-License-Identifier: BSD-3-Clause
"""Spans of PSA calls and windows of blocked interrupts, from records written by hand."""

from __future__ import annotations

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, CoreTrace, Sample, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.psa.analysis.windows import Window, sweep_points, windows
from latlab.psci.analysis.psa_samples import psa_samples
from support.runs import run_with

CORE = CoreId(0, 0)


def trace(*records: tuple[str, int, int], test: str = "ns_stateless") -> CoreTrace:
    return CoreTrace(test, 0, 3, CORE, tuple(TraceRecord(i, time, event, arg) for i, (event, time, arg) in enumerate(records)))


def checkpoint(kind: int, time: int) -> tuple[str, int, int]:
    return "CHECKPOINT", time, kind << 32 | 7


def interrupt(due: int, latency: int, address: int = 0x50) -> tuple[str, int, int]:
    return "NS_INTERRUPT", due, latency << 32 | address


def test_a_call_lasts_from_its_first_begin_to_its_first_end_whatever_lies_between() -> None:
    records = (
        checkpoint(0, 5),
        ("OTHER", 6, 1 << 32),
        checkpoint(1, 10),
        checkpoint(3, 12),
        checkpoint(1, 15),
        checkpoint(2, 40),
        checkpoint(2, 50),
    )
    assert psa_samples(trace(*records)) == (Sample("ns_stateless", Metric.PSA_CALL, CORE, 0, 3, 30),)


def test_half_a_call_and_records_of_others_are_no_sample() -> None:
    assert psa_samples(trace(checkpoint(1, 10))) == psa_samples(trace(checkpoint(2, 10))) == psa_samples(trace(("OTHER", 1, 1 << 32))) == ()


def test_a_sweep_is_one_sample_of_the_longest_wait() -> None:
    swept = trace(interrupt(1, 12), ("OTHER", 2, 99 << 32), interrupt(3, 44), interrupt(4, 13), test="sweep")
    assert psa_samples(swept) == (Sample("sweep", Metric.IRQ_LATENCY, CORE, 0, 3, 44),)


def test_a_window_begins_where_the_wait_grows() -> None:
    swept = trace(
        *(interrupt(due, wait, address) for due, wait, address in ((1, 5, 16), (2, 5, 20), (3, 9, 24), (4, 4, 28), (5, 6, 32))),
        test="sweep",
    )
    run = run_with(campaign="psa", traces=(swept, trace(checkpoint(1, 1))))
    names = Symbols((16, 28), ("gate", "serve"))
    assert windows(run, names) == tuple(
        Window("sweep", due, wait, names.name(address)) for due, wait, address in ((1, 5, 16), (3, 9, 24), (5, 6, 32))
    )
    assert sweep_points(run) == tuple(("sweep", due, wait) for due, wait in ((1, 5), (2, 5), (3, 9), (4, 4), (5, 6)))
