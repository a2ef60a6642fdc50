# SPDX-License-Identifier: BSD-3-Clause
"""Two counts of one machine: what is the same, what is not, and where."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.analysis.proof import Proof, prove
from latlab.calls.readers.decoder import Decoder
from support.probe_stream import EL3, NS_EL1, core, crossing, header, record, sleep, wake


def proof(first: bytes, second: bytes, has_one_clock: bool = True) -> Proof:
    return prove(Decoder().feed(header() + first), Decoder().feed(header() + second), has_one_clock)


def stream(*counts: int, number: int = 0) -> bytes:
    return b"".join(crossing(number, at, NS_EL1, EL3, address=0x400 + at) for at in counts)


def test_equal_counts_are_a_proof_of_so_many_changes() -> None:
    both = core(0, 0) + stream(10, 25) + sleep(0, 30) + wake(0, 30)
    assert proof(both, both) == Proof(4, ())
    assert proof(both, both).holds


def test_the_first_other_count_of_a_core_is_named_with_both_numbers_and_its_place() -> None:
    found = proof(stream(10, 30_013, 30_020), stream(10, 20_013, 20_020))
    assert found.differences == (
        "core 0, change 2 at 0x793d: 30,013 instructions by blocks, 20,013 by each instruction at 0x522d",
    )  # fmt: skip
    assert not found.holds


def test_records_that_are_no_changes_are_not_compared() -> None:
    fragment = record(5, 0, bytes(24))
    assert proof(fragment + stream(10), stream(10)) == Proof(1, ())


def test_a_change_that_one_count_has_alone_is_said() -> None:
    assert proof(stream(10, 20), stream(10)).behind == ("core 0: behind 1 changes one count has 1 more",)
    assert not proof(stream(10), stream(10, 20)).holds


def test_cores_on_threads_end_at_no_common_moment() -> None:
    assert proof(stream(10, 20), stream(10), has_one_clock=False).holds
    assert not proof(stream(10, 20, 30), stream(10), has_one_clock=False).holds


def test_cores_that_came_to_the_two_counts_in_another_order_are_told_by_their_identity() -> None:
    first = core(0, 0x80000002) + core(1, 0x80000003) + stream(10, 20) + stream(10, 25, number=1)
    second = core(0, 0x80000003) + core(1, 0x80000002) + stream(10, 25) + stream(10, 20, number=1)
    assert proof(first, second, has_one_clock=False) == Proof(4, ())
    wrong = core(0, 0x80000003) + core(1, 0x80000002) + stream(10, 25) + stream(10, 21, number=1)
    assert [said.partition(",")[0] for said in proof(first, wrong, has_one_clock=False).differences] == ["core 0"]


def test_cores_on_threads_have_no_count_of_the_machine_in_common() -> None:
    first, second = (crossing(0, 10, NS_EL1, EL3, machine=machine) for machine in (10, 900))
    assert proof(first, second, has_one_clock=False).holds
    assert not proof(first, second).holds


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 99)), max_size=40))
def test_the_order_of_cores_in_a_stream_does_not_matter(steps: list[tuple[int, int]]) -> None:
    at = dict.fromkeys(range(4), 0)
    changes: list[tuple[int, bytes]] = []
    for number, more in steps:
        at[number] += more
        changes.append((number, stream(at[number], number=number)))
    by_core = sorted(changes, key=lambda change: change[0])
    first, second = (b"".join(each for _, each in order) for order in (changes, by_core))
    found = proof(first, second)
    assert found.holds and found.compared == len(steps)
