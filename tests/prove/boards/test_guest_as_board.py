# SPDX-License-Identifier: BSD-3-Clause
"""Slow: the guest on our firmware measured as a board is, over SSH and through labgrid, its outliers blamed on the firmware."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.model.blame import Caller, CallerKind
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.store.store import Store, open_store
from latlab.core.targets.linux.labgrid_board import LabgridBoard, load_target
from latlab.core.targets.linux.machine import Machine
from latlab.rt.analysis.result import RtResult
from latlab.rt.campaign.measure import run_rt_linux
from latlab.rt.campaign.results import results_of
from latlab.rt.targets.rt_job import Instrument, Workload
from prove.boards.ssh_board import SshBoard, ssh_board

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

HOLD_NS = 10_000_000
WORKLOAD = Workload(20, "hwrng", Instrument.RECORDER, interval_us=2000, outlier_us=5000)
ENVIRONMENT = """\
targets:
  main:
    resources:
      NetworkService: {{address: 127.0.0.1, port: {port}, username: root}}
    drivers:
      SSHDriver: {{keyfile: {key}}}
"""


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshBoard]:
    with ssh_board(tmp_path_factory.mktemp("board"), HOLD_NS) as found:
        yield found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(str(tmp_path_factory.mktemp("store") / "store.sqlite"))


def _measured(store: Store, machine: Machine, module: Path | None = None) -> tuple[Run, RtResult]:
    run_id = run_rt_linux(store, machine, WORKLOAD, print, smc_module=module)
    run = store.load(run_id)
    assert run.status is RunStatus.COMPLETE, run.problems
    ((_, result),) = results_of(run, store.logs(run_id))
    return run, result


def _check_blamed(result: RtResult) -> None:
    """The load reads /dev/hwrng, so that TRNG_RND, held for 10 ms, is called all the time: each call makes a wake-up late that was due
    every 2 ms. What the host takes away beside that is nobody's."""
    blamed = [entry for entry in result.attributed or () if entry.blame.name == "TRNG_RND"]
    (exposed,) = [exposed for exposed in result.exposure if exposed.name == "TRNG_RND"]
    assert exposed.events > 100 and exposed.longest_ns >= HOLD_NS
    assert len(blamed) >= 0.8 * exposed.events
    assert {entry.blame.caller for entry in blamed} >= {Caller(CallerKind.HWRNG_DRIVER, "cat")}


def test_a_module_that_is_loaded_is_used_over_ssh(board: SshBoard, store: Store) -> None:
    run, result = _measured(store, board.machine)
    facts = dict(run.facts)
    assert facts["EL3 rings"] == "read every 1 s" and "crng_reseed" in facts["kernel probes"]
    assert run.conditions.mode is Mode.VIRTUAL_MACHINE
    _check_blamed(result)


def test_a_module_is_brought_through_labgrid_and_taken_out_again(board: SshBoard, store: Store, tmp_path: Path) -> None:
    module = tmp_path / "latlab_el3.ko"
    module.write_bytes(board.machine.get("/modules/latlab_el3.ko"))
    assert board.machine.run("rmmod latlab_el3", 60).status == 0
    (tmp_path / "env.yaml").write_text(ENVIRONMENT.format(port=board.port, key=board.key))
    target = load_target(tmp_path / "env.yaml", "main")
    run, result = _measured(store, LabgridBoard(target), module)
    assert dict(run.facts)["EL3 rings"] == "read every 1 s"
    _check_blamed(result)
    assert board.machine.run("ls /proc/latlab_el3 /sys/kernel/tracing/instances/latlab", 60).status != 0
    assert board.machine.run("grep latlab /sys/kernel/tracing/kprobe_events", 60).status == 1
    target.cleanup()
