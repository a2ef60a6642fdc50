# SPDX-License-Identifier: BSD-3-Clause
"""Slow: six hours at 200 us on four and on eight CPUs, every one of the 864,000,000 wake-ups through the recorder's bookkeeping; and
twenty SIGKILLs. In a chroot it records the kernel's events too."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.targets.recorder_binary import recorder_for
from support.recorder_hours import LIMIT_BYTES, OUTLIERS_KEPT, build, hours
from support.recorder_kills import kill_at, kill_times

pytestmark = pytest.mark.slow

SIX_HOURS_S = 6 * 3600


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("hours"))


@pytest.mark.parametrize("late", [250, 300_000], ids=["outliers in every second", "a flood from the start"])
@pytest.mark.parametrize("cpus", [4, 8])
def test_six_hours_stay_below_ten_megabytes(program: Path, tmp_path: Path, cpus: int, late: int) -> None:
    found = hours(program, tmp_path, cpus, SIX_HOURS_S, late)
    found.check()
    assert len(found.read.outliers) == OUTLIERS_KEPT or late == 250
    assert found.size_bytes < LIMIT_BYTES


@pytest.mark.realtime
@pytest.mark.parametrize("after_s", kill_times(20261121, 20))
def test_sigkill_at_any_moment_costs_at_most_the_second_that_was_under_way(tmp_path: Path, after_s: float) -> None:
    kill_at(recorder_for(os.uname().machine), tmp_path / "killed.rec", after_s).check()


@pytest.mark.realtime
def test_in_a_chroot_it_records_the_events_of_the_kernel_and_leaves_no_mount(tmp_path: Path) -> None:
    """The root of a chroot is no mount, so that it cannot be made private."""
    if os.geteuid() != 0:
        pytest.skip("it needs root")
    for folder in ("sys", "dev"):
        (tmp_path / folder).mkdir()
    shutil.copy(recorder_for(os.uname().machine), tmp_path / "recorder")
    mounts = Path("/proc/self/mounts").read_text()
    inside = f"exec chroot {tmp_path} /recorder -o /measured.rec -D 2 -i 1000 -t 1 -k /events.bin"
    script = f"mount -t sysfs sysfs {tmp_path}/sys && mount --bind /dev {tmp_path}/dev && {inside}"
    subprocess.run(["unshare", "-m", "sh", "-c", script], check=True)
    events = read_kernel_events((tmp_path / "events.bin").read_bytes(), "events")
    assert events.traced
    assert events.closed == () and Path("/proc/self/mounts").read_text() == mounts
