# SPDX-License-Identifier: BSD-3-Clause
"""A sweep on Dask with two workers gives the bytes of one process, also if a worker dies in the middle; without its scheduler it ends in a
sentence, and the next one gives the same bytes. A history on Dask goes on beside a build and a firmware that hang."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.repositories import commit, new_repository

pytest.importorskip("distributed", reason="`make setup-dev` installs it")
pytestmark = [pytest.mark.slow, pytest.mark.firmware]

PATIENCE_S = 3600
MEASURED = ("--build", "sh build.sh", "--firmware", "out/firmware.bin", "--machine", "virt", "--symbols", "out/firmware.elf")
LIMITS = ("--iterations", "1", "--build-timeout", "5", "--timeout", "120", "--silence", "10")
BRANCH_TO_ITSELF = "\\000\\000\\000\\024"
"""The instruction `b .` as printf writes it."""
SWEEP = ("whatif", "--cores", "16,48,96", "--cluster", "1,2,4,8", "--lock", "ticket", "--lock", "bakery", "--format", "json")


def _python(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", *words)


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(_python(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)


def address_in(file: Path) -> str:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if file.exists() and (text := file.read_text()):
            return str(json.loads(text)["address"])
        time.sleep(0.1)
    raise TimeoutError(file)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]]:
    file = folder / "scheduler.json"
    where = ("--scheduler-file", str(file))
    with running("dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *where) as scheduler:
        address = address_in(file)
        worker = ("dask", "worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder), *where)
        with running(*worker) as first, running(*worker) as second:
            wait_for_workers(address, 2)
            yield address, scheduler, [first, second]


def wait_for_workers(address: str, count: int) -> None:
    import distributed

    with distributed.Client(address, timeout=PATIENCE_S, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=PATIENCE_S)


def start(*more: str) -> subprocess.Popen[bytes]:
    return latlab(*SWEEP, *more)


def latlab(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(_python("latlab", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})


def jobs_of(worker: subprocess.Popen[bytes]) -> int:
    """Processor time of a worker and its children, in ticks of the kernel."""
    fields = Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


def wait_until_busy(worker: subprocess.Popen[bytes]) -> None:
    """It has begun to work on the sweep: its processor time grows by far more than a heartbeat takes."""
    before, until = jobs_of(worker), time.monotonic() + PATIENCE_S
    while jobs_of(worker) < before + os.sysconf("SC_CLK_TCK"):
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture(name="alone", scope="module")
def fixture_alone() -> bytes:
    done = start()
    out, err = done.communicate(timeout=PATIENCE_S)
    assert done.returncode == 0, err
    return out


def test_two_workers_give_the_bytes_of_one_machine_though_one_dies_in_the_middle(tmp_path: Path, alone: bytes) -> None:
    with cluster(tmp_path) as (address, _, workers):
        sweep = start("--dask", address)
        wait_until_busy(workers[0])
        workers[0].send_signal(signal.SIGKILL)
        out, err = sweep.communicate(timeout=PATIENCE_S)
        assert (sweep.returncode, out) == (0, alone), err


def test_a_scheduler_that_dies_is_one_sentence_and_the_next_one_gives_the_same_bytes(tmp_path: Path, alone: bytes) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    with cluster(tmp_path / "first") as (address, scheduler, workers):
        sweep = start("--dask", address)
        wait_until_busy(workers[0])
        scheduler.send_signal(signal.SIGKILL)
        out, err = sweep.communicate(timeout=PATIENCE_S)
    sentence, fields = err.splitlines()
    assert (sweep.returncode, out) == (3, b"") and sentence.startswith(b"latlab: the Dask cluster did not finish"), err
    assert json.loads(fields)["error"]["exit_code"] == 3
    with cluster(tmp_path / "second") as (address, _, _):
        again = start("--dask", address)
        out, err = again.communicate(timeout=PATIENCE_S)
        assert (again.returncode, out) == (0, alone), err


def history_of(repository: Path, store: Path, *more: str) -> tuple[str, bytes]:
    """The series without the ids of its runs, and what was said."""
    words = ("history", "cpu_off_serial/powerdown/core-0.1", "HEAD~4..HEAD", "--repo", str(repository), "--store", str(store))
    done = latlab(*words, *MEASURED, *LIMITS, "--format", "json", *more)
    out, err = done.communicate(timeout=PATIENCE_S)
    assert done.returncode == 0, err
    return re.sub(r"psci-[0-9a-f]+", "ID", out.decode()), err


def test_a_build_and_a_firmware_that_hang_cost_a_history_on_two_workers_their_own_figures_only(tmp_path: Path) -> None:
    images = find_images(Topology((4,)), "psci_calls").folder
    copied = "mkdir out && cp {0}/firmware.bin {0}/firmware.elf out"
    slower = copied.format(images.with_name("qemu_virt-hardened"))
    steps = [copied.format(images), "sleep 3600", f"{slower} && printf '{BRANCH_TO_ITSELF}' >out/firmware.bin", slower, slower]
    repository = new_repository(tmp_path / "theirs")
    commit(repository, "before", {"build.sh": "false\n"})
    for number, step in enumerate(steps):
        commit(repository, f"change {number}", {"build.sh": f"{step} # {number}\n"})
    alone, _ = history_of(repository, tmp_path / "alone.db")
    with cluster(tmp_path) as (address, *_):
        spread, err = history_of(repository, tmp_path / "spread.db", "--dask", address)
    assert spread == alone
    (series,) = json.loads(alone)["series"]
    assert len(series["points"]) == 3 and len(series["changes"]) == 1
    assert b"the build took more than" in err and b"change 1" in err and b"change 2" in err, err
