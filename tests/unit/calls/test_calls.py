# SPDX-License-Identifier: BSD-3-Clause
from collections import Counter
from dataclasses import replace
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.analysis.call_names import sbi_name, smc_name
from latlab.calls.analysis.calls import EntryKind, Pairing, WorldCall
from latlab.calls.analysis.load_address import WrongImage, placed
from latlab.calls.analysis.symbolize import instructions_by_function
from latlab.calls.analysis.tally import Tally, median_of
from latlab.calls.model.crossings import Arch, Fragment, Stretch
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.symbols import Image
from support import probe_stream as made

NAMES = call_names()
VERSION = 0x84000000
SUSPEND = 0xC4000001
OPTEE = 0x32000004
TRNG = 0xC4000053


def calls_of(*parts: bytes, arch: Arch = Arch.AARCH64) -> list[WorldCall]:
    records = [item for item in Decoder().feed(made.header(arch.value) + b"".join(parts))][1:]
    return list(Pairing(arch, NAMES).feed(records))  # type: ignore[arg-type]


def test_a_call_is_from_the_entry_to_the_return() -> None:
    (call,) = calls_of(made.smc(0, 100, VERSION, (5,)), made.back(0, 185, 0x10001))
    assert (call.entry.name, call.entry.function, call.entry.kind) == ("PSCI_VERSION", VERSION, EntryKind.CALL)
    assert (call.instructions, call.parts, call.depth) == (85, ((made.EL3, 85),), 0)
    assert (call.registers[1], call.results[0]) == (5, 0x10001)


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (VERSION, EntryKind.CALL),
        (0xB2000001, EntryKind.CALL),
        (OPTEE, EntryKind.YIELDING),
        (0x30000000, EntryKind.YIELDING),
        (0x0100FFFF, EntryKind.CALL),
    ],
)
def test_a_function_whose_bit_31_is_clear_is_a_yielding_call_where_it_is_one_of_smccc(function: int, kind: EntryKind) -> None:
    (call,) = calls_of(made.smc(0, 100, function), made.back(0, 185))
    assert call.entry.kind is kind


def test_calls_of_two_cores_do_not_mix() -> None:
    calls = calls_of(made.smc(0, 100, VERSION), made.smc(1, 10, TRNG), made.back(0, 150), made.back(1, 40))
    assert [(call.core, call.entry.name, call.instructions) for call in calls] == [(0, "PSCI_VERSION", 50), (1, "TRNG_RND (64)", 30)]


def test_a_core_that_sleeps_in_a_call_has_a_way_down_and_a_way_up() -> None:
    (call,) = calls_of(
        made.fragment(1, 0x100, 1),
        made.fragment(2, 0x104, 1),
        made.smc(0, 100, SUSPEND),
        made.profile(0, [(1, 2)]),
        made.sleep(0, 400),
        made.wake(0, 500, 9),
        made.profile(0, [(2, 1)]),
        made.back(0, 620),
    )
    assert call.pause is not None
    assert (call.pause.asleep - call.start, call.end - call.pause.awake) == (300, 120)
    assert call.instructions == 420
    assert (call.down, call.up) == ((Stretch(runs=((1, 2),)),), (Stretch(runs=((2, 1),)),))


def test_what_ran_between_two_sleeps_of_a_lock_is_in_the_call_and_that_of_a_parked_core_is_not() -> None:
    (call,) = calls_of(
        made.fragment(1, 0x100, 1),
        made.smc(0, 100, SUSPEND),
        made.profile(0, [(1, 50)]),
        made.sleep(0, 150, 0x1000, wait=2),
        made.naps(0, [(1, 20)]),
        made.wake(0, 170, 2),
        made.profile(0, [(1, 30)]),
        made.sleep(0, 200, 0x2000),
        made.naps(0, [(1, 300)]),
        made.wake(0, 500, 9),
        made.profile(0, [(1, 20)]),
        made.back(0, 520),
    )
    assert call.instructions == 120
    assert call.down == tuple(Stretch(runs=((1, times),)) for times in (50, 20, 30))
    assert call.up == (Stretch(runs=((1, 20),)),)


