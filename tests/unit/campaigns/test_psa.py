# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign: its spans and windows, and the real firmware in the real QEMU where both are there."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.analysis.spans.psa import psa_samples, windows
from latlab.analysis.spans.spans import samples_of
from latlab.campaigns.psa import SYMBOLS_LOG, run_psa
from latlab.campaigns.recording import Silent, text_of
from latlab.catalog import event_table
from latlab.errors import LatlabError
from latlab.formats.dump.dump import collect_dump
from latlab.model.enums import Clock, Metric, RunStatus
from latlab.model.run import Build, CoreId, CoreTrace, Run, Topology, TraceRecord
from latlab.model.symbols import Symbols
from latlab.report.run.psa import BuildResult, cost_range, html, worst_latency
from latlab.store.store import open_store
from latlab.targets.qemu import mps2
from latlab.targets.qemu.console import Limits
from latlab.targets.qemu.qemu import find_qemu
from support.on_mps2 import printed

TICK = mps2.tick_of(20_000_000)
CORE = CoreId(0, 0)
SYMBOLS = Symbols((0x100, 0x200, 0x300), ("before", "masks", "after"))
CONFORMANCE_BUILDS = ("sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3", "classic_l2")


def trace(test: str, records: list[tuple[int, str, int]]) -> CoreTrace:
    return CoreTrace(test, 0, 0, CORE, tuple(TraceRecord(i, time, event, arg) for i, (time, event, arg) in enumerate(records)))


def interrupt(due: int, latency: int, pc: int) -> tuple[int, str, int]:
    return (due, "NS_INTERRUPT", latency << 32 | pc)


def run_of(*traces: CoreTrace) -> Run:
    run = Run("psa", "qemu", "mps2_an521", Topology((1,)), TICK, Build("x"), CORE, RunStatus.COMPLETE, (), traces)
    return replace(run, samples=samples_of(traces))


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


def measure(folder: Path, build: str, machine: str = "mps2-an521") -> tuple[BuildResult, bytes]:
    try:
        images, qemu = mps2.find_psa_images(build), find_qemu(Path(mps2.PROGRAM))
    except LatlabError as error:
        pytest.skip(str(error))
    store = open_store(str(folder / "store.sqlite"))
    recorded = run_psa(store, qemu, machine, images, Limits(300, 120), Silent())
    logs = store.logs(recorded.run_id)
    return BuildResult(store.load(recorded.run_id), mps2.parse_symbols(logs[SYMBOLS_LOG])), logs["console"]


@pytest.mark.parametrize("build", mps2.BUILDS)
def test_two_runs_of_a_build_are_identical(tmp_path: Path, build: str) -> None:
    first, log = measure(tmp_path, build)
    second, again = measure(tmp_path, build)
    assert first.run.problems == ()
    assert first.run.status is RunStatus.COMPLETE
    assert first.run.samples == second.run.samples
    assert log == again


@pytest.mark.parametrize("build", ["sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3"])
def test_no_instruction_of_a_call_keeps_an_interrupt_waiting(tmp_path: Path, build: str) -> None:
    result, _ = measure(tmp_path, build)
    assert worst_latency(result.run) == 0
    assert result.windows == ()


def test_every_iteration_of_a_call_costs_the_same(tmp_path: Path) -> None:
    result, _ = measure(tmp_path, "ipc_l3")
    for test in {s.test for s in result.run.samples if s.metric is Metric.PSA_CALL}:
        lowest, highest = cost_range(result.run, test) or (0, 1)
        assert lowest == highest, test


def test_the_sweep_finds_the_planted_window_and_names_its_function(tmp_path: Path) -> None:
    result, _ = measure(tmp_path, "planted_l1")
    assert {window.function for window in result.windows} == {"planted_masked_window"}
    assert {window.test for window in result.windows} == {"sweep_connect", "sweep_call_0", "sweep_close"}
    worst = worst_latency(result.run) or 0
    assert 100 <= worst <= 103


def test_the_classic_gate_keeps_interrupts_waiting_in_every_call(tmp_path: Path) -> None:
    result, _ = measure(tmp_path, "classic_l2")
    assert (worst_latency(result.run) or 0) > 100
    assert {"psa_get", "psa_reply", "psa_wait"} <= {window.function for window in result.windows}


def test_the_charts_are_one_page_that_needs_no_network(tmp_path: Path) -> None:
    result, _ = measure(tmp_path, "classic_l2")
    page = html([result])
    assert "psa_get" in page and 'src="http' not in page


def test_an_an505_gives_the_same_figures(tmp_path: Path) -> None:
    one, _ = measure(tmp_path, "ipc_l2")
    other, _ = measure(tmp_path, "ipc_l2", "mps2-an505")
    assert one.run.samples == other.run.samples


def test_a_log_cut_in_the_middle_is_partial(tmp_path: Path) -> None:
    _, log = measure(tmp_path, "sfn_l1")
    dump = collect_dump(map(text_of, log.splitlines()[: len(log.splitlines()) // 2]), event_table())
    assert dump.problems and dump.iterations
    assert dump.status is RunStatus.PARTIAL


@pytest.mark.parametrize("build", CONFORMANCE_BUILDS)
def test_the_conformance_program_passes(build: str) -> None:
    assert ", failed 0, " in printed(f"{build}_test", "conformance")


@pytest.mark.parametrize("build", CONFORMANCE_BUILDS)
def test_a_periodic_task_sees_the_jitter_that_the_gate_makes(build: str) -> None:
    found = re.search(r"idle (\d+), empty calls (\d+), calls of 256 bytes (\d+)", printed(build, "jitter"))
    assert found
    idle, empty, large = map(int, found.groups())
    if build == "classic_l2":
        assert idle < 2000 < empty < large
    else:
        assert idle == empty == large
