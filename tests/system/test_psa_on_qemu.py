# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign: the real builds of the SPM in the real QEMU."""

import re
from pathlib import Path

import pytest
import sqlalchemy as sa

from latlab.core.lifecycle.life import NullProgress, text_of
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.readers.dump.dump import collect_dump
from latlab.core.readers.event_table import event_table
from latlab.core.report.renderers import html
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.psa.analysis.builds import BuildResult, cost_range, worst_latency
from latlab.psa.campaign.measure import SYMBOLS_LOG, run_psa
from latlab.psa.pages.guide import guide
from latlab.psa.targets import mps2
from latlab.runs.campaign.importing_log import import_log
from support.needs import found
from support.on_mps2 import WITH_A_TICKER, printed, threads_beside_a_ticker, threads_under_a_scheduler
from support.once import Once
from support.pinned_figures import M_PROFILE as PINNED
from support.pinned_figures import skip_by_another_compiler
from support.slow_but import slow_but

pytestmark = pytest.mark.qemu


THREADS_CALLS = 400  # tests/prove makes 100,000
CONFORMANCE_BUILDS = ("sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3", "classic_l1", "classic_l2")


def run_in(folder: Path, build: str, machine: str) -> None:
    images, qemu = found(lambda: mps2.find_psa_images(build, machine=machine)), found(lambda: find_qemu(Path(mps2.PROGRAM)))
    run_psa(open_store(str(folder / "store.sqlite")), qemu, machine, images, Limits(300, 120), NullProgress())


def kept_in(folder: Path) -> tuple[BuildResult, bytes]:
    store = open_store(str(folder / "store.sqlite"))
    (run,) = store.runs()
    logs = store.logs(run.id)
    return BuildResult(store.load(run.id), mps2.parse_symbols(logs[SYMBOLS_LOG])), logs["console"]


def measure(once: Once, build: str, machine: str = "mps2-an521") -> tuple[BuildResult, bytes]:
    return kept_in(once(f"psa-{build}-{machine}", lambda folder: run_in(folder, build, machine)))


@pytest.mark.parametrize("build", slow_but(mps2.BUILDS, "sfn_l1", "classic_l2"))
def test_two_runs_of_a_build_are_identical(once: Once, tmp_path: Path, build: str) -> None:
    first, log = measure(once, build)
    run_in(tmp_path, build, "mps2-an521")
    second, again = kept_in(tmp_path)
    assert first.run.problems == ()
    assert first.run.status is RunStatus.COMPLETE
    assert first.run.samples == second.run.samples
    assert log.splitlines() == again.splitlines()  # the machine is ended at its last line, before or after the end of that line
    assert (first.run.build.code_bytes or 0) > 5000


@pytest.mark.parametrize("build", ["sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3"])
def test_no_instruction_of_a_call_keeps_an_interrupt_waiting(once: Once, build: str) -> None:
    result, _ = measure(once, build)
    assert worst_latency(result.run) == 0
    assert result.windows == ()


def same_compiler() -> None:
    skip_by_another_compiler("arm-none-eabi-gcc", PINNED)


@pytest.mark.parametrize("build", mps2.BUILDS)
def test_each_call_costs_as_many_instructions_as_were_written_down(once: Once, build: str) -> None:
    same_compiler()
    run = measure(once, build)[0].run
    tests = {sample.test for sample in run.samples if sample.metric is Metric.PSA_CALL}
    assert {test: cost_range(run, test) for test in tests} | {"worst_latency": worst_latency(run)} == {
        name: figure if name == "worst_latency" else (figure, figure) for name, figure in PINNED[build].items()
    }


def test_every_iteration_of_a_call_costs_the_same(once: Once) -> None:
    result, _ = measure(once, "ipc_l3")
    for test in {s.test for s in result.run.samples if s.metric is Metric.PSA_CALL}:
        lowest, highest = cost_range(result.run, test) or (0, 1)
        assert lowest == highest, test


