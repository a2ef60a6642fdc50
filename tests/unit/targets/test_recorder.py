# SPDX-License-Identifier: BSD-3-Clause
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latlab.analysis.wakeups.wakeup import disagreement
from latlab.errors import DataError
from latlab.formats.wakeups.recorder import HEADER, read_record
from latlab.targets.linux.recorder_binary import recorder_for
from support import recorder_files as files
from support.real_time import needs_rights
from support.recorder_kills import kill_at, kill_times

LATE = (files.START_NS + 500_000_000, 343_750_000, 450_000, 1, 2)


@given(st.lists(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=40), min_size=1, max_size=3))
@settings(max_examples=30, deadline=None)
def test_what_was_measured_comes_back(samples: list[list[int]]) -> None:
    read = read_record(files.whole(samples), "x")
    for cpu, values in zip(read.cpus, samples, strict=True):
        assert (cpu.got, cpu.min_ns, cpu.max_ns) == (len(values), min(values), max(values))
        assert cpu.histogram is not None and cpu.histogram.total == len(values)
        median = sorted(values)[(len(values) - 1) // 2]
        found = cpu.histogram.percentile_ns(50)
        assert found is not None and median <= found <= median + max(median // 64, 1)


def test_the_later_checkpoint_counts_and_a_damaged_one_does_not() -> None:
    data = bytearray(files.whole([[1000, 2000]]))
    assert read_record(bytes(data), "x").cpus[0].got == 2
    data[-20] ^= 1
    read = read_record(bytes(data), "x")
    assert read.cpus[0].got == 0 and not read.complete
    assert any("was killed" in problem for problem in read.problems)


@given(st.integers(0, len(files.whole([[5]], [LATE, LATE])) - 1))
@settings(max_examples=60, deadline=None)
def test_a_file_cut_anywhere_is_read_or_refused_with_a_sentence(length: int) -> None:
    data = files.whole([[5]], [LATE, LATE])[:length]
    try:
        read = read_record(data, "cut.rec")
    except DataError as error:
        assert str(error).startswith("cut.rec: ")
        return
    assert read.outliers == () and (length == len(files.whole([[5]])) or not read.complete)


def test_outliers_keep_their_time_and_cpu_and_join_the_counter() -> None:
    read = read_record(files.whole([[5], [6]], [LATE]), "x")
    (outlier,) = read.outliers
    assert (outlier.cpu, outlier.late_ns, outlier.missed, outlier.wake_ticks) == (1, 450_000, 2, 343_750_000)
    assert read.ticks_of(outlier.wake_ns) == outlier.wake_ticks


def test_outliers_that_the_last_checkpoint_counts_and_the_file_has_not_are_missed() -> None:
    """A file cut exactly between two batches looks whole but for that number."""
    cut = (
        files.header(1)
        + files.slot(1, [files.tally([])], False)
        + files.slot(2, [files.tally([5])], True, outliers=3)
        + files.batch([LATE])
    )
    read = read_record(cut, "x")
    assert not read.complete and "2 of 3 outliers are cut off" in read.problems[0]


def test_another_file_is_refused() -> None:
    with pytest.raises(DataError, match="not with the mark"):
        read_record(b"# Histogram\n", "h.txt")


@pytest.mark.parametrize("head", [files.header(1, sub_bits=4_000_000_000), files.header(1, duration_ns=1, interval_ns=0)])
def test_a_header_of_absurd_sizes_is_refused_although_its_checksum_is_right(head: bytes) -> None:
    with pytest.raises(DataError, match="another version"):
        read_record(head + files.slot(1, [files.tally([5])], True), "x")


@pytest.fixture(scope="module")
def program() -> Path:
    return recorder_for(os.uname().machine)


def _wait_for(path: Path, sequence: int) -> None:
    """Until the file holds a checkpoint of at least this number."""
    for _ in range(600):
        try:
            if any(f"checkpoint {n} " in p for n in range(sequence, sequence + 50) for p in read_record(path.read_bytes(), "x").problems):
                return
        except (DataError, OSError):
            pass
        time.sleep(0.05)
    pytest.fail("the recorder wrote no checkpoint")


@needs_rights
def test_a_killed_recorder_loses_nothing_that_was_checkpointed(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-I"])
    _wait_for(path, 2)
    before = read_record(path.read_bytes(), "x")
    process.kill()
    process.wait()
    after = read_record(path.read_bytes(), "killed.rec")
    assert not after.complete and "was killed" in after.problems[0]
    assert after.end_ns is not None and before.end_ns is not None and after.start_ns is not None and after.end_ns >= before.end_ns
    for old, new in zip(before.cpus, after.cpus, strict=True):
        assert new.got >= old.got and disagreement(new) == ""


@needs_rights
@pytest.mark.parametrize("after_s", kill_times(1, 3))
def test_a_recorder_killed_at_a_random_moment_has_every_checkpoint_that_was_due(program: Path, tmp_path: Path, after_s: float) -> None:
    kill_at(program, tmp_path / "killed.rec", after_s).check()


@needs_rights
def test_checkpoints_are_a_second_apart_on_the_recorders_own_clock(program: Path, tmp_path: Path) -> None:
    """So that at most a second is lost. A machine that is held up may make one late, but never early and never leave one out."""
    path = tmp_path / "paced.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-D", "3", "-I"])
    assert process.wait() == 0
    read = read_record(path.read_bytes(), "x")
    data = path.read_bytes()
    sequences = [struct.unpack_from("<Q", data, HEADER.size + index * _slot_bytes(data))[0] for index in (0, 1)]
    assert sorted(sequences) == [2, 3] and read.complete


def _slot_bytes(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 12)[0])


@needs_rights
def test_a_recorder_told_to_stop_writes_a_last_checkpoint(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "stopped.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-I"])
    _wait_for(path, 1)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    assert read_record(path.read_bytes(), "x").complete


@needs_rights
def test_a_recorder_that_is_stopped_for_a_while_counts_what_it_missed(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "late.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-I"])
    _wait_for(path, 1)
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    process.send_signal(signal.SIGCONT)
    _wait_for(path, 2)
    process.terminate()
    assert process.wait() == 0
    read = read_record(path.read_bytes(), "x")
    for cpu in read.cpus:
        assert cpu.missed is not None and cpu.missed >= 400
        assert cpu.implied is not None and cpu.implied.total == cpu.missed
        assert any(outlier.missed >= 400 and outlier.cpu == cpu.cpu for outlier in read.outliers)


def test_wrong_options_are_refused_with_a_sentence(program: Path) -> None:
    for options in (["-o", "/tmp/x", "-D", "0"], ["-o", "/tmp/x", "-a", "5-2"], ["-o", "/tmp/x", "-p", "100"], []):
        done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.startswith(("latlab-recorder: -", "usage: "))


@needs_rights
def test_a_file_that_cannot_be_written_is_said_before_anything_is_measured(program: Path) -> None:
    done = subprocess.run([program, "-o", "/nonexistent/x", "-D", "1", "-I"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "cannot write /nonexistent/x" in done.stderr
