# SPDX-License-Identifier: BSD-3-Clause
"""Each attack does what its name says: what reaches the gateways is read back from what the program would do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.psa.campaign.attack_plan import AttackPlan, Known
from latlab.psa.model import Attack, Extent, Family, Flag, Operation
from latlab.psa.targets.attack_subject import REQUESTS, AttackSubject, Attempt, Own
from support.made_attacks import (
    CALL,
    CLOSE,
    CONNECT,
    CONNECTED,
    DATA,
    FRAMEWORK_VERSION,
    KEPT,
    RAM,
    SECRET,
    SECRET_AT,
    STACK,
    VENEERS,
    VERSION,
    Made,
    calls_of,
    subject,
)

KNOWN = Known((STACK, 0x3800_4000), 250, True)
INPUT, OUTPUT = 0x2820_1100, 0x2820_1400
INPUTS = [(INPUT, 16), (INPUT + 16, 8)]
OUTPUTS = [(OUTPUT, 12), (OUTPUT + 16, 16)]
PATTERN = (0x1111_0000, 0x1111_0001, 0x1111_0002)
PLACES = {
    "secure code": (0x1000_0000, ""),
    "a secure stack": (0x3800_2568, ""),
    "the non-secure alias of secure code": (0, ""),
    "the non-secure alias of a secure stack": (0x2800_2568, ""),
    "a secure device": (0x5008_0000, "a secure device was accepted"),
    "the system space": (0xE000_ED00, "the system space was accepted"),
    "the last bytes of the address space": (0xFFFF_FFF8, "a length that wraps 2^32 was accepted"),
    "memory that begins before the non-secure side": (0x281F_FFF8, ""),
    "memory that ends behind the non-secure side": (0x283F_FFF8, ""),
}
OF_CONNECTION = replace(CONNECTED, inputs=(b"12345",), outputs=())
OUTPUT_ALONE = replace(DATA, inputs=(), outputs=(24,))


def named(plan: AttackPlan, family: Family) -> dict[str, Attack]:
    found = [one for one in plan.attacks() if one.family is family]
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


@pytest.fixture(name="plan", scope="module")
def fixture_plan() -> AttackPlan:
    return AttackPlan(subject(DATA, CONNECTED), KNOWN)


def only_call(attack: Attack) -> Made:
    (made,) = calls_of(attack)
    return made


def check_usual(made: Made, but: str = "") -> None:
    """The undisturbed data call, apart from what `but` names."""
    assert (made.target, made.arguments[0], made.type) == (CALL, 0x4000_0206, 7)
    assert "counts" in but or made.counts == (2, 2)
    assert "in array" in but or made.arguments[2] == 0x2820_1000
    assert "out array" in but or made.arguments[3] == 0x2820_1040
    assert {"in array", "inputs"} & {but} or made.inputs == INPUTS
    assert {"out array", "outputs"} & {but} or made.outputs == OUTPUTS
    assert made.bytes_at(INPUT, 24) == bytes(range(1, 17)) + b"abcdefgh"
    assert "over" in but or made.bytes_at(OUTPUT, 64) == b"\xa5" * 64


def test_every_family_is_tried_and_names_say_which_is_which(plan: AttackPlan) -> None:
    attacks = plan.attacks()
    assert {one.family for one in attacks} == set(Family)
    assert len({(one.family, one.name) for one in attacks}) == len(attacks)
    assert [one.name for one in attacks if one.why] == ["another client's", "a hostile partition"]
    assert all(one.steps for one in attacks if not one.why)
    assert all(one.shots == 1 and one.first_shot == 0 == one.shot_step for one in attacks if one.family is not Family.INTERRUPT)


def test_what_only_an_attack_names_is_the_secret_and_the_first_seal(plan: AttackPlan) -> None:
    assert plan.targets == (Extent(SECRET_AT, SECRET_AT + 15), Extent(STACK, STACK + 7))
    assert AttackPlan(subject(DATA), Known((), 0, False)).targets == (Extent(SECRET_AT, SECRET_AT + 15),)


def test_the_survey_is_one_undisturbed_data_call_whose_answer_is_told() -> None:
    (attack,) = AttackPlan(subject(DATA), Known((), 0, False)).survey()
    check_usual(only_call(attack))
    assert (attack.shown, attack.shown_bytes, attack.family) == (OUTPUT, 16, Family.REGISTERS)


def test_ordinary_calls_are_as_they_should_be_and_look_at_every_register(plan: AttackPlan) -> None:
    calls = {one.name: calls_of(one) for one in plan.ordinary()}
    assert all(made.flags & Flag.WITH_FLOATS for each in calls.values() for made in each)
    assert [(made.target, made.arguments) for made in calls["psa_framework_version"]] == [(FRAMEWORK_VERSION, (0, *PATTERN))]
    assert [(made.target, made.arguments) for made in calls["psa_version"]] == [(VERSION, (0xF200, *PATTERN))]
    assert [(made.target, made.arguments) for made in calls["psa_version of an unknown service"]] == [(VERSION, (0x0BAD_51D0, *PATTERN))]
    check_usual(calls["psa_call"][0])
    assert [(made.target, made.arguments) for made in calls["psa_call on the null handle"]] == [(CALL, (0, *PATTERN))]
    connect, close = calls["psa_connect and psa_close"]
    assert (connect.target, connect.arguments, connect.flags) == (CONNECT, (0xF201, 3, *PATTERN[:2]), Flag.KEEP | Flag.WITH_FLOATS)
    assert (close.target, close.arguments) == (CLOSE, (KEPT, *PATTERN))
    (nobody,) = calls["psa_connect to an unknown service"]
    assert (nobody.target, nobody.arguments, nobody.flags) == (CONNECT, (0x0BAD_51D0, 1, 2, 3), Flag.WITH_FLOATS)
    assert list(plan.ordinary()) == plan.attacks()[: len(calls)]


def test_where_there_is_no_version_and_no_connection_neither_is_called() -> None:
    veneers = (FRAMEWORK_VERSION, 0, CONNECT, CALL, CLOSE)
    names = [one.name for one in AttackPlan(subject(DATA, veneers=veneers), KNOWN).ordinary()]
    assert names == ["psa_framework_version", "psa_call", "psa_call on the null handle"]
    for missing in (2, 4):
        without = tuple(0 if place == missing else veneer for place, veneer in enumerate(VENEERS))
        names = [one.name for one in AttackPlan(subject(DATA, CONNECTED, veneers=without), KNOWN).ordinary()]
        assert "psa_connect and psa_close" not in names and "psa_version" in names


def test_the_stacks_between_calls_are_looked_at_beside_undisturbed_calls(plan: AttackPlan) -> None:
    found = named(plan, Family.STACK)
    assert list(found) == ["the process stack between calls", "the main stack between calls"]
    for attack in found.values():
        check_usual(only_call(attack))


@pytest.mark.parametrize("place", PLACES)
def test_a_pointer_lies_where_its_name_says_and_all_else_is_as_usual(plan: AttackPlan, place: str) -> None:
    address, accepted = PLACES[place]
    found = named(plan, Family.POINTER)
    ways = [found[f"{what} in {place}"] for what in ("input", "output", "array of inputs", "array of outputs")]
    assert [one.accepted for one in ways] == [accepted] * 4
    inputs, outputs, in_array, out_array = map(only_call, ways)
    check_usual(inputs, "inputs")
    assert inputs.inputs == [(address, 16), INPUTS[1]]
    check_usual(outputs, "outputs")
    assert outputs.outputs == [(address, 12), OUTPUTS[1]]
    check_usual(in_array, "in array")
    assert in_array.arguments[2] == address
    check_usual(out_array, "out array")
    assert out_array.arguments[3] == address


def test_what_a_pointer_attack_shows_must_not_hold_the_secret(plan: AttackPlan) -> None:
    assert all((one.shown, one.shown_bytes, one.secret) == (OUTPUT, 32, SECRET) for one in named(plan, Family.POINTER).values())


def test_beyond_a_border_that_is_known_to_be_one_nothing_may_be_accepted() -> None:
    found = named(AttackPlan(replace(subject(DATA), has_true_border=True), KNOWN), Family.POINTER)
    said = {name.split(" in ")[1]: one.accepted for name, one in found.items() if " in memory that " in name}
    assert len(said) == 2 and set(said.values()) == {"memory beyond the border of the non-secure side was accepted"}
    assert found["input in secure code"].accepted == ""


@pytest.mark.parametrize("bytes_", [0xFFFF_FFFF, 0xFFFF_FFF0, 0x8000_0000])
def test_a_length_is_as_long_as_its_name_says(plan: AttackPlan, bytes_: int) -> None:
    found = named(plan, Family.POINTER)
    inputs, outputs = found[f"input of {bytes_:#x} bytes"], found[f"output of {bytes_:#x} bytes"]
    assert {inputs.accepted, outputs.accepted} == {"a length that wraps 2^32 was accepted"}
    assert only_call(inputs).inputs == [(INPUT, bytes_), INPUTS[1]]
    assert only_call(outputs).outputs == [(OUTPUT, bytes_), OUTPUTS[1]]


def test_arrays_that_are_not_aligned_and_vectors_that_overlap(plan: AttackPlan) -> None:
    found = named(plan, Family.POINTER)
    assert only_call(found["array of inputs that is not aligned"]).arguments[2] == 0x2820_1002
    assert only_call(found["array of outputs that is not aligned"]).arguments[3] == 0x2820_1041
    assert only_call(found["the same input twice"]).inputs == [INPUTS[0], INPUTS[0]]
    assert only_call(found["output over its own array"]).outputs == [(0x2820_1040, 12), OUTPUTS[1]]
    four = (
        "array of inputs that is not aligned",
        "array of outputs that is not aligned",
        "the same input twice",
        "output over its own array",
    )
    assert {found[name].accepted for name in four} == {""}


@pytest.mark.parametrize("counts", [(5, 0), (0, 5), (3, 2), (4, 4), (15, 0), (0, 15)])
def test_more_vectors_than_four_are_empty_and_as_many_as_the_name_says(plan: AttackPlan, counts: tuple[int, int]) -> None:
    attack = named(plan, Family.POINTER)[f"{counts[0]} inputs and {counts[1]} outputs"]
    made = only_call(attack)
    assert attack.accepted == "more than four vectors were accepted"
    assert (made.counts, made.type, made.arguments[0]) == (counts, 7, 0x4000_0206)
    few_in, few_out = min(counts[0], 7), min(counts[1], 7)
    assert made._pairs(0x2820_1000, few_in) == [(INPUT, 0)] * few_in
    assert made._pairs(0x2820_1040, few_out) == [(OUTPUT, 0)] * few_out


def test_a_call_without_inputs_or_without_outputs_has_no_attack_on_them() -> None:
    outputs = named(AttackPlan(subject(OUTPUT_ALONE, data=OUTPUT_ALONE), KNOWN), Family.POINTER)
    assert not [name for name in outputs if name.startswith(("input ", "array of inputs"))]
    assert only_call(outputs["output in secure code"]).outputs == [(0x1000_0000, 24)]
    assert only_call(outputs["output in secure code"]).counts == (0, 1)
    inputs = named(AttackPlan(subject(OF_CONNECTION, data=OF_CONNECTION), KNOWN), Family.POINTER)
    assert not [name for name in inputs if name.startswith(("output ", "array of outputs"))]
    connect, made, close = calls_of(inputs["input in secure code"])
    assert (connect.target, connect.arguments, connect.flags) == (CONNECT, (0xF201, 3, 0, 0), Flag.KEEP | Flag.QUIET)
    assert (made.target, made.arguments[0], made.counts, made.type) == (CALL, KEPT, (1, 0), 5)
    assert made.inputs == [(0x1000_0000, 5)]
    assert made.bytes_at(INPUT, 5) == b"12345"
    assert (close.target, close.arguments, close.flags) == (CLOSE, (KEPT, 0, 0, 0), Flag.WITH_KEPT | Flag.QUIET)


def test_handles_are_guessed_with_and_without_an_open_one(plan: AttackPlan) -> None:
    found = named(plan, Family.HANDLE)
    (alone,) = found["guessed without a connection"].steps
    assert (alone.operation, alone.target, alone.words, alone.flags) == (Operation.GUESS, CALL, tuple(range(1, 193)), Flag.NONE)
    connect, beside, close = found["guessed beside an open one"].steps
    assert (connect.target, close.target) == (CONNECT, CLOSE)
    assert (beside.operation, beside.target, beside.arguments, beside.flags) == (Operation.GUESS, CALL, (0, 0, 5, 0), Flag.WITH_KEPT)
    assert len(beside.words) == len(set(beside.words)) == 192, "what is changed in the open handle"
    assert beside.words[:31] == tuple(1 << bit for bit in range(31))
    assert all(word.bit_count() == 2 and word < 1 << 31 for word in beside.words[31:])
    assert beside.words[31:34] == (0b11, 0b101, 0b110)


def test_a_closed_handle_is_used_again(plan: AttackPlan) -> None:
    found = named(plan, Family.HANDLE)
    closed = found["closed before"]
    assert closed.accepted == found["closed before, its slot in use again"].accepted == "a closed handle was accepted"
    assert [made.target for made in calls_of(closed)] == [CONNECT, CLOSE, CALL]
    last = calls_of(closed)[-1]
    assert (last.arguments, last.flags) == ((KEPT, 5, 0, 0), Flag.WITH_KEPT)
    again = calls_of(found["closed before, its slot in use again"])
    assert [made.target for made in again] == [CONNECT, CLOSE, CONNECT, CALL]
    assert (again[2].arguments, again[2].flags) == ((0xF201, 3, 0, 0), Flag.QUIET), "its handle is not kept"
    assert again[3].arguments[0] == KEPT


def test_without_a_service_with_connections_only_numbers_are_guessed() -> None:
    found = named(AttackPlan(subject(DATA), KNOWN), Family.HANDLE)
    assert found["guessed beside an open one"].why == "needs a service with connections"
    assert "closed before" not in found
    without = named(AttackPlan(subject(DATA, CONNECTED, veneers=(*VENEERS[:4], 0)), KNOWN), Family.HANDLE)
    assert without["guessed beside an open one"].why


SWEEPS = {
    "input's address rewritten by an interrupt": (0x2820_1000, SECRET_AT),
    "input's length rewritten by an interrupt": (0x2820_1004, 0x8000_0000),
    "output's address rewritten by an interrupt": (0x2820_1040, STACK),
    "output's length rewritten by an interrupt": (0x2820_1044, 0x8000_0000),
}


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_rewrites_what_it_says_at_every_instruction_of_the_call(plan: AttackPlan, name: str) -> None:
    attack = named(plan, Family.INTERRUPT)[name]
    pokes, made = attack.steps[-2], only_call(attack)
    assert (attack.first_shot, attack.shot_step, attack.shots) == (1, 1, 274)
    assert (pokes.operation, pokes.words, pokes.then) == (Operation.POKES, SWEEPS[name], None)
    check_usual(made)
    assert made.flags == Flag.WITH_TIMER
    assert (attack.shown, attack.shown_bytes, attack.secret) == (OUTPUT, 16, SECRET)


def test_without_a_known_stack_no_output_is_moved_there() -> None:
    found = named(AttackPlan(subject(DATA), Known((), 100, False)), Family.INTERRUPT)
    assert [name for name in found if "rewritten" in name] == [
        name for name in SWEEPS if name != "output's address rewritten by an interrupt"
    ]
    outputs = named(AttackPlan(subject(OUTPUT_ALONE, data=OUTPUT_ALONE), KNOWN), Family.INTERRUPT)
    assert [name for name in outputs if "rewritten" in name] == list(SWEEPS)[2:]


HANDLERS = {
    "psa_framework_version in a handler": (FRAMEWORK_VERSION, (0, 0, 0, 0)),
    "psa_call in a handler": (CALL, (0, 0, 0, 0)),
    "psa_call with data in a handler": (CALL, (0x4000_0206, 0x0202_0007, 0x2820_1000, 0x2820_1040)),
    "return 0xfeffffff in a handler": (0xFEFF_FFFF, (0, 0, 0, 0)),
    "return 0xfffffffd in a handler": (0xFFFF_FFFD, (0, 0, 0, 0)),
    "return 0xfffffff1 in a handler": (0xFFFF_FFF1, (0, 0, 0, 0)),
    "return 0xffffffed in a handler": (0xFFFF_FFED, (0, 0, 0, 0)),
    "return 0xffffffbc in a handler": (0xFFFF_FFBC, (0, 0, 0, 0)),
}


@pytest.mark.parametrize("name", HANDLERS)
def test_what_a_handler_does_that_interrupts_a_call_stands_behind_it(plan: AttackPlan, name: str) -> None:
    attack = named(plan, Family.INTERRUPT)[f"{name} that interrupts a call"]
    (pokes,) = [one for one in attack.steps if one.operation is Operation.POKES]
    assert (attack.first_shot, attack.shot_step, attack.shots) == (25, 50, 5)
    assert (pokes.words, pokes.then) == ((), len(attack.steps) - 1)
    interrupted, nested = calls_of(attack)
    assert interrupted.flags == Flag.WITH_TIMER
    check_usual(interrupted)
    assert (nested.target, nested.arguments) == HANDLERS[name]


def test_a_short_call_is_interrupted_at_each_instruction() -> None:
    found = named(AttackPlan(subject(DATA), Known((), 3, False)), Family.INTERRUPT)
    attack = found["psa_call in a handler that interrupts a call"]
    assert (attack.first_shot, attack.shot_step, attack.shots) == (0, 1, 5)


def test_a_handler_calls_between_calls(plan: AttackPlan) -> None:
    made = only_call(named(plan, Family.INTERRUPT)["psa_call in a handler between calls"])
    assert (made.target, made.flags, made.arguments) == (CALL, Flag.IN_HANDLER, (0, 0, 0, 0))


ACCESSED = {
    "secure code": (SECRET_AT, SECRET[:4]),
    "the non-secure alias of secure code": (0, SECRET[:4]),
    "a secure stack": (STACK, bytes.fromhex("a5edf5fe")),
    "the non-secure alias of a secure stack": (STACK - (1 << 28), bytes.fromhex("a5edf5fe")),
    "the veneers": (0x1000_8000, bytes.fromhex("7fe97fe9")),
}


@pytest.mark.parametrize("place", ACCESSED)
def test_the_non_secure_side_reads_and_writes_what_it_says(plan: AttackPlan, place: str) -> None:
    found = named(plan, Family.MEMORY)
    address, secret = ACCESSED[place]
    reads, writes = found[f"the non-secure side reads {place}"], found[f"the non-secure side writes {place}"]
    assert [(one.operation, one.target) for one in reads.steps] == [(Operation.LOAD, address)]
    assert reads.secret == secret
    assert [(one.operation, one.target) for one in writes.steps] == [(Operation.STORE, address), (Operation.LOAD, address)]
    assert writes.steps[0].arguments == (0x4B52_4D4C, 0, 0, 0) and writes.secret == b"LMRK"


def test_parts_and_devices_are_read_and_a_stack_that_is_not_known_is_not(plan: AttackPlan) -> None:
    rest = [name for name in named(plan, Family.MEMORY) if not name.endswith(tuple(ACCESSED))]
    names = ["0x10000000", "0x10004000", "a secure device"]
    assert rest == [f"the non-secure side reads {name}" for name in names]
    targets = [named(plan, Family.MEMORY)[name].steps[0].target for name in rest]
    assert targets == [0x1000_0000, 0x1000_4000, 0x5008_0000]
    blind = named(AttackPlan(subject(DATA), Known((), 0, False)), Family.MEMORY)
    assert [name for name in blind if "stack" in name] == []
    assert "the non-secure side reads the non-secure alias of secure code" in blind


def test_a_reset_is_asked_for_by_its_register(plan: AttackPlan) -> None:
    (attack,) = named(plan, Family.SYSTEM).values()
    (step,) = attack.steps
    assert (step.operation, step.target, step.arguments[0]) == (Operation.STORE, 0xE000_ED0C, 0x05FA_0004)


def test_gateways_are_entered_beside_their_beginning_and_in_thumb_state(plan: AttackPlan) -> None:
    found = {name: only_call(one) for name, one in named(plan, Family.GATEWAY).items()}
    wanted: dict[str, int] = {}
    for veneer in VENEERS:
        at = veneer - 1
        wanted |= {f"entered {offset} bytes behind a gateway at {at:#x}": veneer + offset for offset in (2, 4, 6)}
        wanted[f"alias of the gateway at {at:#x}"] = veneer - (1 << 28)
    wanted |= {
        "an SG at 0x10009000 that is no veneer": 0x1000_9001,
        "branch to 0x10004000": 0x1000_4001,
        "branch to 0x10000000": 0x1000_0001,
    }
    assert {name: made.target for name, made in found.items()} == wanted
    assert {made.arguments for made in found.values()} == {(0, *PATTERN)}
    assert {one.accepted for one in named(plan, Family.GATEWAY).values()} == {"secure code ran without entry through a gateway"}


def test_a_veneer_that_is_missing_is_not_entered_and_no_address_is_tried_twice() -> None:
    bare = subject(DATA, veneers=(FRAMEWORK_VERSION, 0, 0, CALL, 0), ungated=(0x1000_4000, SECRET_AT))
    found = named(AttackPlan(bare, KNOWN), Family.GATEWAY)
    assert len([name for name in found if name.startswith("entered")]) == 6
    assert [name for name in found if name.startswith("branch")] == ["branch to 0x10004000", "branch to 0x10000000"]


def test_returns_are_forged_in_a_thread_and_in_a_handler(plan: AttackPlan) -> None:
    found = {name: only_call(one) for name, one in named(plan, Family.RETURN).items()}
    thread = {made.target for name, made in found.items() if name.endswith("in a thread, between calls")}
    handler = {made.target for name, made in found.items() if name.endswith("in a handler, between calls")}
    assert thread == {0xFEFF_FFFF, 0xFEFF_FFFE, 0xFEFF_FFFD, 0xFFFF_FFFD, 0xFFFF_FFF1, 0xFFFF_FFBC}
    # EXC_RETURN: bits 31 to 7 are ones, and bit 1 is reserved as zero.
    assert handler == {0xFEFF_FFFF, 0xFEFF_FFFE} | {0xFFFF_FF80 + bits for bits in range(0x80) if not bits & 2}
    assert len(found) == len(thread) + len(handler)
    assert all(name.startswith(f"{made.target:#x} ") for name, made in found.items())
    assert {made.flags for name, made in found.items() if "handler" in name} == {Flag.IN_HANDLER}
    assert {made.flags for name, made in found.items() if "thread" in name} == {Flag.NONE}


ATTEMPTS = (
    Attempt("reads a word", 0x4000_0101, 6, 1, "it read", 0x3800_0000, secret=b"shh"),
    Attempt("writes at level 2", 0x4000_0206, 9, 2, "it wrote", 0x1000_0000),
    Attempt("asks with no address", 0x4000_0206, 19, 1, "it was accepted"),
    Attempt("reads into memory at level 3", 0x4000_0206, 13, 3, "it was written", 0x3800_0000, 4),
)


def with_own(level: int) -> AttackSubject:
    own = Own(level, 0x1000_8051, 0x1000_8061, 0x4000_0101, 0xF203, 0x4000_0100, REQUESTS, ATTEMPTS)
    return replace(subject(DATA, CONNECTED), own_partition=own)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_partition_tries_what_its_isolation_has_to_prevent(level: int) -> None:
    found = named(AttackPlan(with_own(level), KNOWN), Family.PARTITION)
    assert list(found) == [one.name for one in ATTEMPTS if one.level <= level]
    for attempt in ATTEMPTS:
        if attempt.level <= level:
            attack = found[attempt.name]
            made = only_call(attack)
            ins = [] if attempt.address is None else [(INPUT, 4)]
            ins += [(INPUT + 8, attempt.more)] if attempt.more else []
            assert (made.target, made.arguments[0], made.type, made.flags) == (CALL, attempt.handle, attempt.request, Flag.NONE)
            assert (made.inputs, made.outputs) == (ins, [(OUTPUT, 4)])
            assert made.memory[INPUT] == (attempt.address or 0)
            assert made.bytes_at(INPUT + 8, 16) == b"LMRKKER1LMRKKER2"
            assert made.bytes_at(OUTPUT, 16) == b"\xa5" * 16
            assert (attack.shown, attack.shown_bytes, attack.accepted, attack.secret) == (OUTPUT, 4, attempt.accepted, attempt.secret)


def test_handles_and_services_that_are_not_the_non_secure_side_s_are_used() -> None:
    found = named(AttackPlan(with_own(3), KNOWN), Family.HANDLE)
    asked, used = calls_of(found["a secure client's"])
    assert (asked.arguments[0], asked.type, asked.flags, asked.outputs) == (0x4000_0101, 1, Flag.QUIET, [(OUTPUT, 4)])
    (load,) = [one for one in found["a secure client's"].steps if one.operation is Operation.LOAD]
    assert (load.target, load.flags) == (OUTPUT, Flag.KEEP | Flag.QUIET), "what the partition answers is its handle"
    assert (used.target, used.arguments, used.flags) == (CALL, (KEPT, 5, 0, 0), Flag.WITH_KEPT)
    assert found["a secure client's"].accepted == "a handle that a secure partition holds was accepted"
    only = "a service that is not for the non-secure side was accepted"
    connection = only_call(found["connection to a service for partitions only"])
    assert (connection.target, connection.arguments) == (CONNECT, (0xF203, *PATTERN))
    stateless = only_call(found["stateless handle for partitions only"])
    assert (stateless.target, stateless.arguments) == (CALL, (0x4000_0100, 7, 0, 0))
    assert {found[f"{name} for partitions only"].accepted for name in ("connection to a service", "stateless handle")} == {only}


def test_another_client_uses_a_handle_while_its_owner_has_it_open() -> None:
    attack = named(AttackPlan(with_own(1), KNOWN), Family.HANDLE)["another non-secure client's"]
    first, last = 2**32 - 20, 2**32 - 10
    made = calls_of(attack)
    assert [one.target for one in made] == [0x1000_8051, 0x1000_8061, CONNECT, 0x1000_8061, CALL, 0x1000_8061, CLOSE]
    assert made[0].arguments == (first, last, 0, 0)
    assert [made[place].arguments[0] for place in (1, 3, 5)] == [first, last, first]
    assert made[4].arguments == (KEPT, 5, 0, 0)
    assert [one.flags & Flag.QUIET for one in made] == [Flag.QUIET] * 4 + [Flag.NONE] + [Flag.QUIET] * 2
    assert attack.accepted == "the handle of another client id was accepted"


def test_all_that_a_program_fills_lies_in_the_non_secure_side() -> None:
    for attack in AttackPlan(with_own(3), KNOWN).attacks():
        calls_of(attack)
        fills = [one for one in attack.steps if one.operation is Operation.FILL]
        assert all(one.target >= RAM + 0x1000 and max(one.words) < 1 << 32 for one in fills)