def test_the_sweep_finds_the_planted_window_and_names_its_function(once: Once) -> None:
    result, _ = measure(once, "planted_l1")
    assert {window.function for window in result.windows} == {"planted_masked_window"}
    assert {window.test for window in result.windows} == {"sweep_connect", "sweep_call_0", "sweep_close"}
    worst = worst_latency(result.run) or 0
    assert 100 <= worst <= 103


def test_the_classic_gate_keeps_interrupts_waiting_in_every_call(once: Once) -> None:
    result, _ = measure(once, "classic_l2")
    assert (worst_latency(result.run) or 0) > 100
    assert {"psa_get", "psa_reply", "psa_wait"} <= {window.function for window in result.windows}


def test_the_charts_are_one_page_that_needs_no_network(once: Once) -> None:
    result, _ = measure(once, "classic_l2")
    text = html.document(guide([result]))
    assert "psa_get" in text and 'src="http' not in text


def test_an_an505_gives_the_same_figures(once: Once) -> None:
    one, _ = measure(once, "ipc_l2")
    other, _ = measure(once, "ipc_l2", "mps2-an505")
    assert one.run.samples == other.run.samples


@pytest.mark.parametrize("build", slow_but(mps2.PRODUCT_BUILDS, "ipc_l1"))
def test_on_a_cortex_m55_no_instruction_of_a_call_keeps_an_interrupt_waiting(once: Once, build: str) -> None:
    same_compiler()
    run = measure(once, build, "mps3-an547")[0].run
    tests = {sample.test for sample in run.samples if sample.metric is Metric.PSA_CALL}
    assert {test: cost_range(run, test) for test in tests} | {"worst_latency": worst_latency(run)} == {
        name: figure if name == "worst_latency" else (figure, figure) for name, figure in PINNED["mps3-an547"][build].items()
    }
    assert PINNED["mps3-an547"][build]["worst_latency"] == 0


