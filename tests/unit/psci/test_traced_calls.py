# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run psci --trace`: the calls that psci_calls marks, from a trace that was made elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Latlab
from latlab.calls.analysis.marked import TESTS
from latlab.calls.campaign.traces import TraceAccumulator, TraceRequest
from latlab.core.errors import DataError
from latlab.core.lifecycle.loading import load_reference
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import Run
from latlab.core.store.store import open_store
from latlab.psci.campaign.from_trace import run_psci_trace
from latlab.psci.readers.calls_log import CallsLog
from support.etmv4_traces import make_snapshot
from support.tarmac_traces import Dialect, MadePsciCall, MadeTrace, make_psci_trace
from support.trace_reader import sanitized_coresight, sanitized_reader

Spans = dict[tuple[str, Metric, str, int], float]


def quiet(state: TraceAccumulator, elapsed_s: float) -> None:
    return


def files_of(folder: Path, trace: MadeTrace, dialect: Dialect) -> tuple[Path, ...]:
    texts = [trace.of_core(core) for core in range(trace.cores)] if dialect is Dialect.ES else [trace.text]
    files = tuple(folder / f"{number}.tarmac" for number in range(len(texts)))
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return files


def spans_of(run: Run) -> Spans:
    return {(sample.test, sample.metric, str(sample.core), sample.iteration): sample.value_ticks for sample in run.samples}


def expected(calls: list[MadePsciCall], which: int) -> Spans:
    """`which`: 0 instructions, 1 ticks."""
    spans: Spans = {}
    for call in calls:
        place = f"0.{call.core}", call.iteration
        if call.up is None:
            spans[TESTS[call.test], Metric.PSCI_CALL, *place] = call.down[which]
        else:
            spans[TESTS[call.test], Metric.POWERDOWN, *place] = call.down[which]
            spans[TESTS[call.test], Metric.WAKEUP, *place] = call.up[which]
    return spans


@pytest.mark.parametrize("dialect", list(Dialect))
def test_marked_calls_have_their_test_core_and_iteration_in_instructions_and_ticks(dialect: Dialect, tmp_path: Path) -> None:
    trace, calls = make_psci_trace(4, dialect)
    place = str(tmp_path / "store.sqlite")
    request = TraceRequest(files_of(tmp_path, trace, dialect), sanitized_reader())
    recorded, clock_run = run_psci_trace(open_store(place), request, CallsLog(), quiet)
    counted, timed = load_reference(recorded.run_id, store=place), load_reference(clock_run, store=place)
    assert (recorded.status, recorded.problems) == (RunStatus.COMPLETE, ())
    assert spans_of(counted) == expected(calls, 0)
    assert spans_of(timed) == expected(calls, 1)
    assert (counted.tick.clock, counted.campaign) == (Clock.INSTRUCTIONS, "psci")
    for run, which in ((counted, 0), (timed, 1)):
        functions = sum(share.instructions for span in run.functions for share in span.functions)
        assert functions == sum(expected(calls, which).values())


def test_a_trace_without_marks_leaves_no_run_and_names_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP\n")
    store = open_store(str(tmp_path / "store.sqlite"))
    with pytest.raises(DataError, match="no measured call of psci_calls; run the program of `latlab run psci --program-out FILE`"):
        run_psci_trace(store, TraceRequest((tmp_path / "trace",), sanitized_reader()), CallsLog(), quiet)
    assert store.runs() == ()


def test_a_trace_without_registers_is_refused_with_the_reason(tmp_path: Path) -> None:
    reader = sanitized_coresight()
    if reader is None:
        pytest.skip("OpenCSD is not installed: libopencsd-dev")
    folder = make_snapshot(1).write(tmp_path / "snapshot")
    with pytest.raises(DataError, match="the trace has no registers, and the marks of psci_calls are in x0 to x3"):
        run_psci_trace(open_store(str(tmp_path / "store.sqlite")), TraceRequest((folder,), reader), CallsLog(), quiet)


def test_a_measured_call_with_a_gap_inside_has_no_figure(tmp_path: Path) -> None:
    trace, calls = make_psci_trace(4, Dialect.FAST_MODELS, cores=1)
    lines = trace.text.splitlines()
    del lines[next(number for number, line in enumerate(lines) if "WFI" in line)]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    place = str(tmp_path / "store.sqlite")
    recorded, _ = run_psci_trace(open_store(place), TraceRequest((tmp_path / "trace",), sanitized_reader()), CallsLog(), quiet)
    assert recorded.status is RunStatus.PARTIAL
    whole = expected(calls, 0)
    found = spans_of(load_reference(recorded.run_id, store=place))
    assert found.items() < whole.items() and len(whole) - len(found) == 2


def test_the_program_is_written_for_its_machine(latlab: Latlab, tmp_path: Path) -> None:
    done = latlab("run", "psci", "--program-out", tmp_path / "calls.elf")
    if "psci_calls.elf is in none of" in done.stderr:
        pytest.skip("the programs are not built: make firmware")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "calls.elf").read_bytes()[:4] == b"\x7fELF"
    assert latlab("run", "psci", "--program-out", tmp_path / "none" / "calls.elf").returncode == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--console", "x"), "--console is for a trace; it needs --trace FILE"),
        (("--trace", "x", "--boots", "2"), "--boots has no effect on a machine elsewhere"),
        (("--trace", "x", "--machine", "virt"), "--machine has no effect on a trace"),
        (("--trace", "x", "--program-out", "y"), "--trace has no effect with --program-out"),
        (("--trace", "nowhere"), "nowhere: no such file"),
    ],
)
def test_options_without_effect_are_refused(options: tuple[str, ...], words: str, latlab: Latlab) -> None:
    done = latlab("run", "psci", *options)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr
