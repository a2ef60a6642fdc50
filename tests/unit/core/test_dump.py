# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.model.enums import RunStatus
from latlab.core.model.run import CoreId, Topology
from latlab.core.readers.dump.dump import Dump, Iteration, collect_dump
from latlab.core.readers.dump.frames import Boot, Data, Done, EndFrame, Frame, RawRecord, Ring, TestStart, parse_frames
from latlab.core.readers.event_table import event_table
from support.console_lines import format_frame
from support.examples import examples
from support.runs import JUNO
from support.synthetic import TESTS, Model, log

TABLE = event_table()
WHOLE = log()
SMALL = log(Topology((1, 1)), 2, ("susp_deep_parallel", "psci_version_parallel"))
CHECKED = [line for line in SMALL if "LLT1:" in line]

cores = st.builds(CoreId, st.integers(0, 255), st.integers(0, 255))
words = st.text(st.characters(codec="ascii", min_codepoint=33, max_codepoint=126, exclude_characters="<>"), min_size=1)
numbers = st.integers(0, 2**32 - 1)
records = st.builds(RawRecord, st.integers(0, 2**64 - 1), st.integers(0, 2**16 - 1), st.integers(0, 2**48 - 1))
frames = st.one_of(
    st.builds(
        Boot,
        words,
        st.integers(1, 2**63 - 1),
        numbers,
        st.builds(Topology, st.lists(st.integers(1, 16), min_size=1, max_size=4).map(tuple)),
        cores,
        numbers,
        numbers,
        numbers,
        words,
    ),
    st.builds(TestStart, words, numbers, cores),
    st.builds(Ring, words, numbers, cores, numbers, numbers, numbers),
    st.builds(Data, cores, numbers, st.lists(records, min_size=1, max_size=3).map(tuple)),
    st.builds(Done, words, numbers),
    st.builds(EndFrame, numbers, numbers, words),
)


def read(lines: list[str]) -> Dump:
    return collect_dump(lines, TABLE)


def without_lines(dump: Dump) -> list[Iteration]:
    return [replace(iteration, line=0) for iteration in dump.iterations]


EXPECTED = list(Model().iterations())


@given(frames)
def test_a_frame_reads_back_as_what_was_written(frame: Frame) -> None:
    assert list(parse_frames(format_frame(frame))) == [frame]


def test_a_known_line_has_the_checksum_of_zlib() -> None:
    assert format_frame(Done("a", 3)) == "<LLT1:DONE test=a iteration=3 *710b9a48>"


@pytest.mark.parametrize("topology", [Topology((1,)), JUNO, Topology((4, 4, 4, 4))])
def test_a_log_reads_back_as_the_iterations_it_was_made_from(topology: Topology) -> None:
    model = Model(topology)
    dump = read(list(model.lines()))
    assert dump.status is RunStatus.COMPLETE
    assert dump.boots == (model.header,)
    assert without_lines(dump) == list(Model(topology).iterations())


@pytest.mark.parametrize(
    "dress",
    [
        lambda line: f"[2026-11-21 20:00:00.123] board-3: {line}",
        lambda line: line + "\r",
        lambda line: f"\x1b[32m{line}\x1b[0m",
        lambda line: f"<0>{line} <end/>",
        lambda line: line.replace("LLT1:", "\x1b[1mLLT1:"),
    ],
)
def test_what_a_lab_puts_around_a_line_does_not_matter(dress: Callable[[str], str]) -> None:
    dump = read([dress(line) for line in WHOLE])
    assert not dump.problems
    assert without_lines(dump) == EXPECTED


def test_other_lines_in_between_do_not_matter() -> None:
    mixed = [part for line in WHOLE for part in ("NOTICE: all is well", line, "")]
    assert without_lines(read(mixed)) == EXPECTED


@given(st.randoms(use_true_random=False))
@examples(30)
def test_lines_of_several_cores_may_be_interleaved(random: object) -> None:
    lines, block, mixed = list(WHOLE), [], []
    for line in lines:
        if "LLT1:RING" in line or "LLT1:DATA" in line:
            block.append(line)
            continue
        mixed += _interleave(block, random)
        block = []
        mixed.append(line)
    dump = read(mixed)
    assert not dump.problems
    assert without_lines(dump) == EXPECTED


