# SPDX-License-Identifier: BSD-3-Clause
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.model.crossings import (
    LOOP,
    Arch,
    Core,
    Crossing,
    End,
    Fragment,
    Header,
    Mask,
    Masked,
    Naps,
    Path,
    Profile,
    Sleep,
    WaitInstruction,
    Wake,
    world_name,
)
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import Problem
from support import probe_stream as made

WHOLE = b"".join(
    (
        made.header(cores=2),
        made.core(0, 0x80000000),
        made.crossing(0, 0, made.NO_WORLD, made.EL3),
        made.smc(0, 100, 0x84000000, (1, 2)),
        made.fragment(0, 0x400, 2, b"\1\2\3\4\5\6\7\x08"),
        made.sleep(0, 120),
        made.naps(0, [(0, 2)], 5),
        made.wake(0, 130, 7),
        made.path(0, [(0, 1), made.loop(1, 9), (0, 2)]),
        made.profile(0, [(0, 3)], 4),
        made.back(0, 150, 0x10001),
        made.masked(3, 60, 50, worlds=((1, 40, 30), (7, 20, 20)), edges=2, link=0x10, trail=(1, 2, 3, 0)),
        made.end(11),
    )
)


def read(data: bytes, step: int = 1 << 20) -> list[object]:
    decoder = Decoder()
    items: list[object] = []
    for at in range(0, len(data), step):
        items.extend(decoder.feed(data[at : at + step]))
    return [*items, *decoder.finish()]


def only_problem(data: bytes) -> str:
    found = [item for item in read(data) if isinstance(item, Problem)]
    assert len(found) == 1
    return found[0].message


def test_every_record_comes_back_as_it_was_written() -> None:
    assert read(WHOLE) == [
        Header(Arch.AARCH64, False, 2, 4),
        Core(0, 0x80000000),
        Crossing(0, 0, 0, 0x400, 0xFF, 7, ()),
        Crossing(0, 100, 100, 0x400, 1, 7, (0x84000000, 1, 2, 0, 0, 0, 0, 0, 0x17 << 26, 0x60000000)),
        Fragment(0, 0x400, 2, 3, b"\1\2\3\4\5\6\7\x08"),
        Sleep(0, 120, 120, 0x1000, 7, WaitInstruction.WFI),
        Naps(0, 5, ((0, 2),)),
        Wake(0, 130, 130, 0x1004, 7),
        Path(0, (0, 1, LOOP | 1, 9, 0, 2)),
        Profile(0, 4, ((0, 3),)),
        Crossing(0, 150, 150, 0x60000000, 7, 1, (0x10001, 0, 0, 0, 0, 0, 0, 0)),
        Masked(0, 0, Mask.MASKED, 1, 1, False, True, 3, 60, 50, 0x100, 0x10, 0x200, ((1, 40, 30), (7, 20, 20)), (1, 2, 3, 0)),
        End(11, 0),
    ]


@given(st.integers(1, 64))
def test_a_stream_that_comes_in_parts_gives_the_same_records(step: int) -> None:
    assert read(WHOLE, step) == read(WHOLE)


def test_a_stream_that_stops_anywhere_keeps_what_came_and_says_that_it_was_cut_off() -> None:
    whole = read(WHOLE)
    counts = []
    for size in range(len(WHOLE)):
        items = read(WHOLE[:size])
        assert isinstance(items[-1], Problem)
        assert items[:-1] == whole[: len(items) - 1]
        counts.append(len(items))
    assert all(before <= after for before, after in pairwise(counts))


def test_losses_are_told_with_their_number() -> None:
    assert "lost 5 records after 3" in only_problem(made.header() + made.end(3, 5))


def test_a_kind_that_is_not_known_is_skipped() -> None:
    assert read(made.header() + made.record(99, 0, b"12345678") + made.end(1)) == [Header(Arch.AARCH64, False, 1, 4), End(1, 0)]


def test_what_is_no_stream_is_named_at_its_first_byte() -> None:
    assert "byte 0" in only_problem(b"\x7fELF and so on, long enough for a header")


@pytest.mark.parametrize("other", [1, 2, 3, 5])
def test_another_version_of_the_format_is_refused_with_both_numbers(other: int) -> None:
    message = only_problem(made.header(version=other))
    assert f"version {other} of" in message
    assert "knows version 4" in message