def test_what_ran_between_two_sleeps_before_the_normal_world_is_in_the_boot() -> None:
    pairing = Pairing(Arch.AARCH64, NAMES)
    parts = (
        *(made.header(), made.fragment(1, 0x100, 1), made.crossing(0, 0, made.NO_WORLD, made.EL3), made.profile(0, [(1, 50)])),
        *(made.sleep(0, 50), made.naps(0, [(1, 30)], unlisted=10), made.wake(0, 90, 5), made.profile(0, [(1, 10)]), made.back(0, 100)),
    )
    list(pairing.feed(list(Decoder().feed(b"".join(parts)))[1:]))  # type: ignore[arg-type]
    assert pairing.boot is not None
    ran = sum(times for stretch in pairing.boot.ran for _, times in stretch.runs) + sum(
        each.unlisted_instructions for each in pairing.boot.ran
    )
    assert (pairing.boot.instructions, ran) == (100, 100)


def test_a_trusted_os_that_asks_el3_makes_an_inner_call_and_one_outer_one() -> None:
    calls = calls_of(
        made.smc(0, 0, OPTEE),
        made.crossing(0, 100, made.EL3, made.S_EL1, (0,) * 8),
        made.smc(0, 300, TRNG, caller=made.S_EL1),
        made.back(0, 350, to=made.S_EL1),
        made.smc(0, 500, 0xBE000000, caller=made.S_EL1),
        made.back(0, 580),
    )
    assert [(call.entry.name, call.depth, call.instructions) for call in calls] == [
        ("TRNG_RND (64)", 1, 50),
        ("OPTEE_CALL_WITH_ARG", 0, 580),
    ]
    assert dict(calls[1].parts) == {made.EL3: 100 + 50 + 80, made.S_EL1: 200 + 150}


def test_an_interrupt_into_el3_is_no_call() -> None:
    fiq = made.crossing(0, 10, made.NS_EL1, made.EL3, (VERSION, *(0,) * 7, 0, 0x1000), 0xE000500)
    (call,) = calls_of(fiq, made.back(0, 30))
    assert (call.entry.kind, call.entry.name) == (EntryKind.INTERRUPT, "FIQ")


def test_a_trapped_instruction_is_an_exception_with_its_class() -> None:
    trap = made.crossing(0, 10, made.NS_EL1, made.EL3, (VERSION, *(0,) * 7, 0x24 << 26, 0x1000), 0xE000400)
    (call,) = calls_of(trap, made.back(0, 30))
    assert (call.entry.kind, call.entry.name) == (EntryKind.EXCEPTION, "exception class 0x24 trapped")


def test_a_boot_and_a_core_that_never_comes_back_make_no_call() -> None:
    assert calls_of(made.crossing(0, 0, made.NO_WORLD, made.EL3), made.back(0, 10), made.smc(0, 20, 0x84000008)) == []


def test_changes_inside_the_normal_world_are_no_calls_but_a_call_goes_on_over_them() -> None:
    parts = (
        made.crossing(0, 5, made.NS_EL0, made.NS_EL1),
        made.smc(0, 10, OPTEE),
        made.crossing(0, 20, made.EL3, made.S_EL1, (0,) * 8),
        made.crossing(0, 30, made.S_EL1, 4),
        made.crossing(0, 60, 4, made.S_EL1),
        made.smc(0, 70, 0xBE000000, caller=made.S_EL1),
        made.back(0, 75),
    )
    (call,) = calls_of(*parts)
    assert dict(call.parts) == {made.EL3: 15, made.S_EL1: 20, 4: 30}


def test_a_veneer_call_of_an_m_profile_core_is_named_by_its_address() -> None:
    enter = made.crossing(0, 10, 0, 4, (1, 2, 3, 4, 0xFE), 0x10011001)
    leave = made.crossing(0, 84, 4, 0, (0, 0, 0, 0, 0), 0x100401)
    (call,) = calls_of(enter, leave, arch=Arch.ARMV8M)
    assert (call.entry.name, call.instructions, call.registers) == ("0x10011000", 74, (1, 2, 3, 4))


def test_a_supervisor_call_of_risc_v_has_extension_and_function() -> None:
    enter = made.crossing(0, 10, 1, 3, (0, 0, 0, 0, 0, 0, 2, 0x48534D, 9, 0x80200000), 0x80000000)
    (call,) = calls_of(enter, made.crossing(0, 541, 3, 1, (0,) * 8), arch=Arch.RISCV)
    assert (call.entry.name, call.entry.kind, call.instructions) == ("hsm.hart_get_status", EntryKind.CALL, 531)
    timer = made.crossing(0, 10, 1, 3, (*(0,) * 8, 1 << 63 | 7, 0), 0x80000000)
    (call,) = calls_of(timer, made.crossing(0, 20, 3, 1, (0,) * 8), arch=Arch.RISCV)
    assert (call.entry.name, call.entry.kind) == ("interrupt 7", EntryKind.INTERRUPT)


