# SPDX-License-Identifier: BSD-3-Clause
"""The rt campaign's run on a Linux machine, over jobs that are made up: what the run says of machine and measurement."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latlab.core.errors import NotFetched, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.life import NOT_FETCHED, Address
from latlab.core.model.run import Run
from latlab.core.store.store import Store, open_store
from latlab.core.targets.linux.machine import Here, Machine
from latlab.rt.campaign import measure as rt
from latlab.rt.campaign.measure import planned_run, run_rt_linux
from latlab.rt.targets.linux import Follower, LinuxRun, Survey
from latlab.rt.targets.rt_job import Instrument, Workload
from support import recorder_files

WORKLOAD = Workload(1, "idle", Instrument.RECORDER, affinity=(1,))
RECORD = recorder_files.whole([[1000, 2000, 3000]])
SAID = {
    "machine": "aarch64",
    "cpus": "4",
    "kernel": "6.12.9-rt",
    "version": "#1 SMP PREEMPT_RT",
    "fifo": "yes",
    "dma_latency": "yes",
    "realtime": "1",
    "rt_runtime_us": "-1",
    "hypervisor": "none",
}
COLLECTED = (
    b"/proc/cmdline:quiet isolcpus=1\n/proc/cpuinfo:CPU implementer: 0x41\n/proc/cpuinfo:CPU part: 0xd08\n/proc/meminfo:MemTotal: 2048 kB\n"
)


@dataclass
class Jobs:
    """In place of `run_linux` and of what asks the machine."""

    said: dict[str, str] = field(default_factory=lambda: dict(SAID))
    files: dict[str, bytes] = field(default_factory=lambda: {"recorder.rec": RECORD})
    sentence: str = ""
    remains: bool = False
    asked: list[tuple[Workload, Path | None, bool]] = field(default_factory=list)
    priorities: list[int] = field(default_factory=list)

    def survey(self, machine: Machine, priority: int) -> Survey:
        self.priorities.append(priority)
        return Survey(self.said)

    def run(self, machine: Machine, found: Survey, workload: Workload, module: Path | None, probes: bool, follower: Follower) -> LinuxRun:
        self.asked.append((workload, module, probes))
        return LinuxRun(self.files, 1 if self.sentence else 0, self.sentence, self.remains)


@pytest.fixture(name="jobs")
def fixture_jobs(monkeypatch: pytest.MonkeyPatch) -> Jobs:
    jobs = Jobs()
    monkeypatch.setattr(rt, "survey", jobs.survey)
    monkeypatch.setattr(rt, "collected", lambda machine: COLLECTED)
    monkeypatch.setattr(rt, "run_linux", jobs.run)
    return jobs


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "runs.sqlite"))


def measured(store: Store, said: list[str] | None = None, workload: Workload = WORKLOAD, platform: str = "") -> Run:
    told = [] if said is None else said
    return store.load(run_rt_linux(store, Here(), workload, told.append, platform))


def test_a_machine_is_told_before_it_is_measured_and_its_answers_are_conditions(jobs: Jobs, store: Store) -> None:
    said: list[str] = []
    run = measured(store, said)
    assert (run.status, run.campaign, run.target, run.platform) == (RunStatus.COMPLETE, "rt", "linux", "this machine, aarch64")
    assert (run.topology.clusters, run.tick.clock, run.tick.value) == ((4,), Clock.TIME, 1.0)
    asked = run.conditions
    assert (asked.mode, asked.processor, asked.kernel) == (Mode.REAL, "Cortex-A72", "6.12.9-rt")
    assert (asked.kernel_version, asked.kernel_command_line) == ("#1 SMP PREEMPT_RT", "quiet isolcpus=1")
    assert (asked.affinity, asked.duration_s) == ((1,), 1)
    assert jobs.asked == [(WORKLOAD, None, True)] and jobs.priorities == [80]
    assert said and all(line.startswith("this machine: ") for line in said)


def test_what_came_with_the_measurement_stands_among_the_facts(jobs: Jobs, store: Store) -> None:
    jobs.said |= {"measuring": "1 cyclictest"}
    jobs.files |= {
        "cpu-time.txt": b"cpu 0 0 0 0 0 0 0 0\ncpu 1 0 0 3 0 0 0 0\n",
        "heat.txt": b"/sys/class/thermal/thermal_zone0/temp:50000\n",
        "machine.txt": COLLECTED + b"/sys/class/thermal/thermal_zone0/temp:40000\n",
    }
    facts = dict(measured(store).facts)
    assert facts["instrument"] == "recorder" and facts["machine"] == "aarch64" and facts["hypervisor"] == "none"
    assert (facts["rt_runtime_us"], facts["measured or emulated at the same time"]) == ("-1", "1 cyclictest")
    assert facts["CPUs busy"] == "25 %" and facts["memory"] == "2 MiB" and facts["temperature"] == "zone 0 40 to 50 °C"
    logs = store.logs(store.runs()[0].id)
    assert logs["recorder.rec"] == RECORD and logs["machine.txt"].startswith(COLLECTED)


def test_a_machine_that_says_nothing_has_no_such_facts_and_a_run_all_the_same(
    jobs: Jobs, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rt, "collected", lambda machine: b"")
    jobs.said = {"machine": "x86_64", "fifo": "yes", "dma_latency": "yes", "cpus": "2", "hypervisor": "kvm"}
    run = measured(store, platform="Shelf 3")
    asked = run.conditions
    assert (run.status, run.platform, asked.mode) == (RunStatus.COMPLETE, "Shelf 3", Mode.VIRTUAL_MACHINE)
    assert (asked.processor, asked.kernel, asked.kernel_version, asked.kernel_command_line) == (None, None, None, None)
    assert "rt_runtime_us" not in dict(run.facts)


def test_a_job_that_failed_makes_its_run_partial_with_its_sentence(jobs: Jobs, store: Store) -> None:
    jobs.sentence = "the job was killed"
    run = measured(store)
    assert run.status is RunStatus.PARTIAL and [problem.message for problem in run.problems] == ["the job was killed"]
    assert store.logs(run.id)["recorder.rec"] == RECORD


def test_a_run_whose_data_are_still_on_its_machine_is_left_to_recover(jobs: Jobs, store: Store) -> None:
    jobs.sentence, jobs.remains = "the store is full; the data are in /var/tmp/x", True
    with pytest.raises(NotFetched, match="when it answers and its disk has space, run `latlab runs recover rt-"):
        measured(store)
    (life,) = store.unfinished_runs()
    assert (life.phase, store.load(life.run_id).problems) == (NOT_FETCHED, ())


def test_a_machine_that_cannot_be_measured_begins_no_run(jobs: Jobs, store: Store) -> None:
    jobs.said["fifo"] = ""
    with pytest.raises(UsageError, match="the right to real-time priority 80; run as root"):
        measured(store)
    assert (store.runs(), jobs.asked) == ((), [])


def test_a_run_that_is_planned_says_what_is_known_before_its_target_is_asked() -> None:
    board, guest = planned_run(WORKLOAD, "Shelf 3"), planned_run(WORKLOAD, "")
    assert (board.campaign, board.target, board.platform, board.conditions.mode) == ("rt", "labgrid", "Shelf 3", Mode.REAL)
    assert (guest.target, guest.platform, guest.conditions.mode) == ("guest", "QEMU virt, PREEMPT_RT guest", Mode.DETERMINISTIC)
    for run in (board, guest):
        assert (run.topology.clusters, run.conditions.duration_s, run.facts) == ((1,), 1, (("instrument", "recorder"),))


def test_a_machine_behind_a_connection_is_the_target_by_its_name(jobs: Jobs, store: Store) -> None:
    class Board(Here):
        @property
        def address(self) -> Address:
            return Address("ssh", host="shelf")

    run_id = run_rt_linux(store, Board("shelf", "ssh", patience_s=180), WORKLOAD, lambda said: None)
    assert (store.load(run_id).target, store.load(run_id).platform) == ("ssh:shelf", "shelf, aarch64")
