# SPDX-License-Identifier: BSD-3-Clause
"""What calls answered: which failed, with what name, and which never came back."""

from __future__ import annotations

import pytest

from latlab.calls.analysis.calls import Pairing, WorldCall
from latlab.calls.analysis.tally import Tally
from latlab.calls.analysis.unreturned_calls import unreturned_words
from latlab.calls.model.crossings import Arch
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import CoreId
from support import probe_stream as made

M, S = 3, 1
ECALL = 0x80200000
SRST = 0x53525354
NOT_SUPPORTED, DENIED = (1 << 64) - 1, (1 << 32) - 3


def paired(*parts: bytes, arch: Arch = Arch.AARCH64) -> tuple[list[WorldCall], Pairing]:
    records = list(Decoder().feed(made.header(arch.value) + b"".join(parts)))[1:]
    pairing = Pairing(arch, call_names())
    return list(pairing.feed(records)), pairing  # type: ignore[arg-type]


def answered(function: int, *results: int) -> str:
    registers = (*results, *(0,) * (8 - len(results)))
    (call,), _ = paired(made.smc(0, 0, function), made.crossing(0, 9, made.EL3, made.NS_EL1, registers, 0x60000000))
    return call.error


def ecalled(extension: int, result: int, address: int = ECALL + 4) -> str:
    enter = made.crossing(0, 10, S, M, (*(0,) * 7, extension, 9, ECALL), 0x80000000)
    (call,), _ = paired(enter, made.crossing(0, 20, M, S, (result, *(0,) * 7), address), arch=Arch.RISCV)
    return call.error


@pytest.mark.parametrize(
    ("function", "results", "said"),
    [
        (0x84000000, (0x10001,), ""),
        (0x84000002, (DENIED,), "DENIED"),
        (0xC4000003, ((1 << 64) - 4,), "ALREADY_ON"),
        (0xC4000004, (1,), ""),
        (0xC4000010, ((1 << 32) - 2,), ""),
        (0x80000001, ((1 << 32) - 2,), "NOT_REQUIRED"),
        (0x80008000, (0x80008000,), ""),
        (0xC4000053, ((1 << 64) - 3,), "NO_ENTROPY"),
        (0xC4000021, ((1 << 64) - 10,), "OUT_OF_RESOURCE"),
        (0x84000063, (0x10001,), ""),
        (0x84000063, (NOT_SUPPORTED,), "NOT_SUPPORTED"),
        (0x84000068, (0x84000060, 0, (1 << 32) - 6), "DENIED"),
        (0x84000068, (0x84000061, 0, (1 << 32) - 6), ""),
        (0xC4000151, (0x0101,), "RMI_ERROR_INPUT"),
        (0xC4000151, (0x0100,), ""),
        (0xC4000151, (NOT_SUPPORTED,), "NOT_SUPPORTED"),
        (0xC4000195, (3,), ""),
        (0xC4000195, (2,), "RSI_ERROR_STATE"),
        (0xC40001B2, ((1 << 64) - 6,), "E_RMM_AGAIN"),
        (0x32000004, (0xFFFF0000,), ""),
        (0x32000004, (2,), "EBUSY"),
        (0xBF00FF01, (2,), ""),
        (0xBF00FF01, (0xFFFFFFFF,), "NOT_SUPPORTED"),
        (0xC2001234, (0xFFFFFFFF,), "NOT_SUPPORTED"),
        (0xC2001234, ((1 << 64) - 2,), ""),
        (0x02001234, (NOT_SUPPORTED,), ""),
    ],
)
def test_an_error_has_the_name_that_the_call_s_own_document_gives_it(function: int, results: tuple[int, ...], said: str) -> None:
    assert answered(function, *results) == said


@pytest.mark.parametrize(
    ("extension", "result", "said"),
    [
        (0x48534D, 0, ""), (0x48534D, (1 << 64) - 6, "ALREADY_AVAILABLE"), (0x46574654, (1 << 64) - 14, "DENIED_LOCKED"),
        (0x48534D, (1 << 32) - 6, ""), (0x2, NOT_SUPPORTED, ""), (0x12345678, (1 << 64) - 2, "NOT_SUPPORTED"),
    ],
)  # fmt: skip
def test_an_error_of_sbi_has_its_name_and_a_legacy_call_answers_a_value(extension: int, result: int, said: str) -> None:
    assert ecalled(extension, result) == said


def test_a_core_that_goes_on_elsewhere_brings_no_answer() -> None:
    assert ecalled(0x48534D, NOT_SUPPORTED, 0x80400000) == ""
    suspended = made.smc(0, 0, 0xC4000001)
    (call,), _ = paired(suspended, made.crossing(0, 90, made.EL3, made.NS_EL1, (NOT_SUPPORTED, *(0,) * 7), 0x60008000))
    assert call.error == ""


def test_a_tally_counts_what_failed_calls_answered() -> None:
    calls, _ = paired(*(part for at in (0, 100, 200) for part in (made.smc(0, at, 0xC4000003), made.back(0, at + 9, DENIED if at else 0))))
    tally = Tally()
    for call in calls:
        tally.add(call)
    (row,) = tally.rows()
    assert (row.count, row.errors) == (3, (("DENIED", 2),))


def test_calls_that_did_not_return_are_said_with_their_cores_and_what_became_of_them() -> None:
    off = [part for core in (1, 2) for part in (made.smc(core, 0, 0x84000002), made.sleep(core, 40))]
    _, pairing = paired(*off, made.smc(0, 0, 0x84000008))
    cores = {number: CoreId(0, number) for number in range(3)}
    said = unreturned_words(pairing.unreturned(), Arch.AARCH64, cores)
    assert set(said) == {"CPU_OFF from EL1 on 0.1, 0.2 (asleep)", "SYSTEM_OFF from EL1 on 0.0"}


def test_a_reset_is_no_return_of_the_call_that_asked_for_it() -> None:
    reset = made.smc(0, 0, 0x84000009)
    calls, pairing = paired(reset, made.crossing(0, 9000, made.EL3, made.NS_EL1, (0,) * 8, 0x60001000))
    assert calls == []
    assert unreturned_words(pairing.unreturned(), Arch.AARCH64, {}) == ("SYSTEM_RESET from EL1 on 0.0 (other code ran instead)",)
    refused, _ = paired(reset, made.back(0, 90, NOT_SUPPORTED))
    assert [call.error for call in refused] == ["NOT_SUPPORTED"]


def test_a_system_reset_of_sbi_that_is_refused_returns() -> None:
    assert ecalled(SRST, (1 << 64) - 3) == "INVALID_PARAM"


def test_a_boot_through_the_secure_world_leaves_the_calls_of_its_loader_behind() -> None:
    _, pairing = paired(
        made.smc(0, 0, 4, caller=made.S_EL1),
        made.crossing(0, 500, made.EL3, made.NS_EL1, (0,) * 8, 0x60000000),
    )
    assert unreturned_words(pairing.unreturned(), Arch.AARCH64, {}) == ("BL1_RUN_IMAGE from S-EL1 on 0.0 (other code ran instead)",)
