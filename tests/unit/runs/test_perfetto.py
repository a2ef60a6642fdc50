# SPDX-License-Identifier: BSD-3-Clause
"""The time line of a run as Perfetto reads it, asked in SQL. `guest-trng` is cut out of a run in the guest whose firmware held TRNG_RND for
200 us."""

from __future__ import annotations

import gzip
import re
import shutil
import sqlite3
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.enums import Clock
from latlab.core.model.run import CoreId, CoreTrace, Run, Tick, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.core.model.time_line import Slice, TimeLine, Track
from latlab.core.report.exports import perfetto
from latlab.core.report.redaction import Secrets
from latlab.rt.campaign.results import CAMPAIGN, new_run
from latlab.runs.campaign.time_lines import time_line_of_spans, time_line_of_wakeups
from support import probe_stream as stream
from support.ladder_model import Truth, call, make_run
from support.places import ROOT, RT_DATA
from support.runs import ONE_CORE, changed, run_with
from support.trace_tables import tables_of

QUERY = re.search(r"```sql\n(.*?)```", (ROOT / "docs" / "reference" / "time-line.md").read_text(), re.DOTALL)
FILES = {path.name.removesuffix(".gz"): gzip.decompress(path.read_bytes()) for path in (RT_DATA / "guest-trng").iterdir()}
SYMBOLS = Symbols(
    (0x10000100, 0x10000200, 0x10000300), ("nsc_psa_call", "spm_call", "handle"), (".gateways", ".spm_code", ".partition_code")
)
MIDDLE_OF_A_CALL_NS = 200
"""The counters do not tell when a wake-up became due in a call."""
INSTRUCTIONS_OF_A_CALL_BESIDE_EL3 = 4
NS_PER_INSTRUCTION = 2


class Kept:
    """Stands for what a store has of a run."""

    def __init__(self, line: TimeLine) -> None:
        self.time_line = line


def guest_run() -> Run:
    return replace(new_run(CAMPAIGN, "guest", "x", 1, Conditions(mode=Mode.DETERMINISTIC, priority=80)), id="rt-1")


def line_of(run: Run, files: dict[str, bytes] | None = None) -> TimeLine:
    if isinstance(run.contents, WakeupCounts):
        return time_line_of_wakeups(run, files or {})
    return time_line_of_spans(run, files or {}, lambda: SYMBOLS)


def written(line: TimeLine, secrets: Secrets | None = None, run: Run | None = None) -> bytes:
    return perfetto.render(run or guest_run(), lambda: Kept(line), secrets)  # type: ignore[arg-type,return-value]


@pytest.fixture(scope="module")
def trace() -> bytes:
    return written(line_of(guest_run(), FILES))


@pytest.fixture(scope="module")
def tables(trace: bytes) -> sqlite3.Connection:
    return tables_of(trace)


def query() -> str:
    assert QUERY is not None
    return QUERY[1]


def test_one_query_lists_every_stolen_wake_up_with_its_cause_and_its_parts_add_up(tables: sqlite3.Connection) -> None:
    rows = tables.execute(query()).fetchall()
    hwrng, kstack = "the hwrng thread", "kernel-stack randomisation in a system call of latlab-recorder"
    hwrng_ns = (99744, 145584, 191344), (99232, 145072, 190832), (99008, 144848, 191216)
    first, second, third = ([(ns, hwrng) for ns in three] for three in hwrng_ns)
    late = [(472112, kstack), *first, (460272, kstack), *second, *third]
    assert [(row[1], row[2]) for row in rows] == [(ns, f"TRNG_RND, called by {caller}") for ns, caller in late]
    assert all(row[4] == row[1] for row in rows)
    assert all(abs(row[5] - row[3]) <= MIDDLE_OF_A_CALL_NS for row in rows)


def test_without_the_firmwares_ring_the_wake_ups_are_stolen_by_nobody_named() -> None:
    """That of kernel-stack randomisation is blamed on the kernel's function then, which its probe saw."""
    files = {name: data for name, data in FILES.items() if not name.startswith("el3")}
    rows = tables_of(written(line_of(guest_run(), files))).execute(query()).fetchall()
    assert len(rows) == 9 and all(row[4] == row[1] and row[5] > 0 for row in rows)
    assert {row[2] for row in rows} == {"firmware or secure world, by the cycle counters"}