def _interleave(block: list[str], random: object) -> list[str]:
    """Any order that keeps the lines of each core in theirs."""
    queues: dict[str, list[str]] = {}
    for line in block:
        queues.setdefault(line.split("core=")[1].split(" ")[0], []).append(line)
    mixed = []
    while queues:
        core = random.choice(sorted(queues))  # type: ignore[attr-defined]
        mixed.append(queues[core].pop(0))
        if not queues[core]:
            del queues[core]
    return mixed


def test_a_line_that_another_one_cuts_in_two_is_named_and_the_other_is_kept() -> None:
    first = next(i for i, line in enumerate(WHOLE) if "LLT1:DATA" in line)
    broken = list(WHOLE)
    broken[first : first + 2] = [WHOLE[first][:20] + WHOLE[first + 1] + WHOLE[first][20:]]
    dump = read(broken)
    assert any(problem.line == first + 1 for problem in dump.problems)
    assert without_lines(dump) == EXPECTED[1:]


@given(st.integers(0, len("\n".join(SMALL))))
@examples(300)
def test_a_log_cut_anywhere_keeps_what_stood_before_the_cut(where: int) -> None:
    text = "\n".join(SMALL)
    dump = read(text[:where].split("\n"))
    assert dump.iterations == tuple(i for i in read(SMALL).iterations if _end_of(i, text) <= where)
    assert (dump.status is RunStatus.COMPLETE) == (where == len(text))
    assert all(1 <= problem.line <= len(SMALL) for problem in dump.problems)


def _end_of(iteration: Iteration, text: str) -> int:
    done = format_frame(Done(iteration.test, iteration.iteration))
    return text.index(done) + len(done)


def test_a_log_whose_head_is_missing_says_that_its_records_have_no_meaning() -> None:
    dump = read(WHOLE[1:])
    assert not dump.iterations
    assert dump.problems[0].line == 1
    assert "BOOT" in dump.problems[0].message