def test_a_log_cut_in_the_middle_is_partial(once: Once) -> None:
    _, log = measure(once, "sfn_l1")
    dump = collect_dump(map(text_of, log.splitlines()[: len(log.splitlines()) // 2]), event_table())
    assert dump.problems and dump.iterations
    assert dump.status is RunStatus.PARTIAL


@pytest.mark.parametrize("build", slow_but(CONFORMANCE_BUILDS, "sfn_l1"))
def test_the_conformance_program_passes(build: str) -> None:
    assert ", failed 0, " in printed(f"{build}_test", "conformance")


def test_the_conformance_program_passes_beside_a_floating_point_unit() -> None:
    assert ", failed 0, " in printed("ipc_l3_test", "conformance", "mps2-an505")


@pytest.mark.parametrize("build", slow_but(mps2.PRODUCT_BUILDS, "sfn_l1"))
def test_the_conformance_program_passes_on_a_cortex_m55(build: str) -> None:
    assert ", failed 0, " in printed(f"{build}_test", "conformance", "mps3-an547")


@pytest.mark.parametrize("build", slow_but(CONFORMANCE_BUILDS, "ipc_l1", "classic_l2"))
def test_a_periodic_task_sees_the_jitter_that_the_gate_makes(build: str) -> None:
    rows = re.findall(r"idle (\d+), empty calls (\d+), calls of 256 bytes (\d+)", printed(build, "jitter"))
    (idle, empty, large), (idle_low, empty_low, large_low) = (map(int, row) for row in rows)
    if build.startswith("classic"):
        assert idle < 2000 < empty < large
    else:
        assert idle == empty == large
    # Where schedulers have their tick, the switch of threads is in its way: some fifty instructions at most.
    if build.startswith("ipc"):
        assert idle_low < empty_low < 1500 and idle_low < large_low < 1500


SWITCHED = (*((build, "mps2-an521") for build in CONFORMANCE_BUILDS), ("ipc_l1", "mps2-an505"))


@pytest.mark.parametrize("at", slow_but(SWITCHED, ("sfn_l1", "mps2-an521"), ("ipc_l1", "mps2-an505")))
def test_a_call_survives_a_switch_of_threads_at_each_of_its_instructions(at: tuple[str, str]) -> None:
    build, machine = at
    shots = re.search(r"shots (\d+), of these in a call (\d+)", printed(f"{build}_test", "switches", machine))
    assert shots and int(shots[1]) > 10_000 and int(shots[2]) > 10_000


def test_a_program_links_and_calls_beside_a_secure_image_without_veneers_of_tests() -> None:
    assert "first_call product_l2: served" in printed("product_l2", "first_call")


def test_the_drop_in_profiler_measures_what_the_campaign_does_and_can_be_imported() -> None:
    same_compiler()
    store = Store(sa.create_engine("sqlite://"), "memory")
    store.prepare()
    recorded = import_log(store, printed("profiled_l1", "profiled").encode(), "profiled", core_mhz=20.0)
    measured = {sample.test: sample.value_ticks * mps2.tick_of(20_000_000).value for sample in store.load(recorded.run_id).samples}
    assert set(measured) == {f"{world}_{call}" for world in ("s", "ns") for call in ("connect", "call_0", "close", "stateless_0")}
    # The cases keep what they measure in other places than the campaign's, which are some instructions away.
    assert all(abs(figure - PINNED["sfn_l1"][test]) < 15 for test, figure in measured.items()), measured


@pytest.mark.parametrize("machine", mps2.MACHINES)
@pytest.mark.parametrize("build", slow_but(mps2.BUILDS, "sfn_l1", "ipc_l2", "classic_l1"))
def test_two_threads_of_a_preemptive_scheduler_lose_no_call(build: str, machine: str) -> None:
    threads_under_a_scheduler(build, machine, THREADS_CALLS)


@pytest.mark.parametrize("build", slow_but(mps2.PRODUCT_BUILDS, "sfn_l1", "ipc_l3"))
def test_two_threads_with_vector_predicates_lose_no_call_on_a_cortex_m55(build: str) -> None:
    threads_under_a_scheduler(build, "mps3-an547", THREADS_CALLS)


@pytest.mark.parametrize("machine", mps2.MACHINES)
@pytest.mark.parametrize("build", slow_but(WITH_A_TICKER, WITH_A_TICKER[-1]))
def test_two_threads_lose_no_call_while_a_partition_works_for_its_own_interrupts(build: str, machine: str) -> None:
    threads_beside_a_ticker(build, machine, THREADS_CALLS)


@pytest.mark.parametrize(("build", "at_once"), [("later_l2_test", False), ("at_once_l1_test", True), ("at_once_l2_test", True)])
def test_a_partition_woken_beside_a_non_secure_thread_runs_at_once_where_it_is_built_so(build: str, at_once: bool) -> None:
    found = re.search(r"interrupts (\d+), turns of the partition (\d+)", printed(build, "ticks"))
    assert found and int(found[1]) > 30
    assert int(found[2]) >= int(found[1]) - 1 if at_once else int(found[2]) <= 2


def latency_at(folder: Path, build: str, priority: int, basepri: int = 0) -> int | None:
    images, qemu = found(lambda: mps2.find_psa_images(build)), found(lambda: find_qemu(Path(mps2.PROGRAM)))
    store = open_store(str(folder / "store.sqlite"))
    recorded = run_psa(store, qemu, mps2.MACHINES[0], images, Limits(300, 120), NullProgress(), priority=priority, basepri=basepri)
    return worst_latency(store.load(recorded.run_id))


@pytest.mark.parametrize("priority", slow_but((0xA0, 0xC0, 0xE0), 0xC0))
@pytest.mark.parametrize("build", slow_but(mps2.PRODUCT_BUILDS, "sfn_l1", "ipc_l3"))
def test_the_latency_at_each_priority_is_the_one_that_was_written_down(tmp_path: Path, build: str, priority: int) -> None:
    same_compiler()
    assert latency_at(tmp_path, build, priority) == PINNED["latency"][f"{priority:#x}"][build]


@pytest.mark.parametrize("build", slow_but(mps2.PRODUCT_BUILDS, "ipc_l2"))
def test_what_a_mask_lets_through_waits_in_a_masked_call_as_long_as_was_written_down(tmp_path: Path, build: str) -> None:
    same_compiler()
    assert latency_at(tmp_path, build, priority=0, basepri=0x20) == PINNED["masked_latency"][build]
