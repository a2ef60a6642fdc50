# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.errors import DataError
from latlab.rt.analysis.wakeup import percentile_ns
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.recorder_binary import guest_sources, recorder_for, wire_sources
from support import recorder_files as files
from support.examples import examples
from support.places import ROOT

LATE = (files.START_NS + 500_000_000, 343_750_000, 450_000, 1, 2)


@given(st.lists(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=40), min_size=1, max_size=3))
@examples(30)
def test_what_was_measured_comes_back(samples: list[list[int]]) -> None:
    read = read_record(files.whole(samples), "x")
    for cpu, values in zip(read.cpus, samples, strict=True):
        assert (cpu.got, cpu.minimum_ticks, cpu.maximum_ticks) == (len(values), min(values), max(values))
        assert cpu.counted == len(values)
        median = sorted(values)[(len(values) - 1) // 2]
        found = percentile_ns(cpu, 50)
        assert found is not None and median <= found <= median + max(median // 64, 1)


def test_the_later_checkpoint_counts_and_a_damaged_one_does_not() -> None:
    data = bytearray(files.whole([[1000, 2000]]))
    assert read_record(bytes(data), "x").cpus[0].got == 2
    data[-20] ^= 1
    read = read_record(bytes(data), "x")
    assert read.cpus[0].got == 0 and not read.complete
    assert any("was killed" in problem for problem in read.problems)


@given(st.integers(0, len(files.whole([[5]], [LATE, LATE])) - 1))
@examples(60)
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


AT_NS = files.START_NS + 3_214_000_000


def ended(cpus: int = 1, outliers: tuple[tuple[int, int, int, int, int], ...] = (), **of_slot: int) -> Wakeups:
    """A file of ten seconds' order that ended at AT_NS."""
    tallies = [files.tally([5000] * 3) for _ in range(cpus)]
    last = files.slot(2, tallies, True, now_ns=AT_NS, outliers=len(outliers), **of_slot)
    head = files.header(cpus, duration_ns=10_000_000_000) + files.slot(1, tallies, False)
    return read_record(head + last + (files.batch(list(outliers)) if outliers else b""), "x")


def test_a_recorder_that_a_signal_or_a_full_disk_ended_is_not_whole() -> None:
    assert ended().problems == ()
    assert ended(stopped_by=15).problems == ("x: signal 15 ended the recorder after 3.2 s of 10 s",)
    full = "x: the recorder ended after 3.2 s of 10 s, because it could not write: No space left on device"
    assert ended(write_error=28).problems == (full,)


def test_a_recorder_that_was_stopped_and_continued_says_for_how_long_if_no_cpu_went_on() -> None:
    """SIGCONT alone stops nothing: a CPU that woke in time at that moment disproves a stop. It is noted before or behind the wake-ups."""
    stopped = [(AT_NS, 0, 2_000_000_000, cpu, 9999) for cpu in (0, 1)]
    continued_ns = AT_NS - 50_000
    (sentence,) = ended(2, tuple(stopped), continued_ns=continued_ns).problems
    assert sentence == "x: a signal stopped the recorder for about 1,999,950 µs, until 3.214 s after its start (SIGCONT)"
    assert len(ended(2, tuple(stopped), continued_ns=AT_NS + 3_000_000).problems) == 1
    assert ended(2, (stopped[0],), continued_ns=continued_ns).problems == ()
    assert ended(2, tuple(stopped), continued_ns=AT_NS + 1_500_000_000).problems == ()


@pytest.mark.parametrize("cpus", [1, 3])
def test_a_cpu_that_its_thread_left_ends_there_and_names_the_moment(cpus: int) -> None:
    """Whichever CPU it was: the others are whole."""
    for gone in range(cpus):
        tallies = [files.tally([5000] * 4, left=(AT_NS, 7) if cpu == gone else (0, 0)) for cpu in range(cpus)]
        head = files.header(cpus, duration_ns=800_000) + files.slot(1, tallies, False)
        read = read_record(head + files.slot(2, tallies, True), "x")
        (sentence,) = read.problems
        assert f"moved the thread of CPU {gone} to CPU 7, 3.214 s after the start" in sentence
        assert [cpu.expected for cpu in read.cpus] == [4] * cpus and [cpu.got for cpu in read.cpus] == [4] * cpus


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


def test_wrong_options_are_refused_with_a_sentence(program: Path) -> None:
    for options in (["-o", "/tmp/x", "-D", "0"], ["-o", "/tmp/x", "-a", "5-2"], ["-o", "/tmp/x", "-p", "100"], []):
        done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.startswith(("latlab-recorder: -", "usage: "))


def test_the_package_carries_all_that_the_recorder_is_built_from() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    carried = build["targets"]["wheel"]["force-include"]
    for sources in (guest_sources(), wire_sources()):
        where = sources.relative_to(ROOT).as_posix()
        assert carried[where] == f"latlab/catalog/{where}"
