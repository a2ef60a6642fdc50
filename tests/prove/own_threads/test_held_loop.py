# SPDX-License-Identifier: BSD-3-Clause
"""A loop whose control group holds it off its CPU while others use that CPU: what its overruns are named after, live."""

from __future__ import annotations

import os
import shutil
import subprocess
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.store.store import open_store
from latlab.rt.analysis.cycles import explained_overruns
from latlab.rt.analysis.thread_report import ThreadReporter
from latlab.rt.analysis.thread_spans import follow, matching
from latlab.rt.readers.live_trace import read_live_trace
from latlab.rt.readers.quotas import throttled_threads
from latlab.rt.targets.recorder_binary import FLAGS
from support.command import latlab

pytestmark = [pytest.mark.slow, pytest.mark.realtime]

SOURCE = Path(__file__).parent / "held_loop.c"
CONTROLLER = Path("/sys/fs/cgroup/cpu")
INSTANCES = Path("/sys/kernel/tracing/instances")
PERIOD_US, LIMIT_US, CYCLES, PERIOD_NS = 100_000, 12_000, 600, 5_000_000
LIMITS = {"quota": ("cpu.cfs_period_us", "cpu.cfs_quota_us", 0), "real-time": ("cpu.rt_period_us", "cpu.rt_runtime_us", 50)}
RIGHT = {"quota": {BlameKind.QUOTA, BlameKind.THROTTLED}, "real-time": {BlameKind.THROTTLED}}
NOT_NAMED = {BlameKind.UNEXPLAINED, BlameKind.CYCLE_BEFORE, BlameKind.AWAY}
SAME_END_NS = 2_000_000
LEAST_RIGHT = 0.8


@contextmanager
def control_group(limit: str) -> Iterator[Path]:
    period, runtime, _ = LIMITS[limit]
    group = CONTROLLER / f"latlab-held-{os.getpid()}"
    if not (CONTROLLER / period).is_file():
        pytest.skip(f"{CONTROLLER} has no {period}")
    group.mkdir()
    try:
        (group / period).write_text(str(PERIOD_US))
        (group / runtime).write_text(str(LIMIT_US))
        yield group
    finally:
        group.rmdir()


@pytest.mark.parametrize("load", ["while :; do :; done & while :; do :; done", ""])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_loop_that_its_control_group_holds_accuses_no_thread_that_ran_meanwhile(limit: str, load: str, tmp_path: Path) -> None:
    if os.geteuid() != 0 or not INSTANCES.is_dir() or shutil.which("cc") is None:
        pytest.skip("it needs root, a C compiler and a tracefs at /sys/kernel/tracing")
    program, address = tmp_path / "held_loop", str(tmp_path / "runs.db")
    subprocess.run(["cc", *FLAGS, str(SOURCE), "-o", str(program)], check=True)
    with control_group(limit) as group:
        loop = (str(program), str(group / "tasks"), str(LIMITS[limit][2]), str(CYCLES))
        run = latlab("run", "rt", "-D", "60s", *(["--load", load] if load else []), "--store", address, "--", *loop)
    assert run.returncode == 0 or "have no recorded end" in run.stderr, run.stderr
    files = open_store(address).logs("last")
    live = read_live_trace(files)
    (thread,) = follow(live.trace, matching(("held_loop",)))
    held = throttled_threads(live.notes.counts, live.notes.groups, live.pids)
    assert (thread.thread.pid in held) is (limit == "quota")
    cycles = ThreadReporter(live.trace, False, held).report(thread, 100_000, PERIOD_NS).cycles
    assert cycles is not None
    overruns = explained_overruns(cycles)
    ends = [overrun.outlier.wake_ns for overrun in overruns]
    right = planted = 0
    for line in files["command.out"].decode().splitlines():
        end_ns, gone_ns = map(int, line.split())
        at = bisect_left(ends, end_ns)
        if gone_ns == 0 or at == len(ends) or ends[at] - end_ns > SAME_END_NS:
            continue
        kind = overruns[at].blame.kind
        planted += kind is not BlameKind.CYCLE_BEFORE
        right += kind in RIGHT[limit]
        assert kind in RIGHT[limit] | NOT_NAMED, overruns[at]
    assert planted > 20 and right >= LEAST_RIGHT * planted
