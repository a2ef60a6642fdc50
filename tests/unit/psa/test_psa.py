# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign: its spans and its windows."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Build, CoreId, CoreTrace, Run, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.core.readers.event_table import event_table
from latlab.psa.analysis.builds import BuildResult, cost_range, worst_latency
from latlab.psa.analysis.timeline import timeline, worst_interrupt
from latlab.psa.analysis.windows import windows
from latlab.psa.campaign import measure as psa
from latlab.psa.pages import psa_trace
from latlab.psa.pages.builds import tables
from latlab.psa.targets import mps2
from latlab.psci.analysis.psa_samples import psa_samples
from latlab.psci.analysis.spans import samples_of
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


IMAGE = Symbols(
    (0x10000000, 0x10000100, 0x10000200, 0x100FE000),
    ("spm_call", "gate_thread", "server_main", "nsc_psa_call"),
    (".spm_code", ".spm_code", ".partition_code", ".gateways"),
)
SWEPT = [
    (20, 0, 0x00200010),
    (60, 0, 0x100FE004),
    (100, 0, 0x10000104),
    (140, 0, 0x10000004),
    (180, 0, 0x10000204),
    (220, 0, 0x10000224),
    (300, 0, 0x10000110),
    (360, 0, 0x00200020),
    (400, 0, 0x00200024),
]


def test_a_sweep_tells_what_ran_when() -> None:
    found = timeline(run_of(trace("sweep_call_0", [interrupt(*shot) for shot in SWEPT])), IMAGE, "sweep_call_0")
    assert [(str(s.room), s.function, s.from_ticks, s.to_ticks) for s in found] == [
        ("caller", "caller", 20, 60),
        ("gate", "nsc_psa_call", 60, 100),
        ("gate", "gate_thread", 100, 140),
        ("SPM", "spm_call", 140, 180),
        ("partition", "server_main", 180, 300),
        ("gate", "gate_thread", 300, 360),
        ("caller", "caller", 360, 400),
    ]


def test_secure_code_of_unknown_parts_is_not_taken_for_the_callers() -> None:
    points = [interrupt(20, 0, 0x00200010), interrupt(40, 0, 0x10000004), interrupt(80, 0, 0x00200020), interrupt(99, 0, 0x00200022)]
    run = run_of(trace("sweep_call_0", points))
    foreign = Symbols((0x10000000,), ("tfm_core_panic",), (".ER_TFM_CODE",))
    for symbols, name in ((foreign, "tfm_core_panic"), (Symbols((), ()), "0x10000004")):
        found = [(str(s.room), s.function) for s in timeline(run, symbols, "sweep_call_0")]
        assert found == [("caller", "caller"), ("secure image", name), ("caller", "caller")]


def test_what_keeps_interrupts_off_is_not_seen_but_for_where_it_ends() -> None:
    points = [
        interrupt(20, 0, 0x00200010),
        interrupt(40, 2048, 0x10000204),
        interrupt(2060, 20, 0x10000204),
        interrupt(2080, 0, 0x10000204),
    ]
    run = run_of(trace("sweep_call_0", [*points, interrupt(2100, 0, 0x00200010)]))
    assert [(str(s.room), s.function) for s in timeline(run, IMAGE, "sweep_call_0")] == [
        ("caller", "caller"),
        ("interrupts held off", "until server_main"),
        ("partition", "server_main"),
    ]
    worst = worst_interrupt(run, IMAGE, "sweep_call_0")
    assert worst is not None and (worst.due_ticks, worst.latency_ticks, worst.function) == (40, 2048, "server_main")


def test_symbols_come_back_from_their_text_with_and_without_sections() -> None:
    assert mps2.parse_symbols(mps2.symbols_text(IMAGE)) == IMAGE
    old = mps2.parse_symbols(b"10000000 spm_call\n")
    assert (old.name(0x10000004), old.place(0x10000004)) == ("spm_call", "")


def test_a_psa_trace_shows_the_call_with_and_without_the_interrupt() -> None:
    points = [interrupt(*shot) for shot in SWEPT] + [interrupt(420, 2048, 0x00200024)]
    events = json.loads(psa_trace.render(run_of(trace("sweep_call_0", points)), IMAGE))["traceEvents"]
    drawn = {process: [(e["name"], round(e["dur"], 1)) for e in events if e["ph"] == "X" and e["pid"] == process] for process in (0, 1)}
    assert drawn[0][:2] == [("caller", 2.0), ("nsc_psa_call", 2.0)] and drawn[1] == [*drawn[0], ("waits", 100.0)]
    taken = [e["ts"] for e in events if e["ph"] == "i"]
    assert taken == [pytest.approx(420 / 20.48), pytest.approx(2468 / 20.48)]


def test_a_run_whose_sweep_does_not_say_what_it_interrupted_has_no_trace() -> None:
    with pytest.raises(UsageError, match="no sweep"):
        psa_trace.render(run_of(trace("sweep_call_0", [interrupt(20, 0, 0x100)])), SYMBOLS)
    with pytest.raises(UsageError, match="no timeline of 'sweep_close'; it has sweep_call_0"):
        psa_trace.render(run_of(trace("sweep_call_0", [interrupt(*shot) for shot in SWEPT])), IMAGE, "sweep_close")


def test_a_table_says_whether_its_costs_were_seen_from_outside() -> None:
    run = run_of(trace("ns_connect", [(0, "CHECKPOINT", 1 << 32), (2048, "CHECKPOINT", 2 << 32 | 1)]))
    own, seen = (BuildResult(replace(run, capture_cost_ticks=cost), SYMBOLS) for cost in (7.5, None))
    said = [str(next(iter(tables(results))).caption) for results in ([own], [seen], [own, seen])]
    assert "trace-point overhead subtracted" in said[0] and "outside" not in said[0]
    assert "from the first one in the secure world" in said[1] and "capture" not in said[1]
    assert "trace-point overhead subtracted" in said[2] and "from outside" in said[2]


def test_the_gates_are_compared_where_both_were_measured() -> None:
    def result(build: str, end: int) -> BuildResult:
        run = run_of(trace("ns_connect", [(1000, "CHECKPOINT", 1 << 32), (1000 + end, "CHECKPOINT", 2 << 32 | 1)]))
        return BuildResult(replace(run, build=Build(build)), SYMBOLS)

    classic, thread = result("classic_l1", 2048), result("ipc_l1", 4096)
    assert [table.caption for table in tables([classic])] == [table.caption for table in tables([thread])]
    (_, gates) = tables([thread, classic])
    assert "level 1" in str(gates.caption) and gates.rows[0] == ("ns_connect", "100", "200", "+100.0")


@pytest.mark.parametrize("other", ["", "~"], ids=["before ours in the alphabet", "after it"])
def test_images_of_another_event_table_are_refused(other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images = mps2.PsaImages("ipc_l1", tmp_path)
    monkeypatch.setattr(mps2, "psa_events_hash", lambda _: event_table().hash)
    psa._check_events(images)
    monkeypatch.setattr(mps2, "psa_events_hash", lambda _: other)
    with pytest.raises(DataError, match=f"built with the event table {other}, this latlab has"):
        psa._check_events(images)
