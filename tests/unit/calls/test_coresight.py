# SPDX-License-Identifier: BSD-3-Clause
"""CoreSight from the packets of a trace unit to calls: OpenCSD decodes what a generator wrote, and the generator counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.calls.analysis.calls import WorldCall
from latlab.calls.campaign import traces
from latlab.calls.campaign.identifying import is_trace
from latlab.calls.campaign.traces import TraceAccumulator, TraceRead, TraceRequest, import_trace, read_trace
from latlab.calls.model.crossings import NO_LEVEL, SECURE, Absent, Arch, GapKind, world_name
from latlab.calls.targets.traces import reader_for
from latlab.calls.verbs.import_trace import files_of
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.loading import load_reference
from latlab.core.model.enums import Clock
from latlab.core.store.store import open_store
from support.etmv4_traces import EL1, EL3, make_snapshot, mutants
from support.trace_reader import sanitized_coresight

MUTANTS = 20


@pytest.fixture(name="reader", scope="module")
def fixture_reader() -> Path:
    reader = sanitized_coresight()
    if reader is None:
        pytest.skip("OpenCSD is not installed: libopencsd-dev")
    return reader


def quiet(state: TraceAccumulator, elapsed_s: float) -> None:
    return


def calls_of(folder: Path, reader: Path) -> tuple[list[tuple[int, int | None]], TraceRead]:
    """The instructions and the cycles of each call."""
    calls: list[tuple[int, int | None]] = []

    class Listing(TraceAccumulator):
        def _take_call(self, call: WorldCall) -> None:
            super()._take_call(call)
            calls.append((call.instructions, call.time.ticks if call.time else None))

    accumulator = Listing(lambda samples: None)
    summary, images, problems = traces.read_stream(TraceRequest((folder,), reader), accumulator, bytearray(), quiet, lambda: False)
    return calls, traces.analysed(accumulator, summary, images, problems)


@pytest.mark.parametrize("has_cycles", (False, True))
@pytest.mark.parametrize("seed", range(5))
def test_counts_calls_and_cycles_are_those_of_the_program_that_was_traced(
    seed: int, has_cycles: bool, reader: Path, tmp_path: Path
) -> None:
    made = make_snapshot(seed, has_cycles=has_cycles)
    calls, read = calls_of(made.write(tmp_path / "snapshot"), reader)
    assert [count for count, _ in calls] == made.calls
    assert [ticks for _, ticks in calls] == (made.ticks if has_cycles else [None] * len(made.calls))
    assert read.extent.instructions == made.instructions
    assert read.summary.instructions == made.instructions.total()
    assert read.summary.cores == ("cpu_0",)
    assert read.problems == ()
    assert bool(read.source.absent & Absent.TIME) is not has_cycles


def test_an_overflow_leaves_its_call_out_and_is_counted_in_its_world(reader: Path, tmp_path: Path) -> None:
    made = make_snapshot(3, lost=frozenset({2, 5}))
    calls, read = calls_of(made.write(tmp_path / "snapshot"), reader)
    assert [count for count, _ in calls] == made.calls
    assert read.extent.gaps[EL3, GapKind.OVERFLOW].count == made.overflows == 2
    assert read.extent.instructions == made.instructions
    assert any("the trace unit or its buffer was full, first at byte" in problem.message for problem in read.problems)


def test_code_of_no_memory_image_is_missing_and_said(reader: Path, tmp_path: Path) -> None:
    made = make_snapshot(4)
    folder = made.write(tmp_path / "snapshot")
    (folder / "el3.bin").unlink()
    calls, read = calls_of(folder, reader)
    assert calls == []
    assert set(read.extent.instructions) == {EL1}
    assert read.extent.gaps[EL3, GapKind.NO_MEMORY].count == len(made.calls)
    assert "1 memory images cannot be used, the first: el3.bin cannot be opened" in [problem.message for problem in read.problems]


def test_a_snapshot_is_kept_in_instructions_and_in_cycles(reader: Path, tmp_path: Path) -> None:
    made = make_snapshot(5, has_cycles=True)
    place = str(tmp_path / "store.sqlite")
    read = import_trace(open_store(place), TraceRequest((made.write(tmp_path / "snapshot"),), reader), quiet)
    counted, timed = (load_reference(name, store=place) for name in (read.run_id, read.clock_run_id))
    assert (counted.tick.clock, timed.tick.clock) == (Clock.INSTRUCTIONS, Clock.CYCLES)
    assert sorted(sample.value_ticks for sample in counted.samples) == sorted(made.calls)
    assert sorted(sample.value_ticks for sample in timed.samples) == sorted(made.ticks)
    assert counted.emulator == "CoreSight"


@pytest.mark.parametrize("count", [MUTANTS, pytest.param(10 * MUTANTS, marks=pytest.mark.slow)])
def test_a_damaged_trace_ends_no_reader_and_a_cut_one_has_what_came_before(reader: Path, tmp_path: Path, count: int) -> None:
    made = make_snapshot(6, calls=30)
    folder = made.write(tmp_path / "snapshot")
    for number, trace in enumerate(mutants(made.trace, 6, count)):
        (folder / "trace.bin").write_bytes(trace)
        try:
            calls, read = calls_of(folder, reader)
        except DataError:
            continue
        counts = [count for count, _ in calls]
        assert number % 4 or counts == made.calls[: len(counts)], number
        assert all(read.extent.instructions[world] <= count for world, count in made.instructions.items()) or number % 4, number


def test_a_trace_without_a_decoded_instruction_is_one_sentence(reader: Path, tmp_path: Path) -> None:
    folder = make_snapshot(1).write(tmp_path / "snapshot")
    (folder / "el1.bin").unlink()
    (folder / "el3.bin").unlink()
    with pytest.raises(DataError, match=r"byte \d+: the code at the address is in no image: '0x80000'"):
        read_trace(TraceRequest((folder,), reader), quiet)
    (folder / "trace.bin").write_bytes(b"\0" * 64)
    with pytest.raises(DataError, match="no instruction in 64 bytes of trace: "):
        read_trace(TraceRequest((folder,), reader), quiet)


def test_a_snapshot_whose_description_is_missing_is_refused(reader: Path, tmp_path: Path) -> None:
    folder = make_snapshot(1).write(tmp_path / "snapshot")
    (folder / "etm.ini").unlink()
    with pytest.raises(UsageError, match=r"etm\.ini cannot be opened"):
        read_trace(TraceRequest((folder,), reader), quiet)


def test_a_snapshot_folder_is_one_trace_and_has_its_own_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_snapshot(1).write(tmp_path / "snapshot")
    (tmp_path / "tarmac").write_text("")
    assert is_trace(folder) and not is_trace(tmp_path)
    assert files_of([folder]) == (folder,)
    with pytest.raises(UsageError, match="tarmac is no snapshot folder, as the others are"):
        reader_for((folder, tmp_path / "tarmac"))
    monkeypatch.setattr("latlab.calls.targets.traces.search_folders", lambda: (tmp_path,))
    with pytest.raises(UsageError, match=r"install OpenCSD \(libopencsd-dev on Debian\), then build it in a checkout with `make probe`"):
        reader_for((folder,))
    (tmp_path / "latlab-coresight").touch()
    assert reader_for((folder,)) == tmp_path / "latlab-coresight"


def test_a_world_without_an_exception_level_has_the_name_of_its_security_state() -> None:
    assert world_name(Arch.AARCH64, NO_LEVEL) == "non-secure"
    assert world_name(Arch.AARCH64, NO_LEVEL | SECURE) == "secure"