def test_an_unknown_architecture_is_refused() -> None:
    assert "architecture 9" in only_problem(made.header(arch=9))


@pytest.mark.parametrize("size", [0, 4, 9, 65535])
def test_a_record_with_an_impossible_length_is_named_with_its_byte(size: int) -> None:
    damaged = made.header() + b"\2\0" + size.to_bytes(2, "little") + bytes(70000)
    message = only_problem(damaged)
    assert "byte 24" in message
    assert f"{size} bytes" in message


def test_a_crossing_that_promises_more_registers_than_it_has_is_damage() -> None:
    short = bytearray(made.crossing(0, 0, 1, 7, (1, 2)))
    short[8 + 26] = 200
    assert "kind 2" in only_problem(made.header() + bytes(short))


def test_a_fragment_that_promises_more_code_than_it_has_is_damage() -> None:
    short = bytearray(made.fragment(0, 0, 1, b"1234"))
    short[8 + 20] = 200
    assert "200 bytes of code" in only_problem(made.header() + bytes(short))


def test_masked_stretches_that_promise_more_worlds_than_they_have_are_damage() -> None:
    short = bytearray(made.masked(1, 1, 1))
    short[8 + 6] = 9
    assert "9 worlds announced" in only_problem(made.header() + bytes(short))


def test_a_mask_that_is_not_one_is_damage() -> None:
    assert "kind 9" in only_problem(made.header() + made.masked(1, 1, 1, mask=0))


def test_the_header_says_what_was_asked_for() -> None:
    wanted = [read(made.header(functions=bits) + made.end(0))[0] for bits in range(4)]
    assert [(one.has_functions, one.has_masked) for one in wanted if isinstance(one, Header)] == [
        (False, False),
        (True, False),
        (False, True),
        (True, True),
    ]


@pytest.mark.parametrize(
    "record",
    [made.path(0, [(3, 1)]), made.path(0, [made.loop(1, 2), (3, 1)]), made.profile(0, [(3, 1)]), made.naps(0, [(3, 1)])],
)
def test_what_ran_and_was_never_described_is_damage(record: bytes) -> None:
    assert "fragment 3 ran and was not described" in only_problem(made.header() + made.fragment(2, 0, 1) + record)


@given(st.binary(max_size=300))
def test_garbage_behind_a_header_never_raises(garbage: bytes) -> None:
    read(made.header() + garbage)


def test_worlds_have_the_names_of_their_architecture() -> None:
    assert [world_name(Arch.AARCH64, world) for world in (0, 1, 2, 7, 5, 4, 10, 0xFF)] == [
        "EL0",
        "EL1",
        "EL2",
        "EL3",
        "S-EL1",
        "S-EL0",
        "R-EL2",
        "none",
    ]
    assert [world_name(Arch.RISCV, world) for world in (0, 1, 2, 3, 4, 5, 6)] == ["U", "S", "HS", "M", "VU", "VS", "?"]
    assert [world_name(Arch.ARMV8M, world) for world in (0, 5)] == ["non-secure thread", "secure handler"]


def test_a_wake_up_has_what_the_timer_was_set_to() -> None:
    found = read(made.header() + made.wake(0, 130, 7) + made.wake(0, 140, 1, timer=99) + made.end(2))
    assert [(one.instructions, one.timer) for one in found if isinstance(one, Wake)] == [(130, 0), (140, 99)]


@pytest.mark.parametrize("arch", Arch)
@pytest.mark.parametrize("is_upward", [True, False])
def test_a_world_switch_with_too_few_registers_is_damage_and_with_enough_or_none_is_read(arch: Arch, is_upward: bool) -> None:
    worlds = (made.NS_EL1, made.EL3) if is_upward else (made.EL3, made.NS_EL1)
    enough = 4 if arch is Arch.ARMV8M else 10 if is_upward else 8
    for count in range(11):
        items = read(made.header(arch=arch) + made.crossing(0, 1, *worlds, registers=(7,) * count) + made.end(1))
        is_read = any(isinstance(item, Crossing) for item in items)
        assert is_read is (count == 0 or count >= enough)
        assert any(isinstance(item, Problem) and f"it has {count} registers of {enough}" in item.message for item in items) is not is_read