def test_what_the_counters_show_as_stolen_is_what_the_probe_saw_in_el3(tables: sqlite3.Connection) -> None:
    """Each call is four instructions longer by the counters than from its first instruction in EL3 to its first one behind."""
    found = tables.execute(
        "SELECT EXTRACT_ARG(taken.arg_set_id, 'debug.stolen_ns'), SUM(world.dur), COUNT(*) FROM slice AS taken JOIN slice AS world"
        " ON world.ts > taken.ts AND world.ts < taken.ts + taken.dur"
        " WHERE taken.category = 'stolen' AND world.name = 'EL3' AND world.category = 'worlds' GROUP BY taken.id"
    ).fetchall()
    assert [calls for *_, calls in found] == [2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1]
    for stolen_ns, el3_ns, calls in found:
        assert abs(stolen_ns - el3_ns - calls * INSTRUCTIONS_OF_A_CALL_BESIDE_EL3 * NS_PER_INSTRUCTION) <= 1


def test_the_firmwares_own_stamps_lie_inside_of_what_the_probe_saw(tables: sqlite3.Connection) -> None:
    smcs = tables.execute("SELECT ts, ts + dur FROM slice WHERE category = 'SMC' ORDER BY ts").fetchall()
    el3 = tables.execute("SELECT ts, ts + dur FROM slice WHERE category = 'worlds' AND name = 'EL3' ORDER BY ts").fetchall()
    assert len(smcs) == 13
    assert all(any(into <= begin and end <= out for into, out in el3) for begin, end in smcs)


def test_the_kernels_threads_follow_each_other_and_its_interrupts_lie_in_them(tables: sqlite3.Connection) -> None:
    rows = tables.execute("SELECT ts, dur, depth, name FROM slice WHERE category = 'kernel' ORDER BY ts, depth").fetchall()
    threads = [row for row in rows if row[2] == 0]
    assert all(before[0] + before[1] <= after[0] for before, after in pairwise(threads))
    assert {name for *_, depth, name in rows if depth} >= {"interrupt arch_timer"}
    assert {"hwrng", "latlab-recorder", "swapper/0"} <= {row[3] for row in threads}


def test_the_trace_says_its_clock_and_how_far_its_sources_stand_apart(tables: sqlite3.Connection) -> None:
    told = {name: text or whole for name, whole, text in tables.execute("SELECT * FROM metadata")}
    assert told["latlab.clock"] == "CLOCK_MONOTONIC of the machine, in ns"
    assert (told["latlab.run"], told["latlab.late_wake-ups_that_were_kept"]) == ("rt-1", 189)
    assert told["latlab.system_counter_against_the_clock,_most,_ns"] == 16, "a tick"
    assert int(told["latlab.worlds_placed"]) > 50 and told["latlab.worlds_left_out,_since_no_timer_of_Linux_ended_the_sleep_before"] == 0


def test_where_nothing_says_what_the_counter_was_no_world_is_placed() -> None:
    """Streams of before do not have what a wake-up's timer was set to."""
    before = stream.header() + stream.core(0, 0) + stream.sleep(0, 80, world=stream.NS_EL1) + stream.wake(0, 80) + stream.smc(0, 100, 1)
    told = dict(line_of(guest_run(), FILES | {"probe": before + stream.back(0, 130)}).facts)
    assert (told["worlds placed"], told["worlds left out, since no timer of Linux ended the sleep before"]) == (0, 2)


def test_without_the_recorder_nothing_says_when() -> None:
    with pytest.raises(DataError, match="no file of a recorder"):
        line_of(guest_run(), {name: data for name, data in FILES.items() if name != "recorder.rec"})


def test_the_calls_of_a_psci_run_have_their_parts_in_them() -> None:
    traces = tuple(
        replace(call(CoreId(0, core), 1_000_000 * (1 + iteration), 5), iteration=iteration) for core in (0, 1) for iteration in (0, 1)
    )
    run = changed(make_run(Truth(), 3, boots=1, iterations=1), traces=traces)
    tables = tables_of(written(line_of(run), run=run))
    names = dict(tables.execute("SELECT id, name FROM track"))
    assert sorted(names.values()) == ["boot 0", "core 0.0", "core 0.1"]
    whole, parts = (tables.execute(f"SELECT SUM(dur) FROM slice WHERE depth = {depth}").fetchone()[0] for depth in (0, 1))
    assert whole == parts > 0
    assert tables.execute("SELECT COUNT(*) FROM slice WHERE depth = 0").fetchone() == (4,)


def test_a_swept_psa_call_has_a_track_for_each_room_that_it_goes_through() -> None:
    shots = [(100, 0x60), (200, 0x10000104), (300, 0x10000210), (500, 0x10000304), (900, 0x10000218), (1000, 0x60), (1100, 0x60)]
    records = tuple(TraceRecord(number, due, "NS_INTERRUPT", pc) for number, (due, pc) in enumerate(shots))
    swept = CoreTrace("sweep_call_0", 0, 0, CoreId(0, 0), records)
    run = run_with(campaign="psa", topology=ONE_CORE, tick=Tick(Clock.INSTRUCTIONS, 1.0), traces=(swept,), samples=())
    tables = tables_of(written(line_of(run), run=run))
    rows = tables.execute("SELECT category, name, ts, dur FROM slice ORDER BY ts").fetchall()
    assert rows == [
        ("caller", "caller", 100, 100),
        ("gate", "nsc_psa_call", 200, 100),
        ("SPM", "spm_call", 300, 200),
        ("partition", "handle", 500, 400),
        ("SPM", "spm_call", 900, 100),
        ("caller", "caller", 1000, 100),
    ]


def test_a_watch_has_worlds_and_calls_in_instructions() -> None:
    data = stream.header() + stream.core(0, 0) + stream.crossing(0, 0, stream.NO_WORLD, stream.EL3) + stream.back(0, 50)
    data += stream.smc(0, 150, 0x84000000) + stream.back(0, 190)
    run = make_run(Truth(), 1)
    tables = tables_of(written(line_of(changed(run, samples=(), traces=()), {"probe": data}), run=run))
    rows = tables.execute("SELECT category, name, ts, dur FROM slice ORDER BY category, ts").fetchall()
    assert rows == [("SMC", "PSCI_VERSION", 150, 40), ("worlds", "EL3", 0, 50), ("worlds", "EL1", 50, 100), ("worlds", "EL3", 150, 40)]


def test_a_run_without_times_is_refused() -> None:
    with pytest.raises(DataError, match="none of its data have a time"):
        line_of(changed(make_run(Truth(), 1), traces=()))


def test_a_moment_has_no_end() -> None:
    line = TimeLine((Track("CPU 0", "late wake-ups", (Slice(5, 9, "outer"), Slice(5, 5, "moment"), Slice(6, 9, "inner"))),), ())
    rows = tables_of(written(line)).execute("SELECT name, ts, dur, depth FROM slice ORDER BY id").fetchall()
    assert rows == [("outer", 5, 4, 0), ("moment", 5, 0, 1), ("inner", 6, 3, 1)]


def test_what_is_redacted_is_in_no_slice_and_no_fact() -> None:
    line = TimeLine(
        (Track("CPU 0", "kernel", (Slice(1, 2, "from /home/alice/x", (("cause", "/home/alice/y"),)),)),), (("a", "/home/alice/z"),)
    )
    assert b"alice" in written(line) and b"alice" not in written(line, Secrets(()))


@pytest.mark.skipif(shutil.which("trace_processor_shell") is None, reason="needs Perfetto's trace_processor_shell on the path")
def test_perfettos_own_trace_processor_answers_the_same(trace: bytes, tmp_path: Path, tables: sqlite3.Connection) -> None:
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    (tmp_path / "a.pftrace").write_bytes(trace)
    config = TraceProcessorConfig(bin_path=shutil.which("trace_processor_shell"))
    with TraceProcessor(trace=str(tmp_path / "a.pftrace"), config=config) as asked:
        columns = ("ts", "late_ns", "cause", "stolen_ns", "parts_ns", "el3_ns")
        assert [tuple(getattr(row, name) for name in columns) for row in asked.query(query())] == tables.execute(query()).fetchall()
