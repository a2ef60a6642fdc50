# SPDX-License-Identifier: BSD-3-Clause
"""Slow: power cycles of a board that is reached by SSH, here the guest on our firmware with four vCPUs."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import Store, open_store
from latlab.rt.analysis.power_cycles import PowerBoundary
from latlab.rt.campaign.power import run_power_linux
from latlab.rt.campaign.power_results import power_result
from latlab.rt.model.power_steps import StepKind
from latlab.rt.readers.power_steps import read_steps
from latlab.rt.targets.power_job import PowerCycle
from prove.boards.ssh_board import SshBoard, ssh_board

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

CORES = 4
KILL_AFTER_S = 20


@pytest.fixture(scope="module", name="board")
def fixture_board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshBoard]:
    with ssh_board(tmp_path_factory.mktemp("board"), cores=CORES) as found:
        yield found


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


def test_each_step_is_timed_and_the_rings_of_its_firmware_show_the_same_passages(board: SshBoard, store: Store) -> None:
    run = store.load(run_power_linux(store, board.machine, PowerCycle(9, 0), print))
    assert (run.status, run.problems, run.target) == (RunStatus.COMPLETE, (), "ssh:root@127.0.0.1")
    result = power_result(store.logs(run.id))
    by_linux = {(one.kind, one.cpu): len(one.ns) for one in result.steps}
    assert by_linux == {(kind, cpu): 3 for kind in (StepKind.OFFLINE, StepKind.ONLINE) for cpu in (1, 2, 3)}
    by_firmware: Counter[PowerBoundary] = Counter()
    for one in result.times:
        by_firmware[one.boundary] += len(one.ns)
    assert by_firmware[PowerBoundary.OFF] == by_firmware[PowerBoundary.ON] == 9


def test_a_cpu_that_it_does_not_have_is_refused_before_any_goes_off(board: SshBoard, store: Store) -> None:
    with pytest.raises(UsageError, match="cannot take CPU 7 off; it offers CPU 0, CPU 1, CPU 2, CPU 3"):
        run_power_linux(store, board.machine, PowerCycle(1, 0, cpus=(7,)), print)
    assert store.runs() == ()


def test_a_board_that_loses_its_power_in_the_middle_leaves_a_partial_run(tmp_path: Path, store: Store) -> None:
    """Nothing of its files can be fetched here, as this board has no disk; the run says so and does not wait for ever.

    The power goes when latlab has said how long it expects the cycles to take."""
    with ssh_board(tmp_path, cores=2) as lost:
        timer = threading.Timer(KILL_AFTER_S, lost.off)
        run = store.load(run_power_linux(store, lost.machine, PowerCycle(100_000, 0), lambda _: timer.start()))
        timer.join()
    assert run.status is RunStatus.PARTIAL and "the connection was lost" in str(run.problems)
    steps = store.logs(run.id).get("steps.txt")
    assert steps is None or read_steps(steps, "steps.txt")
