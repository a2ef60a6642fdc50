# SPDX-License-Identifier: BSD-3-Clause
"""`latlab import --thread` and `run rt --threads-of`: a trace becomes a run, and its wake-ups and cycles have limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import latlab
from support.scheduled import as_perf, as_perfetto, schedule


def test_a_trace_is_a_run_with_causes_and_limits(tmp_path: Path) -> None:
    trace, store = tmp_path / "trace.txt", ("--store", str(tmp_path / "runs.db"))
    trace.write_text(as_perf(schedule(5)))
    shown = latlab("import", str(trace), "--thread", "100", "--bare-metal", "--period", "1ms", *store)
    assert shown.returncode == 0, shown.stderr
    for words in ("rt loop", "hog/0 (priority 95)", "Time of the thread by state", "Parts of the cycles", "perf record -a"):
        assert words in shown.stdout
    assert latlab("gate", "last", "--limit", "cycle max <= 10s", "--limit", "task_wakeup max <= 10s", *store).returncode == 0
    assert latlab("gate", "last", "--limit", "cycle max <= 1us", *store).returncode == 1
    line = latlab("export", "last", "--format", "perfetto", "-o", str(tmp_path / "run.pftrace"), *store)
    assert line.returncode == 0, line.stderr
    data = (tmp_path / "run.pftrace").read_bytes()
    assert all(words in data for words in (b"rt loop, CPU 0", b"hog/0", b"rt_loop,_overruns"))


def test_a_trace_of_many_threads_asks_for_a_name(tmp_path: Path) -> None:
    for name, data in (("perf.txt", as_perf(schedule(5)).encode()), ("perfetto", as_perfetto(schedule(5)))):
        (tmp_path / name).write_bytes(data)
        refused = latlab("import", str(tmp_path / name), "--store", str(tmp_path / "runs.db"))
        assert refused.returncode == 3 and "--thread NAME" in refused.stderr and "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    "options, sentence",
    [
        (("--threads-of", "x", "--", "true"), "--threads-of names running threads and a command starts new ones; give one of the two"),
        (("--period", "1ms"), "--period is for your own threads; name them with --threads-of"),
        (("--trace-buffer", "8"), "--trace-buffer is for your own threads"),
        (("--threads-of", "x", "--trace-buffer", "0"), "--trace-buffer 0 is outside 1 to 1024 MiB"),
        (("--threads-of", "x", "--target", "guest"), "your threads do not run in latlab's guest; use --target linux, ssh or labgrid"),
        (("--threads-of", "x", "--cores", "2"), "--cores is for the guest in QEMU"),
        (("--threads-of", "x", "-i", "100"), "--interval is for latlab's own measuring threads and has no effect on yours; leave it out"),
        (("--threads-of", "x", "--boots", "3"), "--boots is for latlab's own measuring threads"),
        (("--threads-of", "x", "--period", "1"), "--period '1' is not a time with its unit"),
        (("--threads-of", "x", "-D", "10"), "--duration '10' is not a duration with its unit"),
        (("--threads-of", "x", "--load", "nothing"), "--load nothing is not known"),
        (("--threads-of", "x", "--target", "ssh"), "--target ssh needs --host"),
    ],
)
def test_options_that_contradict_each_other_are_refused_before_anything_starts(tmp_path, options, sentence):
    refused = latlab("run", "rt", "--store", str(tmp_path / "runs.db"), *options)
    assert refused.returncode == 2 and sentence in " ".join(refused.stderr.split()) and not refused.stdout
    assert not (tmp_path / "runs.db").exists()
