# SPDX-License-Identifier: BSD-3-Clause
"""The job's script with each load on this machine: what measures is a script here, so that no right to real-time priority is needed."""

import os
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.rt.campaign.results import busy_facts, work_of_load
from latlab.rt.targets import rt_job
from latlab.rt.targets.linux import _complaint
from latlab.rt.targets.rt_job import LOADS, Instrument, Workload, script
from support.slow_but import slow_but

MEASURES = """#!/bin/sh
# Notes every process, twice, and those that the job has started. A machine that others keep busy gives them their turn late.
note() {
    cat /proc/[0-9]*/stat 2>/dev/null >$OUT/$1.txt
}
grep -ls "LATLAB_TEST=$LATLAB_TEST" /proc/[0-9]*/environ >$OUT/started.txt
sessions=$(sed 's/[^0-9]//g' $OUT/started.txt | tr '\\n' ' ')
worked() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/x/' | awk -v all="$sessions" '
        BEGIN { split(all, list, " "); for (i in list) ours[list[i]] = 1 }
        $6 in ours { ticks += $14 + $15 }
        END { print ticks + 0 }'
}
note first
before=$(worked)
for second in $SECONDS_AT_MOST; do
    sleep 1
    [ "$(worked)" -le "$before" ] || break
done
note second
exit 0
"""


class Job:
    def __init__(self, folder: Path, load: str, most_s: int = 1) -> None:
        self.mark = uuid.uuid4().hex
        self.out = folder / "out"
        self.out.mkdir()
        program = folder / "measures"
        program.write_text(MEASURES)
        program.chmod(0o755)
        environment = {**os.environ, "LATLAB_TEST": self.mark, "OUT": str(self.out), "SECONDS_AT_MOST": "x " * most_s}
        text = script(Workload(1, load, Instrument.RECORDER), str(program))
        self.status = subprocess.run(["sh", "-c", text], env=environment, stdout=subprocess.DEVNULL, check=False).returncode
        self.files = {path.name: path.read_bytes() for path in self.out.iterdir()}

    def ticks(self, name: str) -> dict[str, int]:
        """Processor time by program of the sessions that the job began: its loads."""
        found: dict[str, int] = {}
        for line in self.files[f"{name}.txt"].decode().splitlines():
            program, rest = line.partition("(")[2].rpartition(")")[0], line.rpartition(")")[2].split()
            if rest[3] in self.started:
                found[program] = found.get(program, 0) + int(rest[11]) + int(rest[12])
        return found

    @property
    def started(self) -> set[str]:
        return {line.split("/")[2] for line in self.files["started.txt"].decode().splitlines()}

    def left(self) -> list[str]:
        return [path.parent.name for path in Path("/proc").glob("[0-9]*/environ") if f"LATLAB_TEST={self.mark}".encode() in _bytes(path)]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("load", slow_but((name for name, command in LOADS.items() if command), "cpu", "hwrng", "spin"))
def test_a_load_works_while_it_is_measured_and_is_gone_afterwards(load: str, tmp_path: Path) -> None:
    program = "sh" if load == "spin" else LOADS[load].split()[0]
    if shutil.which(program) is None or (load == "hwrng" and not os.access("/dev/hwrng", os.R_OK)):
        pytest.skip(f"this machine has no {program}" if load != "hwrng" else "this machine has no /dev/hwrng")
    job = Job(tmp_path, load, 1 if load == "hwrng" else 10)
    assert job.status == 0, job.files.get("load.err")
    before, after = job.ticks("first"), job.ticks("second")
    assert any(name.startswith(program) for name in after)
    if load != "hwrng":  # a generator outside the CPU leaves the reader waiting
        assert sum(after.values()) > sum(before.values())
    assert job.left() == []
    assert len(busy_facts(job.files)) == 1


def test_without_a_load_nothing_but_the_measurement_runs(tmp_path: Path) -> None:
    job = Job(tmp_path, "idle")
    assert job.status == 0 and job.ticks("second") == {} and job.left() == []


@pytest.mark.parametrize("command", ["true", "false", "sleep 0.1"])
def test_a_load_that_ends_before_the_measurement_does_is_said(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rt_job.LOADS, "short", command)
    job = Job(tmp_path, "short")
    assert job.status == 4
    assert _complaint(job.files, job.status) == "the measurement ended with status 4: the load had ended before the measurement did"


def test_an_unknown_load_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UsageError, match="use one of cpu, hackbench, memory, syscalls, hwrng, spin, idle"):
        script(Workload(1, "everything"), "recorder")


def test_a_command_of_the_users_own_is_a_load_with_its_shell_words(tmp_path: Path) -> None:
    job = Job(tmp_path, f"while :; do echo $$ >{tmp_path}/at; done | cat")
    assert job.status == 0 and (tmp_path / "at").exists() and job.left() == []


@pytest.mark.skipif(shutil.which("stress-ng") is None, reason="this machine has no stress-ng")
def test_stress_ng_says_what_it_did_also_behind_another_command(tmp_path: Path) -> None:
    job = Job(tmp_path, "taskset -c 0 stress-ng --cpu 1 --vm 1 --vm-bytes 8M")
    work = {one.name: one.per_second for one in work_of_load(job.files)}
    assert job.status == 0 and job.left() == [] and set(work) == {"cpu", "vm"} and work["cpu"] > 0


def test_what_a_load_did_is_not_known_where_its_file_is_damaged_or_was_never_written() -> None:
    whole = b"metrics:\n    - stressor: cpu\n      bogo-ops: 50\n      wall-clock-time: 2.0\n"
    assert [one.per_second for one in work_of_load({"load.yaml": whole})] == [25.0]
    of_0_19 = b"---\nbuild-info:\n      compiler: 'gcc'\nsource-date-epoch: 1\n      stdc-version: '1'\n\n"
    assert [one.per_second for one in work_of_load({"load.yaml": of_0_19 + whole})] == [25.0]
    for data in (b"", b"---\n...\n", whole[:40], b"\xff\x00", b"metrics: 7", whole.replace(b"2.0", b"0.0")):
        assert work_of_load({"load.yaml": data}) == ()


def test_how_busy_the_cpus_were_is_not_told_where_the_job_did_not_get_that_far() -> None:
    line = b"cpu  100 0 50 1000 10 0 0 0 0 0\n"
    assert busy_facts({"cpu-time.txt": line}) == () and busy_facts({}) == () and busy_facts({"cpu-time.txt": line + b"cpu 1\n"}) == ()
    assert busy_facts({"cpu-time.txt": line + b"cpu  160 0 80 1010 10 0 0 0 0 0\n"}) == (("CPUs busy", "90 %"),)


def test_a_load_that_counts_gets_the_time_to_say_what_it_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "stress-ng"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ntrap 'sleep 1; echo counted >$3; exit 0' TERM\nwhile :; do sleep 0.1; done\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(rt_job, "SETTLE_S", 0)
    job = Job(tmp_path, "cpu")
    assert job.status == 0 and job.files[rt_job.LOAD_WORK] == b"counted\n" and job.left() == []