def test_a_guests_call_says_that_its_hypervisor_served_it_and_what_that_asked_of_m_is_inside() -> None:
    vs, hs, m, ecall_of_vs, ecall_of_hs = 5, 2, 3, 10, 9
    asked = (0, 0, 0, 0, 0, 0, 0, 0x54494D45)
    records = (
        made.crossing(0, 10, vs, hs, (*asked, ecall_of_vs, 0x80200000), 0x80100000),
        made.crossing(0, 30, hs, m, (*asked, ecall_of_hs, 0x80100040), 0x80000000),
        made.crossing(0, 90, m, hs, (0,) * 8, 0x80100044),
        made.crossing(0, 100, hs, vs, (0,) * 8, 0x80200004),
    )
    inner, outer = calls_of(*records, arch=Arch.RISCV)
    assert (outer.entry.name, outer.instructions, dict(outer.parts)) == ("HS time.set_timer", 90, {hs: 30, m: 60})
    assert (inner.entry.name, inner.instructions, inner.depth) == ("time.set_timer", 60, 1)


@given(st.lists(st.tuples(st.sampled_from([0, 1, 4, 5, 7, 0xFF]), st.sampled_from([0, 1, 4, 5, 7]), st.booleans()), max_size=30))
def test_crossings_in_any_order_make_no_call_with_a_negative_length(steps: list[tuple[int, int, bool]]) -> None:
    parts = [made.crossing(0, 10 * at, left, entered, (0,) * 10 if full else ()) for at, (left, entered, full) in enumerate(steps)]
    assert all(call.instructions >= 0 for call in calls_of(*parts))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (0x84000001, "CPU_SUSPEND"),
        (0xFFFFFFFF84000001, "CPU_SUSPEND"),
        (0x8000FFF0, "Arm architecture fast call 0x8000fff0"),
        (0x81000000, "CPU fast call 0x81000000"),
        (0xC2000018, "SiP fast call 0xc2000018"),
        (0x03000001, "OEM yielding call 0x03000001"),
        (0x840000FF, "standard fast call 0x840000ff"),
        (0x85000000, "hypervisor fast call 0x85000000"),
        (0x86000000, "vendor hypervisor fast call 0x86000000"),
        (0x87000000, "vendor EL3 fast call 0x87000000"),
        (0x88000000, "reserved fast call 0x88000000"),
        (0xAF000000, "reserved fast call 0xaf000000"),
        (0xB0000000, "trusted application fast call 0xb0000000"),
        (0xB1000000, "trusted application fast call 0xb1000000"),
        (0xB2000000, "OPTEE_GET_OS_UUID"),
        (0xBF00AA00, "trusted OS fast call 0xbf00aa00"),
    ],
)
def test_an_smc_is_called_by_its_name_or_by_whose_its_number_is(function: int, said: str) -> None:
    """Ranges of Arm DEN 0028, section 2.5."""
    assert smc_name(NAMES, function) == said


@pytest.mark.parametrize(
    ("extension", "function", "said"),
    [(0x10, 3, "base.probe_extension"), (0x10, 99, "base.99"), (0x12345, 1, "extension 0x12345 function 1")],
)
def test_an_sbi_call_is_called_by_extension_and_function(extension: int, function: int, said: str) -> None:
    assert sbi_name(NAMES, extension, function) == said


PAGE, ALL = 0x1000, (1 << 64) - 1


@pytest.mark.parametrize(
    ("extension", "function", "arguments", "said"),
    [
        (0x735049, 0, (0b100, 0), "ipi.send_ipi"),
        (0x735049, 0, (0b1110, 0), "ipi.send_ipi (3 harts)"),
        (0x735049, 0, (0, ALL), "ipi.send_ipi (all harts)"),
        (0x52464E43, 0, (0b11, 0, 0, 0), "rfence.remote_fence_i (2 harts)"),
        (0x52464E43, 1, (1, 0, 0x80000, PAGE), "rfence.remote_sfence_vma (1 page)"),
        (0x52464E43, 1, (3, 0, 0x80000, 1), "rfence.remote_sfence_vma (2 harts, 1 page)"),
        (0x52464E43, 2, (3, 0, 0x80000, 64 * PAGE), "rfence.remote_sfence_vma_asid (2 harts, to 64 pages)"),
        (0x52464E43, 2, (3, 0, 0x80000, 64 * PAGE + 1), "rfence.remote_sfence_vma_asid (2 harts, to 128 pages)"),
        (0x52464E43, 1, (1, ALL, 0, ALL), "rfence.remote_sfence_vma (all harts, everything)"),
        (0x52464E43, 1, (1, 0, 0, 0), "rfence.remote_sfence_vma (everything)"),
        (0x48534D, 1, (3, 0, 0, 0), "hsm.hart_stop"),
    ],
)
def test_a_call_to_several_harts_or_about_a_range_says_so(extension: int, function: int, arguments: tuple[int, ...], said: str) -> None:
    assert sbi_name(NAMES, extension, function, arguments) == said


