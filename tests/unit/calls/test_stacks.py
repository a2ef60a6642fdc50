# SPDX-License-Identifier: BSD-3-Clause
"""Who called whom, from paths of code: random programs in a model, and the odd ways in which firmware goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.analysis.calls import EntryKind, Fallen, WorldEntry
from latlab.calls.analysis.marked import Stranded
from latlab.calls.analysis.paths import runs_of
from latlab.calls.analysis.stacks import MOST_DEPTH, codes_of, frames_of
from latlab.calls.analysis.symbolize import Names, entry_addresses
from latlab.calls.analysis.timelines import timeline_of, timelines_of
from latlab.calls.model.crossings import LOOP, Arch, Fragment, Stretch
from latlab.core.comparison.call_trees import summed, wholes
from latlab.core.model.enums import Metric
from latlab.core.model.run import CalledAt, CoreId, Frame
from latlab.core.model.symbols import Image
from support.a64_programs import Program, branch, execute, folded, programs

NOP, BL, RET, ERET, BLR = 0xD503201F, 0x94000000, 0xD65F03C0, 0xD69F03E0, 0xD63F0000
A, B, C, VECTOR = 0x1000, 0x2000, 0x3000, 0x4400
IMAGE = Image("fw", (A, B, C, 0x4000), (0x1000,) * 4, ("a", "b", "c", "vectors"), ((A, bytes(0x4000)),))


def image_of(fragments: Mapping[int, Fragment]) -> Image:
    """IMAGE with the code that ran."""
    code = bytearray(0x4000)
    for one in fragments.values():
        code[one.address - A : one.address - A + len(one.code)] = one.code
    return replace(IMAGE, code=((A, bytes(code)),))


def code(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


class Path:
    """Fragments as they run, one after another."""

    def __init__(self) -> None:
        self.fragments: dict[int, Fragment] = {}
        self.steps: list[int] = []

    def ran(self, address: int, *words: int, times: int = 1) -> Path:
        number = next((n for n, one in self.fragments.items() if one.address == address), len(self.fragments))
        self.fragments[number] = Fragment(number, address, len(words), 3, code(*words))
        self.steps += (number, times)
        return self

    def cut(self) -> Stretch:
        stretch, self.steps = Stretch(tuple(self.steps)), []
        return stretch

    def frames(self, *stretches: Stretch) -> tuple[Frame, ...]:
        codes = codes_of(Arch.AARCH64, self.fragments, Names(self.fragments, [image_of(self.fragments)]))
        return frames_of({stretches or (self.cut(),): 1}, codes)


def by_path(frames: tuple[Frame, ...]) -> dict[tuple[str, ...], Frame]:
    found: dict[tuple[str, ...], Frame] = {}
    stack: list[str] = []
    for frame in frames:
        stack = [*stack[: frame.depth], frame.name]
        assert len(stack) == frame.depth + 1
        found[tuple(stack)] = frame
    return found


@given(programs(), st.booleans())
def test_the_tree_of_a_random_program_is_the_models_and_its_instructions_add_up(program: Program, is_folded: bool) -> None:
    ran = execute(program)
    steps = folded(ran.order) if is_folded else tuple(word for number in ran.order for word in (number, 1))
    stretches = (Stretch(steps),)
    assert runs_of(stretches) == Counter(ran.order)
    codes = codes_of(Arch.AARCH64, ran.fragments, Names(ran.fragments, [program.image()]))
    found = by_path(frames_of({stretches: 3}, codes))
    assert {path: frame.instructions for path, frame in found.items()} == {path: 3 * count for path, count in ran.spent.items()}
    assert {path: frame.calls for path, frame in found.items()} == {path: 3 * count for path, count in ran.entered.items()}


@given(programs(), st.integers(1, 20))
def test_a_time_line_covers_its_span_whole_and_in_order_however_few_rows_it_may_have(program: Program, most: int) -> None:
    ran = execute(program)
    codes = codes_of(Arch.AARCH64, ran.fragments, Names(ran.fragments, [program.image()]))
    whole = timeline_of((Stretch(folded(ran.order)),), codes)
    cut = timeline_of((Stretch(folded(ran.order)),), codes, most)
    length = ran.spent.total()
    assert len(whole) == ran.entered.total() and len(cut) == min(most, len(whole))
    for rows in (whole, cut):
        assert sum(row.own for row in rows) == length == sum(row.whole for row in rows if row.depth == 0) or len(rows) == most
        assert [row.start for row in rows] == sorted(row.start for row in rows)
        assert all(0 <= row.own <= row.whole for row in rows)
    assert [(row.depth, row.name, row.start, row.whole) for row in cut] == [
        (row.depth, row.name, row.start, row.whole) for row in whole[:most]
    ]


@given(programs())
def test_trees_that_are_added_up_hold_the_instructions_of_all(program: Program) -> None:
    ran = execute(program)
    codes = codes_of(Arch.AARCH64, ran.fragments, Names(ran.fragments, [program.image()]))
    one = frames_of({(Stretch(folded(ran.order)),): 1}, codes)
    twice = summed([one, one])
    assert [(frame.depth, frame.name, 2 * frame.instructions, 2 * frame.calls) for frame in one] == [
        (frame.depth, frame.name, frame.instructions, frame.calls) for frame in twice
    ]
    roots = [whole for frame, whole in zip(one, wholes(one), strict=True) if frame.depth == 0]
    assert sum(roots) == ran.spent.total()


def test_functions_without_symbols_are_named_by_the_addresses_that_were_called() -> None:
    path = Path().ran(A, branch(BL, A, B)).ran(B, BLR).ran(C, RET).ran(B + 4, RET).ran(A + 4, NOP)
    entries = entry_addresses(Arch.AARCH64, path.fragments, [(path.cut(),)])
    assert entries == (A, B, C)
    names = Names(path.fragments, [], entries)
    assert [names[number] for number in range(5)] == ["0x1000", "0x2000", "0x3000", "0x2000", "0x1000"]


def test_a_span_that_begins_behind_code_that_ran_begins_no_function() -> None:
    path = Path().ran(A, branch(BL, A, B)).ran(B, 0xD503207F)
    down, up = path.cut(), path.ran(B + 4, RET).cut()
    assert entry_addresses(Arch.AARCH64, path.fragments, [(down,), (up,)]) == (A, B)


def test_a_call_that_is_repeated_in_a_loop_counts_each_time() -> None:
    path = Path().ran(A, branch(BL, A, B)).ran(B, RET).ran(A + 4, 0xB5FFFFE0)
    call, back, again = range(3)
    stretch = Stretch((LOOP | 3, 1000, call, 1, back, 1, again, 1))
    assert path.frames(stretch) == (Frame(0, "a", 1, 2000), Frame(1, "b", 1000, 1000))


def test_an_exception_is_a_call_from_which_the_code_goes_on_where_it_was() -> None:
    path = Path().ran(A, NOP, 0xF9400000).ran(VECTOR, branch(BL, VECTOR, B)).ran(B, RET).ran(VECTOR + 4, ERET).ran(A + 4, 0xF9400000)
    assert path.frames() == (Frame(0, "a", 1, 3), Frame(1, "vectors", 1, 2), Frame(2, "b", 1, 1))


def test_a_second_try_at_a_devices_register_is_no_exception() -> None:
    path = Path().ran(A, NOP, 0xF9400000).ran(A + 4, 0xF9400000).ran(A + 8, NOP)
    assert path.frames() == (Frame(0, "a", 1, 4),)


def test_a_branch_into_another_function_takes_the_place_of_the_caller_and_returns_for_it() -> None:
    path = Path().ran(A, branch(BL, A, B)).ran(B, branch(0x14000000, B, C)).ran(C, RET).ran(A + 4, NOP)
    assert path.frames() == (Frame(0, "a", 1, 2), Frame(1, "b", 1, 1), Frame(1, "c", 1, 1))


def test_a_loop_to_the_place_behind_a_recursive_call_is_no_return() -> None:
    path = Path().ran(A, branch(BL, A, A)).ran(A, branch(BL, A, A)).ran(A + 8, branch(0x14000000, A + 8, A + 4)).ran(A + 4, NOP)
    assert path.frames() == (Frame(0, "a", 1, 1), Frame(1, "a", 1, 1), Frame(2, "a", 1, 2))


def test_calls_that_never_return_do_not_make_the_stack_grow_without_end() -> None:
    path = Path().ran(A, branch(BL, A, B)).ran(B, branch(BL, B, A))
    frames = path.frames(Stretch((LOOP | 2, 10_000, 0, 1, 1, 1)))
    assert max(frame.depth for frame in frames) < MOST_DEPTH
    assert sum(frame.instructions for frame in frames) == 20_000


def test_after_a_sleep_a_core_goes_on_in_its_function_and_after_a_reset_it_does_not() -> None:
    path = Path().ran(A, branch(BL, A, B)).ran(B, 0xD503207F)
    down = path.cut()
    behind = path.ran(B + 4, RET).ran(A + 4, NOP).cut()
    reset = path.ran(C, NOP).cut()
    assert path.frames(down, behind) == (Frame(0, "a", 1, 2), Frame(1, "b", 1, 2))
    assert path.frames(down, reset) == (Frame(0, "a", 1, 1), Frame(1, "b", 1, 1), Frame(0, "c", 1, 1))


def test_what_found_no_room_in_the_path_stands_beside_it_without_an_order() -> None:
    path = Path().ran(A, NOP).ran(B, NOP, NOP)
    stretch = Stretch((0, 1), ((1, 5),), 7)
    found = path.frames(stretch)
    assert found == (Frame(0, "a", 1, 1), Frame(0, "(order unknown)", 1, 0), Frame(1, "b", 0, 10), Frame(1, "(not listed)", 0, 7))


def test_the_time_line_says_where_each_call_starts() -> None:
    path = Path().ran(A, NOP, branch(BL, A + 4, B)).ran(B, NOP, NOP, RET).ran(A + 8, NOP)
    codes = codes_of(Arch.AARCH64, path.fragments, Names(path.fragments, [image_of(path.fragments)]))
    assert timeline_of((path.cut(),), codes) == (CalledAt(0, "a", 0, 6, 3), CalledAt(1, "b", 2, 3, 3))


def test_the_time_line_of_a_span_is_that_of_the_first_iteration_of_usual_length() -> None:
    """Of four iterations of 9, 6, 5 and 6 instructions the lower median is 6, which the second was the first to take."""
    path = Path().ran(A, NOP, NOP)
    codes = codes_of(Arch.AARCH64, path.fragments, Names(path.fragments, [image_of(path.fragments)]))
    entry = WorldEntry(EntryKind.CALL, "CPU_SUSPEND", 0xC4000001)
    ran = path.cut()
    calls = [Stranded("susp_deep_serial", i, 0, Fallen(0, entry, 100, 100 + length, (ran,))) for i, length in enumerate((9, 6, 5, 6))]
    (found,) = timelines_of(calls, codes, {0: CoreId(0, 1)})
    assert (found.test, found.metric, found.core) == ("susp_deep_serial", Metric.POWERDOWN, CoreId(0, 1))
    assert (found.iteration, found.length, found.calls) == (1, 6, timeline_of((ran,), codes))


@pytest.mark.parametrize(
    ("arch", "call", "back"),
    [
        (Arch.RISCV, (0x010000EF).to_bytes(4, "little"), (0x00008067).to_bytes(4, "little")),
        (Arch.RISCV, (0x9782).to_bytes(2, "little"), (0x8082).to_bytes(2, "little")),
        (Arch.ARMV8M, bytes.fromhex("00f000f8"), (0x4770).to_bytes(2, "little")),
        (Arch.ARMV8M, (0x4798).to_bytes(2, "little"), (0xBD10).to_bytes(2, "little")),
    ],
)
def test_calls_and_returns_of_the_other_architectures_are_known(arch: Arch, call: bytes, back: bytes) -> None:
    fragments = {
        0: Fragment(0, A, 1, 3, call),
        1: Fragment(1, B, 1, 3, back),
        2: Fragment(2, A + len(call), 1, 3, back),
    }
    codes = codes_of(arch, fragments, Names(fragments, [image_of(fragments)]))
    assert frames_of({(Stretch((0, 1, 1, 1, 2, 1)),): 1}, codes) == (Frame(0, "a", 1, 2), Frame(1, "b", 1, 1))


def test_a_loop_in_a_loop_multiplies() -> None:
    path = Path().ran(A, NOP).ran(A + 4, NOP, NOP).ran(A + 12, NOP)
    stretch = Stretch((LOOP | 4, 3, LOOP | 1, 2, 0, 5, 1, 1, 2, 1))
    assert runs_of([stretch]) == {0: 30, 1: 3, 2: 3}
    assert sum(frame.instructions for frame in path.frames(stretch)) == 30 + 6 + 3
