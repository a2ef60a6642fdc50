# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from latlab.calls.analysis.calls import NOT_RECORDED
from latlab.calls.campaign.traces import TraceRead, TraceRequest, import_trace, read_trace
from latlab.calls.model.crossings import GapKind
from latlab.calls.pages.web import functions_table
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.loading import load_reference
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.store.store import open_store
from support import trace_calls
from support.tarmac_traces import FUNCTION, Dialect, MadeTrace, make_trace, mutants
from support.trace_calls import Calls, Outcome, outcome, quiet
from support.trace_reader import sanitized_reader

EL1, EL3 = 1, 7
MUTANTS = 60


def written(folder: Path, trace: MadeTrace, dialect: Dialect) -> tuple[Path, ...]:
    """One file, or one for each core where a line does not name its core."""
    if dialect is not Dialect.ES:
        (folder / "trace").write_text(trace.text)
        return (folder / "trace",)
    files = [folder / f"core-{core}" for core in range(trace.cores)]
    for core, file in enumerate(files):
        file.write_text(trace.of_core(core))
    return tuple(files)


def read(*files: Path) -> TraceRead:
    return read_trace(TraceRequest(files, sanitized_reader()), quiet)


def calls_of(files: tuple[Path, ...]) -> tuple[Calls, TraceRead]:
    return trace_calls.calls_of(files, sanitized_reader())


def truth_of(trace: MadeTrace) -> Calls:
    return Counter((f"SiP fast call {call.function:#x}", call.instructions, call.ticks) for call in trace.calls)


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("seed", range(4))
def test_counts_times_and_switches_are_those_of_the_program_that_was_written(dialect: Dialect, seed: int, tmp_path: Path) -> None:
    trace = make_trace(seed, dialect, cores=1 + seed % 3)
    found, result = calls_of(written(tmp_path, trace, dialect))
    assert found == truth_of(trace)
    assert result.extent.instructions == trace.instructions
    assert result.extent.switches == trace.switches
    assert result.summary.instructions == trace.instructions.total()
    assert len(result.cores) == trace.cores
    assert result.problems == ()


def test_three_dialects_of_one_program_have_the_same_calls(tmp_path: Path) -> None:
    instructions = []
    for dialect in (Dialect.GEM5, Dialect.ES):
        folder = tmp_path / dialect.value
        folder.mkdir()
        found, _ = calls_of(written(folder, make_trace(3, dialect), dialect))
        instructions.append(found)
    assert instructions[0] == instructions[1]


def test_a_compressed_trace_is_read_as_it_is(tmp_path: Path) -> None:
    trace = make_trace(1, Dialect.GEM5)
    (tmp_path / "trace.gz").write_bytes(gzip.compress(trace.text.encode()))
    assert calls_of((tmp_path / "trace.gz",))[0] == truth_of(trace)


