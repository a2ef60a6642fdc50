# SPDX-License-Identifier: BSD-3-Clause
"""What the job reads beside the wake-ups, on a board whose /proc, modules and tracefs are folders of the test's."""

import gzip
import re
from pathlib import Path

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.readers.event_table import event_table
from latlab.core.targets.linux.machine import Here
from latlab.rt.campaign.results import result_of
from latlab.rt.readers.el3_records import El3Records, read_all
from latlab.rt.targets.board_sources import Sources, before, source_facts
from latlab.rt.targets.detached_job import JobEnd, run_detached
from latlab.rt.targets.rt_job import Instrument, Workload, script
from support.places import RT_DATA
from support.runs import run_with

WORKLOAD = Workload(1, "idle", Instrument.RECORDER)
TRNG = 0xC4000053
INFO = f"events={event_table().hash} clock_hz=1000000000 capture_mticks=875\n"


class Board:
    """Its recorder is a shell script; `insmod` and `rmmod` make and remove the folder that the module would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.el3 = folder / "proc"
        self.work = folder / "work"
        self.work.mkdir()
        refuse = f'[ "$1" = {folder}/good.ko ] || {{ echo "cannot insert $1: Exec format error" >&2; exit 1; }}'
        self._program("insmod", f"{refuse}\nmkdir {self.el3}\ncp {folder}/module/* {self.el3}")
        (folder / "module").mkdir()
        (folder / "module" / "info").write_text(INFO)
        (folder / "module" / "new_records").write_text("core 0.0 cpu=0 next=0 oldest=0\n")
        self._program("rmmod", f"echo $1 >>{folder}/removed\nrm -r {self.el3}")

    def _program(self, name: str, body: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (self.folder / name).chmod(0o755)

    def trace(self, *functions: str) -> Path:
        """A tracefs that can probe these functions of the kernel; the folder of the job's own instance."""
        place = self.folder / "sys" / "tracing"
        (place / "instances").mkdir(parents=True)
        (place / "kprobe_events").touch()
        (self.folder / "kallsyms").write_text("".join(f"ffff0000 t {name}\n" for name in functions))
        return place / "instances" / "latlab"

    def load_module(self, records: str) -> None:
        self.el3.mkdir()
        (self.el3 / "new_records").write_text(records)
        (self.el3 / "info").write_text(INFO)

    def run(self, sources: Sources, recorder: str, limit_s: float = 60) -> tuple[JobEnd, dict[str, bytes]]:
        self._program("recorder", recorder)
        steps = before(sources, str(self.work)).replace("/proc/latlab_el3", str(self.el3))
        steps = steps.replace("/sys/kernel/", f"{self.folder}/sys/").replace("insmod ", f"{self.folder}/insmod ")
        steps = steps.replace("/proc/kallsyms", f"{self.folder}/kallsyms")
        events = "$T/instances/latlab/events/latlab/crng_reseed"
        made = f"{{ mkdir $T/instances/latlab && mkdir -p {events} && : >{events}/trigger; }}"
        steps = steps.replace("mkdir $T/instances/latlab", made)
        steps = steps.replace("rmmod ", f"{self.folder}/rmmod ")
        text = f"OUT={self.work}/out\nmkdir -p $OUT\n" + script(WORKLOAD, str(self.folder / "recorder"), steps)
        end = run_detached(Here(), str(self.work), text, "", 0, limit_s)
        return end, {path.name: path.read_bytes() for path in (self.work / "out").iterdir()}


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


def _ring(first: int, count: int) -> str:
    """A ring of CPU 0: a TRNG call each ten ticks, of which it holds the last `count` records."""
    lines = [f"core 0.0 cpu=0 next={first + count} oldest={first}"]
    for sequence in range(first, first + count):
        lines.append(f"{sequence} {sequence * 5} {15 + sequence % 2} {TRNG if sequence % 2 == 0 else 0:x}")
    return "\n".join(lines) + "\n"


def _read(files: dict[str, bytes]) -> El3Records:
    return read_all(files["el3-records.txt"].decode(), event_table(), "x")


def test_a_ring_that_is_overwritten_during_the_run_is_read_in_time(board: Board) -> None:
    """The ring moves on by six of its eight records each time that somebody has read it: no single read has them all."""
    board.load_module(_ring(100, 8))
    follow = f"""\
reads() {{ grep -c ^read {board.work}/out/el3-records.txt; }}
for first in 106 112 118; do
    enough=$(($(reads) + 2))
    mv {board.folder}/ring.$first {board.el3}/new_records
    while [ $(reads) -lt $enough ]; do sleep 0.1; done
done"""
    for first in (106, 112, 118):
        (board.folder / f"ring.{first}").write_text(_ring(first, 8))
    end, files = board.run(Sources(), follow)
    assert end == JobEnd(0)
    read = _read(files)
    assert [record.sequence for record in read.traces[0].records] == list(range(108, 126))
    assert read.lost == 0 and len(read.calls()) == 9
    assert dict(source_facts(files))["EL3 rings"] == "read every 1 s"


def test_what_was_overwritten_between_two_reads_is_counted(board: Board) -> None:
    board.load_module(_ring(0, 8))
    (board.folder / "later").write_text(_ring(50, 8))
    follow = f"""\
while [ $(grep -c ^read {board.work}/out/el3-records.txt) -lt 2 ]; do sleep 0.1; done
mv {board.folder}/later {board.el3}/new_records"""
    _, files = board.run(Sources(), follow)
    read = _read(files)
    assert read.lost == 42 and read.gaps == {0: ((0, 250),)}
    assert files["el3-records.txt"].count(b"read\n") >= 3, "while it is measured, and when nothing else reads any more"