@given(st.integers(0, 8 * len("\n".join(CHECKED)) - 1))
@examples(800)
def test_a_flipped_bit_is_named_with_its_line_and_costs_one_iteration_at_most(bit: int) -> None:
    text = bytearray("\n".join(CHECKED), "ascii")
    line = text[: bit // 8].count(b"\n") + 1
    was_line_end = text[bit // 8] == ord("\n")
    text[bit // 8] ^= 1 << bit % 8
    dump = read(bytes(text).decode("utf-8", "backslashreplace").split("\n"))
    whole = read(CHECKED)
    if was_line_end and without_lines(dump) == without_lines(whole):
        return
    assert dump.status is RunStatus.PARTIAL
    assert line in {problem.line for problem in dump.problems}
    kept = without_lines(dump)
    assert all(iteration in without_lines(whole) for iteration in kept)
    assert len(kept) >= (len(whole.iterations) - 1 if line > 1 else 0)


def test_another_event_table_is_refused() -> None:
    other = format_frame(replace(Model().header, events="0" * 16))
    dump = read([other, *WHOLE[1:]])
    assert not dump.iterations
    assert len(dump.problems) == 1
    assert TABLE.hash in dump.problems[0].message


@pytest.mark.parametrize("kind", ["TEST", "RING", "DATA", "DONE", "END"])
def test_a_missing_line_is_noticed_and_the_rest_is_kept(kind: str) -> None:
    index = next(i for i, line in enumerate(WHOLE) if f"LLT1:{kind}" in line)
    dump = read(WHOLE[:index] + WHOLE[index + 1 :])
    assert dump.problems
    assert without_lines(dump) == (EXPECTED if kind == "END" else EXPECTED[1:])


def test_a_missing_iteration_is_noticed() -> None:
    starts = [i for i, line in enumerate(WHOLE) if "LLT1:TEST" in line]
    dump = read(WHOLE[: starts[1]] + WHOLE[starts[2] :])
    assert "susp_deep_parallel lacks 1 of 2 iterations, the first is 1" in dump.problems[0].message


def test_counts_that_no_firmware_means_are_told_and_not_counted_out() -> None:
    huge = 2**62
    begun = Boot(TABLE.hash, 62_500_000, 7_500, Topology((1,)), CoreId(0, 0), huge, 1, 3, "x")
    frames: tuple[Frame, ...] = (
        begun,
        TestStart("a", 0, CoreId(0, 0)),
        Ring("a", 0, CoreId(0, 0), 7, huge, 0),
        Done("a", 0),
        EndFrame(1, huge, "pass"),
    )
    said = [problem.message for problem in read([format_frame(frame) for frame in frames]).problems]
    assert f"{huge} records of core 0.0 are missing, from sequence 7" in said[0]
    assert f"a lacks {huge - 1} of {huge} iterations, the first is 1" in said[-1]


def test_a_missing_test_is_noticed() -> None:
    starts = [i for i, line in enumerate(WHOLE) if "LLT1:TEST" in line]
    dump = read(WHOLE[: starts[0]] + WHOLE[starts[2] :])
    assert "counts 6 tests, the log has 5" in dump.problems[0].message


def test_a_restart_of_the_target_is_noticed_and_both_boots_are_kept() -> None:
    dump = read(WHOLE[:200] + WHOLE)
    assert any("restarted" in problem.message for problem in dump.problems)
    assert {iteration.boot for iteration in dump.iterations} == {0, 1}


def test_two_whole_boots_in_one_log_are_two_boots() -> None:
    dump = read(WHOLE + WHOLE)
    assert not dump.problems
    assert [iteration.boot for iteration in dump.iterations] == [0] * len(EXPECTED) + [1] * len(EXPECTED)


def test_lost_records_are_named_and_counted() -> None:
    index = next(i for i, line in enumerate(WHOLE) if "LLT1:RING" in line)
    ring = next(iter(parse_frames(WHOLE[index])))
    assert isinstance(ring, Ring)
    dump = read([*WHOLE[:index], format_frame(replace(ring, lost=5)), *WHOLE[index + 1 :]])
    assert dump.problems[0].line == index + 1
    assert dump.iterations[0].traces[0].lost == 5


def test_a_core_that_the_topology_lacks_is_refused() -> None:
    index = next(i for i, line in enumerate(WHOLE) if "LLT1:RING" in line)
    ring = next(iter(parse_frames(WHOLE[index])))
    assert isinstance(ring, Ring)
    dump = read([*WHOLE[:index], format_frame(replace(ring, core=CoreId(7, 7))), *WHOLE[index + 1 :]])
    assert "core 7.7" in dump.problems[0].message
    assert without_lines(dump) == EXPECTED[1:]


def test_a_core_without_a_figure_is_noticed_when_the_others_have_one() -> None:
    index = next(i for i, line in enumerate(WHOLE) if "RT_INSTR" in line)
    dump = read(WHOLE[:index] + WHOLE[index + 1 :])
    assert "core 0.0 has no RT_INSTR line" in dump.problems[0].message


def test_a_log_without_any_figure_line_is_complete() -> None:
    dump = read([line for line in WHOLE if "RT_INSTR" not in line])
    assert dump.status is RunStatus.COMPLETE
    assert len(dump.iterations) == len(TESTS) * 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[  1.2] PANIC core 0.1: exception 4 at 1234", "the target panicked: 'core 0.1: exception 4 at 1234'"),
        ("FAULT test_rt_instr_x iteration 3 core 1.0: call returned -2", "iteration 3 core 1.0: call returned -2"),
    ],
)
def test_what_the_target_says_of_its_own_failure_is_quoted_with_its_line(line: str, words: str) -> None:
    dump = read([*WHOLE[:4], line, *WHOLE[4:]])
    assert [(problem.line, words in problem.message) for problem in dump.problems] == [(5, True)]


@given(st.lists(st.text(), max_size=20))
@examples(300)
def test_garbage_never_raises(lines: list[str]) -> None:
    assert read(lines).status is RunStatus.PARTIAL
