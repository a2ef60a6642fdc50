# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign on the real firmware in the real QEMU; needs both."""

from pathlib import Path

import pytest

from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import Run, Topology
from latlab.core.readers.dump.dump import collect_dump
from latlab.core.readers.event_table import event_table
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.qemu import DETERMINISTIC_MAJOR, QemuMachine, find_qemu
from latlab.psci.analysis.crosscheck import disagreement
from latlab.psci.analysis.decompose import decompose
from latlab.psci.analysis.spans import core_samples, measured_call
from latlab.psci.campaign.measure import run_psci
from support.needs import found
from support.repeated import one_by_one, steps

pytestmark = pytest.mark.qemu

TOPOLOGIES = [Topology((1,)), Topology((2, 4)), Topology((4, 4, 4, 4))]
ITERATIONS = 2


def measure(folder: Path, topology: Topology, mode: Mode = Mode.DETERMINISTIC, gic: int = 3, el: int = 1) -> tuple[Store, Run]:
    images, qemu = found(lambda: find_images(topology, "psci_bench")), found(find_qemu)
    if qemu.version[0] < DETERMINISTIC_MAJOR:
        pytest.skip(f"{qemu} is too old")
    store = open_store(str(folder / "store.sqlite"))
    machine = QemuMachine(images, "psci_bench", mode, gic, el, ITERATIONS)
    recorded = run_psci(store, qemu, machine, Limits(300, 120), NullProgress())
    return store, store.load(recorded.run_id)


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=str)
def test_two_deterministic_runs_have_the_same_figures_step_by_step(tmp_path: Path, topology: Topology) -> None:
    _, first = measure(tmp_path, topology)
    _, second = measure(tmp_path, topology)
    assert first.problems == second.problems == ()
    assert first.status is RunStatus.COMPLETE
    assert one_by_one(first.samples) == one_by_one(second.samples) != []
    assert steps(first.traces) == steps(second.traces)
    cores = len(topology.cores)
    assert len(first.samples) == ITERATIONS * cores * (5 * 3 + 1)


@pytest.mark.parametrize(("gic", "el"), [(2, 1), (2, 2), (3, 2)])
def test_every_interrupt_controller_and_level_gives_a_complete_run(tmp_path: Path, gic: int, el: int) -> None:
    _, run = measure(tmp_path, Topology((2, 4)), gic=gic, el=el)
    assert run.status is RunStatus.COMPLETE
    assert (run.conditions.interrupt_controller, run.conditions.exception_level) == (f"GICv{gic}", el)


def test_cores_that_really_run_at_once_give_a_complete_run(tmp_path: Path) -> None:
    _, run = measure(tmp_path, Topology((2, 4)), Mode.MULTI_THREAD)
    assert run.problems == ()


def test_the_figures_of_the_payload_and_of_the_rings_agree_and_the_parts_sum(tmp_path: Path) -> None:
    store, run = measure(tmp_path, Topology((2, 4)))
    dump = collect_dump(store.logs(run.id)["console"].decode().splitlines(), event_table())
    assert len(dump.iterations) == ITERATIONS * 6
    for iteration in dump.iterations:
        assert len(iteration.figures) == 6
        for trace in iteration.traces:
            samples = core_samples(trace)
            of_core = [figures for figures in iteration.figures if figures.core == trace.core]
            assert disagreement(samples, of_core, dump.boots[0].clock_hz) is None
            for sample in samples:
                assert sum(part.ticks for part in decompose(measured_call(trace), sample.metric)) == sample.value_ticks


def test_in_a_serial_deep_suspend_only_a_core_whose_cluster_is_down_flushes_the_cluster(tmp_path: Path) -> None:
    _, run = measure(tmp_path, Topology((2, 4)))
    flushes = {s.core: s.value_ticks for s in run.samples if (s.test, s.metric) == ("susp_deep_serial", Metric.CACHE_FLUSH)}
    assert run.lead is not None
    short = {core for core, ticks in flushes.items() if ticks < max(flushes.values()) / 2}
    assert short == {core for core in flushes if core.cluster == run.lead.cluster and core != run.lead}
