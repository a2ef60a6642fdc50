# SPDX-License-Identifier: BSD-3-Clause
"""`latlab import --thread`: a trace becomes a run, and its wake-ups and cycles have limits."""

from __future__ import annotations

from pathlib import Path

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


def test_a_trace_of_many_threads_asks_for_a_name(tmp_path: Path) -> None:
    for name, data in (("perf.txt", as_perf(schedule(5)).encode()), ("perfetto", as_perfetto(schedule(5)))):
        (tmp_path / name).write_bytes(data)
        refused = latlab("import", str(tmp_path / name), "--store", str(tmp_path / "runs.db"))
        assert refused.returncode == 3 and "--thread NAME" in refused.stderr and "Traceback" not in refused.stderr