def test_a_tally_keeps_least_median_and_most_of_each_kind() -> None:
    tally = Tally()
    for call in calls_of(*(part for n in (30, 10, 20, 90) for part in (made.smc(0, 1000 * n, VERSION), made.back(0, 1000 * n + n)))):
        tally.add(call)
    (row,) = tally.rows()
    assert (row.count, row.minimum, row.median, row.maximum, row.total) == (4, 10, 25, 90, 150)
    assert row.parts == ((made.EL3, 25),)


@given(st.lists(st.integers(0, 20), min_size=1))
def test_the_median_of_counts_is_the_median_of_the_values(values: list[int]) -> None:
    assert median_of(Counter(values)) == median(values)


IMAGE = Image("bl31.elf", (0x1000, 0x1008), (8, 8), ("first", "second"), ((0x1000, bytes(range(16))),))


def test_fragments_are_named_by_the_image_that_has_their_code() -> None:
    fragments = {
        0: Fragment(0, 0x1004, 1, 3, bytes(range(4, 8))),
        1: Fragment(1, 0x1008, 2, 3, bytes(range(8, 16))),
        2: Fragment(2, 0x90010, 5, 3, b""),
    }
    assert instructions_by_function([Stretch(runs=((0, 3), (1, 1), (2, 2)))], fragments, [IMAGE]) == {
        "first": 3,
        "second": 2,
        "0x90000+": 10,
    }
    assert placed(fragments.values(), [IMAGE], Arch.AARCH64) == (IMAGE,)


def test_symbols_of_another_build_are_refused_with_the_first_place() -> None:
    with pytest.raises(WrongImage, match=r"bl31.elf is of another build: of 2 .* 1 differ, the first at 0x1008"):
        placed([Fragment(0, 0x1000, 1, 3, b"\0\1\2\3"), Fragment(1, 0x1008, 1, 3, b"\0\0\0\0")], [IMAGE], Arch.AARCH64)


def test_symbols_of_code_that_never_ran_are_refused_and_nothing_is_said_of_their_build() -> None:
    with pytest.raises(WrongImage, match=r"none of the executed code is in bl31\.elf, at any address: the firmware stopped before it, or"):
        placed([Fragment(0, 0x90000, 1, 3, b"\0\1\2\3")], [IMAGE], Arch.AARCH64)


@pytest.mark.parametrize(("arch", "machine"), [(Arch.AARCH64, "EM_RISCV"), (Arch.RISCV, "EM_AARCH64"), (Arch.ARMV8M, "EM_AARCH64")])
def test_symbols_for_another_processor_are_refused_by_its_name(arch: Arch, machine: str) -> None:
    with pytest.raises(WrongImage, match=f"bl31.elf is an ELF file for {machine[3:]}, the machine's cores are {arch.name}"):
        placed([], [replace(IMAGE, machine=machine)], arch)


@pytest.mark.parametrize(
    ("exception_class", "said"),
    [
        (0x01, "WFI or WFE trapped"), (0x18, "system register trapped"), (0x24, "exception class 0x24 trapped"),
        (0x11, "SVC PSCI_VERSION"), (0x15, "SVC PSCI_VERSION"), (0x12, "HVC PSCI_VERSION"), (0x16, "HVC PSCI_VERSION"),
        (0x13, "PSCI_VERSION"), (0x17, "PSCI_VERSION"),
    ],
)  # fmt: skip
def test_what_took_a_core_to_el3_is_named_by_the_exception_class(exception_class: int, said: str) -> None:
    """Arm ARM, ESR_ELx.EC."""
    registers = (VERSION, *(0,) * 7, exception_class << 26, 0x60000000)
    (call,) = calls_of(made.crossing(0, 100, made.NS_EL1, made.EL3, registers), made.back(0, 150))
    assert call.entry.name == said
    assert call.entry.kind is (EntryKind.EXCEPTION if "trapped" in said else EntryKind.CALL)
