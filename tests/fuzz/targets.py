# SPDX-License-Identifier: BSD-3-Clause
"""What each parser promises for any bytes at all: no crash, no hang, and no line lost in silence. Used by Hypothesis and by the fuzzer."""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from latlab.benchmarks.model import Benchmark, Stated
from latlab.calls.campaign.traces import TraceAccumulator
from latlab.calls.model.crossings import Header
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import DataError
from latlab.core.model.enums import Metric
from latlab.core.model.figures import Figures
from latlab.core.model.run import Problem, Topology
from latlab.core.readers.dump import console_log, tftf_calls
from latlab.core.readers.dump.dump import collect_dump
from latlab.core.readers.dump.frames import crc
from latlab.core.readers.dump.rt_instr import parse_figures, read_figures
from latlab.core.readers.event_table import event_table
from latlab.core.readers.published import csv_tables, rst_tables
from latlab.core.readers.published import runs as published
from latlab.core.readers.published.printed_tables import Reading, parse_figure
from latlab.core.store import run_json
from latlab.rt.analysis.lateness_parts import calibrations, parts_of
from latlab.rt.analysis.wakeup import disagreement
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.readers import el3_records, ftrace, guest_frames, recorder
from latlab.rt.readers.any_figures import HISTOGRAM, SAMPLES, read_histogram, read_table
from latlab.rt.readers.any_figures import read_samples as read_any_samples
from latlab.rt.readers.jitter_samples import SAMPLE, read_samples
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.measured import AMOUNTS, WAKEUPS, Format, read_amounts, read_wakeups
from latlab.rt.readers.steal_meter import read_stolen
from support.console_lines import format_figures, format_frame
from support.synthetic import write_iteration

FRAME = re.compile(r"<(LLT1:[^<>]*) \*[0-9a-f]{8}>")
EVENTS = event_table()
TWO_CORES = Topology((2,))
BLANK_CELLS = ' \t\f\v",'
"""A row of nothing else has no cell with anything in it."""