def test_a_compressed_trace_that_is_cut_keeps_what_came_and_says_so(tmp_path: Path) -> None:
    trace = make_trace(1, Dialect.GEM5, calls=400)
    data = gzip.compress(trace.text.encode())
    (tmp_path / "trace.gz").write_bytes(data[: len(data) // 2])
    found, result = calls_of((tmp_path / "trace.gz",))
    assert found and not found - truth_of(trace)
    assert any("cut off or damaged" in problem.message for problem in result.problems)


def test_a_trace_is_kept_in_instructions_and_by_its_own_clock(tmp_path: Path) -> None:
    store, trace = open_store(str(tmp_path / "store.sqlite")), make_trace(5, Dialect.GEM5)
    result = import_trace(store, TraceRequest(written(tmp_path, trace, Dialect.GEM5), sanitized_reader()), quiet)
    counted, timed = (load_reference(name, store=str(tmp_path / "store.sqlite")) for name in (result.run_id, result.clock_run_id))
    assert (counted.tick.clock, timed.tick.clock) == (Clock.INSTRUCTIONS, Clock.TICKS)
    assert sorted(sample.value_ticks for sample in counted.samples) == sorted(call.instructions for call in trace.calls)
    assert sorted(sample.value_ticks for sample in timed.samples) == sorted(call.ticks for call in trace.calls)
    assert counted.emulator == timed.emulator == "Tarmac of gem5"
    assert result.status is RunStatus.COMPLETE


def test_the_functions_of_a_call_add_up_to_its_ticks(tmp_path: Path) -> None:
    store, trace = open_store(str(tmp_path / "store.sqlite")), make_trace(6, Dialect.ES)
    result = import_trace(store, TraceRequest(written(tmp_path, trace, Dialect.ES), sanitized_reader()), quiet)
    timed = load_reference(result.clock_run_id, store=str(tmp_path / "store.sqlite"))
    ticks = sum(share.instructions for span in timed.functions for share in span.functions)
    assert ticks == sum(call.ticks for call in trace.calls)


def test_a_clock_that_counts_instructions_makes_no_second_run(tmp_path: Path) -> None:
    store, trace = open_store(str(tmp_path / "store.sqlite")), make_trace(5, Dialect.FAST_MODELS)
    result = import_trace(store, TraceRequest(written(tmp_path, trace, Dialect.FAST_MODELS), sanitized_reader()), quiet)
    assert result.is_a_count and not result.clock_run_id
    assert len(store.begun) == 1


def test_a_trace_without_a_secure_world_says_so(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP\n")
    result = read(tmp_path / "trace")
    assert "the trace has no instruction of a secure world: what ran there, and how much, is not known" in result.notes
    assert EL3 not in result.extent.instructions


def test_all_of_a_trace_without_a_switch_is_one_figure_unless_something_is_missing(tmp_path: Path) -> None:
    lines = [f"{n} clk IT ({n}) {0x8000 + 4 * n:08x} d503201f O EL3h_s : NOP" for n in range(1, 6)]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    (whole,) = read(tmp_path / "trace").whole
    assert sum(share.instructions for share in whole.functions) == 5
    del lines[2]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    result = read(tmp_path / "trace")
    assert [span.test for span in result.whole] == ["what was traced"]
    assert result.gaps == ("missing data behind EL3, 1 time: numbered instructions are missing, 1 instruction, 2 clk, first at line 3",)


@pytest.mark.parametrize("count", [MUTANTS // 3, pytest.param(MUTANTS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dialect", list(Dialect))
def test_no_figure_of_a_damaged_trace_is_wrong_without_a_word(dialect: Dialect, tmp_path: Path, count: int) -> None:
    trace, file = make_trace(7, dialect, cores=1), tmp_path / "trace"
    file.write_text(trace.text)
    whole, result = calls_of((file,))
    assert whole == truth_of(trace)
    for kind, text in mutants(trace, 7, count):
        file.write_text(text)
        said = outcome((file,), sanitized_reader(), whole, result.notes, has_times=kind != "letter")
        assert said is not Outcome.WRONG, kind
        if dialect is not Dialect.ES and kind != "cut short":  # a run of a loop, or an end between two lines, leaves no mark
            assert said is not Outcome.FEWER, kind


def test_calls_that_return_elsewhere_are_named_where_instructions_have_no_numbers(tmp_path: Path) -> None:
    trace = make_trace(7, Dialect.ES, cores=1)
    lines = trace.text.splitlines()
    calls = [at for at, line in enumerate(lines) if "(0000000000009100:" in line]
    (tmp_path / "trace").write_text("\n".join(lines[: calls[0]] + lines[calls[-1] :]) + "\n")
    result = read(tmp_path / "trace")
    assert any("returned elsewhere than behind the call, so that others may be missing" in note for note in result.notes)


def test_code_that_changes_at_an_address_is_named(tmp_path: Path) -> None:
    trace = make_trace(7, Dialect.ES, cores=1)
    text = trace.text.replace(":f9400149)", ":f9400169)", 1)
    (tmp_path / "trace").write_text(text)
    assert "the code changed at 1 address: it was loaded anew, or lines are damaged" in read(tmp_path / "trace").notes


def test_gem5_numbers_its_cores_together_also_in_one_file_for_each(tmp_path: Path) -> None:
    trace = make_trace(3, Dialect.GEM5, cores=3)
    files = tuple(tmp_path / f"{core}.tarmac" for core in range(3))
    for core, file in enumerate(files):
        file.write_text(trace.of_core(core))
    calls, result = calls_of(files)
    assert (calls, result.problems) == (truth_of(trace), ())
    _, alone = calls_of(files[:1])
    assert any("numbered instructions are missing" in problem.message for problem in alone.problems)
    assert "gem5 numbers the instructions of all cores together: if each core has its file, name all of them" in alone.notes
    assert not any("name all of them" in note for note in result.notes)


def test_a_call_whose_function_is_not_recorded_is_not_called_by_another_name(tmp_path: Path) -> None:
    text = "".join(
        f"{line}\n" for _, line in make_trace(2, Dialect.FAST_MODELS, cores=1, calls=1).lines if f"R X0 {FUNCTION >> 16:012x}" not in line
    )
    (tmp_path / "trace").write_text(text)
    result = read(tmp_path / "trace")
    assert [row.key.name for row in result.rows] == [f"SMC, x0 {NOT_RECORDED}"]
    assert "1 call with a register that is not recorded" in result.problems[0].message


def test_a_gap_inside_a_call_leaves_it_out(tmp_path: Path) -> None:
    trace = make_trace(4, Dialect.FAST_MODELS, cores=1, calls=3)
    lines = [line for _, line in trace.lines]
    inside = next(number for number, line in enumerate(lines) if "EL3h_s" in line and "BL loop" in line)
    (tmp_path / "trace").write_text("\n".join(lines[:inside] + lines[inside + 1 :]) + "\n")
    result = read(tmp_path / "trace")
    assert sum(row.count for row in result.rows) == 2
    assert (EL3, GapKind.LOST) in result.extent.gaps
    assert any("calls with missing data inside" in problem.message for problem in result.problems)


def test_what_has_no_instruction_is_refused_with_the_first_reason(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("hello\n")
    with pytest.raises(DataError, match="trace has no instruction that can be counted; line 1: a line of unknown form: 'hello'"):
        read(tmp_path / "trace")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be opened"):
        read(tmp_path / "nowhere")


def test_the_page_of_the_run_by_its_clock_names_its_unit_and_the_functions(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    result = import_trace(
        open_store(place), TraceRequest(written(tmp_path, make_trace(6, Dialect.GEM5), Dialect.GEM5), sanitized_reader()), quiet
    )
    table = functions_table(load_reference(result.clock_run_id, store=place))
    assert table is not None
    assert [column.name for column in table.columns][-2:] == ["Ticks per call", "Share"]
    assert sum(count.total() for count in result.time_functions.values()) == sum(row.total for row in result.time_rows)


def test_a_clock_of_equal_steps_counts_instructions_whatever_its_unit(tmp_path: Path) -> None:
    lines = [f"{1000 * n} ps IT ({n}) {0x8000 + 8 * (n % 4):08x} d65f03c0 O EL3h_s : RET" for n in range(1, 9)]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    assert read(tmp_path / "trace").is_a_count
    lines[3] = lines[3].replace("4000 ps", "4900 ps")
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    assert not read(tmp_path / "trace").is_a_count