def test_a_module_that_was_brought_is_taken_out_again(board: Board) -> None:
    end, files = board.run(Sources(f"{board.folder}/good.ko"), "true")
    assert end == JobEnd(0) and "el3-info.txt" in files
    assert (board.folder / "removed").read_text() == "latlab_el3\n"


def test_a_module_that_was_there_stays(board: Board) -> None:
    board.load_module(_ring(0, 2))
    board.run(Sources(f"{board.folder}/good.ko"), "true")
    assert not (board.folder / "removed").exists()


def test_a_job_that_is_stopped_takes_everything_down_too(board: Board) -> None:
    measure = f"trap 'kill $!; exit 0' TERM; sleep 600 & kill -TERM $(cat {board.work}/pid); wait"
    end, files = board.run(Sources(f"{board.folder}/good.ko"), measure)
    assert end == JobEnd(143) and (board.folder / "removed").exists() and "el3-records.txt" in files


def test_probes_are_on_while_it_is_measured_and_off_and_gone_afterwards(board: Board) -> None:
    instance = board.trace("crng_reseed", "smccc_trng_read")
    end, files = board.run(Sources(), f"cat {instance}/events/latlab/enable >{board.work}/out/enabled.txt; echo one >{instance}/trace")
    assert end == JobEnd(0)
    assert files["enabled.txt"] == b"1\n" and (instance / "events/latlab/enable").read_text() == "0\n"
    assert (instance / "trace_clock").read_text() == "mono\n" and files["ftrace.txt"] == b"one\n"
    assert (instance / "events/latlab/crng_reseed/trigger").read_text() == "stacktrace\n"
    assert dict(source_facts(files))["kernel probes"] == "crng_reseed hwrng"
    said = (instance.parents[1] / "kprobe_events").read_text().splitlines()
    assert {line for line in said if line.startswith("-")} == {
        "-:latlab/crng_reseed",
        "-:latlab/crng_reseed_done",
        "-:latlab/hwrng",
        "-:latlab/hwrng_done",
    }


def test_a_kernel_without_these_functions_has_no_probes_and_says_so(board: Board) -> None:
    instance = board.trace()
    _, files = board.run(Sources(), "true")
    assert dict(source_facts(files))["kernel probes"] == "not read: none of the functions can be probed"
    assert not (instance / "events/latlab/enable").exists()


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (Sources(), "not read: the module is not loaded and --smc-module was not given"),
        (Sources("/wrong.ko"), "not read: the module was not loaded: cannot insert /wrong.ko: Exec format error"),
    ],
)
def test_rings_that_cannot_be_read_cost_nothing_else_and_are_said(board: Board, sources: Sources, said: str) -> None:
    end, files = board.run(sources, "echo measured >$2")
    assert end == JobEnd(0) and files["recorder.rec"] == b"measured\n"
    assert dict(source_facts(files))["EL3 rings"] == said
    assert "el3-records.txt" not in files and "el3-info.txt" not in files


def test_probes_that_cannot_be_set_are_said(board: Board) -> None:
    _, files = board.run(Sources(), "true")
    assert dict(source_facts(files))["kernel probes"] == "not read: tracefs has no kprobe_events that can be written"
    assert "ftrace.txt" not in files


def test_a_trace_instance_of_another_run_is_left_alone(board: Board) -> None:
    instance = board.folder / "sys/tracing/instances/latlab"
    instance.mkdir(parents=True)
    (instance.parents[1] / "kprobe_events").touch()
    _, files = board.run(Sources(), "true")
    assert "exists already" in dict(source_facts(files))["kernel probes"]
    assert instance.is_dir() and (instance.parents[1] / "kprobe_events").read_bytes() == b""


def test_probes_that_are_not_wanted_are_said(board: Board) -> None:
    _, files = board.run(Sources(probes=False), "true")
    assert dict(source_facts(files))["kernel probes"] == "not read: switched off by --no-probes"


def _guest_files() -> dict[str, bytes]:
    files = {name: (RT_DATA / name).read_bytes() for name in ("el3-records.txt", "ftrace.txt")}
    return files | {"recorder.rec": gzip.decompress((RT_DATA / "recorder.rec.gz").read_bytes()), "el3-info.txt": INFO.encode()}


def test_rings_read_several_times_blame_the_same_as_one_read() -> None:
    files = _guest_files()
    head, *records = files["el3-records.txt"].decode().splitlines()
    first, second = "\n".join(records[:60]), "\n".join(records[50:])
    text = f"{re.sub('next=.*', 'next=0 oldest=0', head)}\nread\n{head}\n{first}\nread\n{head}\n{second}\n"
    several = result_of(run_with(), files | {"el3-records.txt": text.encode()})
    assert several.attributed == result_of(run_with(), files).attributed and several.problems == ()
    assert any(entry.blame.name == "TRNG_RND" for entry in several.attributed or ())


def test_without_the_firmwares_rings_the_kernels_own_work_is_still_blamed() -> None:
    files = _guest_files()
    del files["el3-records.txt"], files["el3-info.txt"]
    found = result_of(run_with(), files)
    blamed = {(entry.blame.kind, entry.blame.name) for entry in found.attributed or () if entry.explained}
    assert blamed == {(BlameKind.KERNEL, "crng_reseed")}
    assert found.exposure == ()


def test_with_no_source_at_all_nothing_is_blamed() -> None:
    files = {"recorder.rec": _guest_files()["recorder.rec"]}
    assert result_of(run_with(), files).attributed is None