def rst(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    reading = rst_tables.parse(text, lambda name: data[::-1].decode("utf-8", "replace"))
    _check(reading, len(text.splitlines()))


def csv(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    reading = csv_tables.parse(text, "CPU_SUSPEND latencies (us) to power level 0 in serial (v1)")
    lines = text.splitlines()
    _check(reading, len(lines))
    if not reading.tables:
        assert reading.problems, "the file is refused without a reason"
        return
    told = {problem.line for problem in reading.problems} | {f.line for table in reading.tables for f in table.figures}
    kept = [number for number, line in enumerate(lines, start=1) if line.strip(BLANK_CELLS)]
    headers = [number for number in kept if number not in told]
    named = [number for number in headers if "test_" in lines[number - 1].lower()]
    assert len(headers) - len(named) <= 1, f"lines {headers} left no figure and no problem"


def catalog(data: bytes) -> None:
    try:
        reading = published.parse_catalog(data.decode("utf-8", "replace"), "file.csv")
    except ValueError as error:
        assert str(error).startswith("file.csv:"), error
        return
    assert all(figure.line for table in reading.tables for figure in table.figures)


def json(data: bytes) -> None:
    try:
        run = run_json.parse(data.decode("utf-8", "replace"), "run.json")
    except DataError as error:
        assert str(error).startswith("run.json"), error
        return
    assert run_json.parse(run_json.render(run), "again") == run


def console(data: bytes) -> None:
    lines = [line.decode("utf-8", "backslashreplace").rstrip("\r") for line in data.split(b"\n")]
    for line in lines:
        found = list(parse_figures(line))
        assert found or "<RT_INSTR" not in line, line
        for item in found:
            if isinstance(item, Figures):
                assert list(parse_figures(format_figures(item))) == [item]
    figures, problems = read_figures(lines, TWO_CORES)
    run = console_log.parse(data, "x.log", TWO_CORES)
    assert len(run.samples) == sum(len(item.figures.values_ns) for item in figures)
    assert {problem.line for problem in problems if "lines of" not in problem.message} <= {problem.line for problem in run.problems}
    console_log.parse(data, "x.log")


def dump(data: bytes) -> None:
    """With right checksums, so that what stands behind them is reached too; a `!` in front leaves them as they are."""
    text = data.decode("utf-8", "backslashreplace")
    lines = (text[1:] if text.startswith("!") else FRAME.sub(lambda found: f"<{found[1]} *{crc(found[1])}>", text)).split("\n")
    found = collect_dump(lines, EVENTS)
    assert all(problem.message and 1 <= problem.line <= len(lines) for problem in found.problems)
    assert found.ends or found.problems, "a log that does not end is called whole"
    for iteration in found.iterations:
        again = collect_dump([format_frame(found.boots[0]), *write_iteration(iteration)], EVENTS).iterations
        assert [(one.test, one.iteration, len(one.traces)) for one in again] == [
            (iteration.test, iteration.iteration, len(iteration.traces))
        ]


def wakeups(data: bytes) -> None:
    """The file of the recorder, whose checksums are made right, and what is taken for that of another tool."""
    try:
        found = read_wakeups(_recorder_with_right_checksums(data) if data.startswith(recorder.MAGIC) else data, "x")
    except DataError as error:
        assert str(error).startswith("x"), error
        return
    assert found.cpus and all(problem.startswith("x") for problem in found.problems)
    for cpu in found.cpus:
        assert cpu.got >= 0
        disagreement(cpu)


def el3(data: bytes) -> None:
    """The firmware's rings as the kernel's module prints them: every line is a core, a record or a problem."""
    text = data.decode("utf-8", "replace")
    read = el3_records.read_records(text, EVENTS, "x")
    assert len(read.cpus) + sum(len(trace.records) for trace in read.traces) + len(read.problems) == len(text.splitlines())
    found = el3_records.read_all(text, EVENTS, "x")
    assert all(problem.message.startswith(f"x:{problem.line}:") for problem in found.problems)
    assert len(found.cpus) == len(set(found.cpus)) or not re.search(r"^read\n", text, re.MULTILINE)
    el3_records.info_of(text)
    assert all(call.cpu in found.cpus for call in found.calls())


def kernel_events(data: bytes) -> None:
    """What the recorder keeps of the kernel, with its checksums made right: each block is read or named, and it can be taken apart."""
    try:
        found = read_kernel_events(_blocks_with_right_checksums(data), "x")
    except DataError as error:
        assert str(error).startswith("x"), error
        return
    assert all(problem.startswith("x") for problem in found.problems)
    for late in found.late:
        outlier = Outlier(late.cpu, late.wake_ns, 100_000)
        parts = parts_of(late, outlier, 80, calibrations(found).get(late.cpu))
        assert sum(part.ns for part in parts) == outlier.late_ns


def _blocks_with_right_checksums(data: bytes) -> bytes:
    made, at = bytearray(data), 8
    while at + 12 <= len(made):
        body = at + 12
        end = body + int.from_bytes(made[at + 4 : at + 8], "little")
        struct.pack_into("<I", made, at + 8, zlib.crc32(made[body:end], zlib.crc32(made[at : at + 8])))
        at = end
    return bytes(made)


def steal(data: bytes) -> None:
    """The steal meter's lines: each is read or named, and what was cut off is not called whole."""
    text = data.decode("utf-8", "replace")
    try:
        found = read_stolen(data, "x")
    except DataError as error:
        assert str(error).startswith("x:"), error
        return
    kept = sum(1 + len(cpu.seconds) + len(cpu.thefts) + len(cpu.counts) for cpu in found.cpus)
    assert kept + len(found.problems) <= len(text.splitlines()) + len(found.cpus) + 1
    assert found.complete or found.problems
    assert all(problem.startswith("x:") for problem in found.problems)
    assert {cpu.cpu for cpu in found.seeing} == {cpu.cpu for cpu in found.cpus if cpu.calibration}


def ftrace_spans(data: bytes) -> None:
    for span in ftrace.read_spans(data.decode("utf-8", "replace"), ("crng_reseed", "hwrng")):
        assert span.name in ("crng_reseed", "hwrng")


def guest(data: bytes) -> None:
    lines = data.split(b"\n")
    found = guest_frames.read_frames(lines)
    assert all(problem.message and 1 <= problem.line <= len(lines) for problem in found.problems)


def _measured(read: Callable[[str, str], Wakeups]) -> Callable[[bytes], None]:
    """A reader of text whose figures are wake-ups or stalls."""

    def target(data: bytes) -> None:
        try:
            found = read(data.decode("utf-8", "replace"), "x")
        except DataError as error:
            assert str(error).startswith("x"), error
            return
        if found.cpus:  # read_wakeups() refuses a file without one, whoever read it
            _check_wakeups(found)

    return target


def _counted(read: Callable[[str, str], Benchmark]) -> Callable[[bytes], None]:
    """A reader of text whose figures are amounts."""

    def target(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        try:
            found = read(text, "x")
        except DataError as error:
            assert str(error).startswith("x"), error
            return
        assert found.amounts and all(problem.startswith("x") for problem in found.problems)
        keys = [(one.test, one.metric, one.name, one.core, one.over_s) for one in found.amounts]
        assert len(keys) == len(set(keys))
        assert all(one.values and all(map(math.isfinite, one.values)) for one in found.amounts)
        with suppress(DataError):  # another reader may know the damaged text too
            read_amounts(data, "x")

    return target


def samples(data: bytes) -> None:
    """jitterdebugger's samples: every byte is of a sample that was counted, or told of."""
    try:
        found = read_samples(data, "x")
    except DataError as error:
        assert str(error).startswith("x"), error
        return
    _check_wakeups(found)
    assert sum(cpu.got for cpu in found.cpus) * SAMPLE.itemsize == len(data) or found.problems


def tftf(data: bytes) -> None:
    """Every round trip is a sample, and what is torn a problem."""
    lines = list(enumerate(data.decode("utf-8", "replace").split("\n"), 1))
    found = tftf_calls.read_calls(lines)
    assert all(problem.message and 0 <= problem.line <= len(lines) for problem in found.problems)
    assert sum(bool(tftf_calls.ROUND_TRIP.match(line)) for _, line in lines) == sum(s.metric is Metric.CALL for s in found.samples)
    tftf_calls.parse(data, "x")


def trace_stream(data: bytes) -> None:
    """Records of a trace's reader: what is damaged is one problem, and calls are made of the rest."""
    decoder = Decoder()
    items = [*decoder.feed(data), *decoder.finish()]
    assert sum(isinstance(item, Problem) for item in items) <= 1
    accumulator = TraceAccumulator(lambda samples: None)
    if items and isinstance(items[0], Header):
        accumulator.take(iter(items))
        assert accumulator.times.untimed <= sum(row.count for row in accumulator.tally.rows())


def _check_wakeups(found: Wakeups) -> None:
    assert found.cpus and all(problem.startswith("x") for problem in found.problems)
    assert found.complete == (not found.problems)
    assert len({cpu.number for cpu in found.cpus}) == len(found.cpus)
    for cpu in found.cpus:
        assert cpu.got >= 0 and math.isfinite(cpu.average_ticks)
        assert all(low < high and n >= 0 for low, high, n in cpu.counts)
        disagreement(cpu)


def _folder(one: Format[Any]) -> str:
    """The name of the target and of its seeds: the tool's, in small letters and hyphens."""
    return re.sub(r"[\W_]+", "-", one.names[0].lower())


TARGETS: dict[str, Callable[[bytes], None]] = {
    "rst": rst,
    "csv": csv,
    "catalog": catalog,
    "json": json,
    "console": console,
    "dump": dump,
    "wakeups": wakeups,
    "el3": el3,
    "steal": steal,
    "kernel-events": kernel_events,
    "ftrace": ftrace_spans,
    "guest": guest,
    "samples": samples,
    "tftf": tftf,
    "trace-stream": trace_stream,
    "any-histogram": _measured(partial(read_histogram, stated=Stated(unit="us"))),
    "any-samples": _measured(partial(read_any_samples, stated=Stated(unit="us"))),
    "any-table": _counted(partial(read_table, stated=Stated(unit="us"))),
    **{_folder(one): _measured(one.read) for one in WAKEUPS if one.names[0] not in (HISTOGRAM, SAMPLES)},
    **{_folder(one): _counted(one.read) for one in AMOUNTS if one.names[0] != SAMPLES},
}


def _check(reading: Reading, lines: int) -> None:
    for problem in (*reading.problems, *reading.skipped):
        assert problem.message and 0 <= problem.line <= lines, problem
    for table in reading.tables:
        assert table.test
        # Two rows may name one core, and both are kept: a document that numbers its cores wrongly.
        keys = [(figure.row, figure.core, figure.metric) for figure in table.figures]
        assert len(keys) == len(set(keys))
        assert all(parse_figure(str(figure.value)) for figure in table.figures)


def _recorder_with_right_checksums(data: bytes) -> bytes:
    """The header's, and that of each of the two checkpoints that its sizes leave whole."""
    head = recorder.HEADER.size
    if len(data) < head:
        return data
    made = bytearray(data)
    struct.pack_into("<I", made, head - 4, zlib.crc32(made[: head - 4]))
    slot_bytes = recorder.HEADER.unpack_from(data)[2]
    for start in (head, head + slot_bytes):
        body, end = start + recorder.SLOT.size, start + slot_bytes
        if body <= end <= len(made):
            struct.pack_into("<I", made, body - 4, zlib.crc32(made[body:end], zlib.crc32(made[start : body - 4])))
    return bytes(made)
