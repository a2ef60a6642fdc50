# SPDX-License-Identifier: BSD-3-Clause
"""A program names the calls that it makes."""

from __future__ import annotations

import pytest

from latlab.calls.analysis.calls import Pairing, WorldCall
from latlab.calls.analysis.program_labels import OwnNames, text_of, with_name
from latlab.calls.model.crossings import Arch
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from support import probe_stream as made

FEATURES, VERSION, OPTEE, AFFINITY = 0x8400000A, 0x84000000, 0x32000004, 0xC4000004
MARK_NAME = 0x4C4D0005


def words(text: str) -> tuple[int, int]:
    data = text.encode("latin-1")
    return int.from_bytes(data[:8], "little"), int.from_bytes(data[8:16], "little")


def named(at: int, text: str, core: int = 0) -> bytes:
    return made.smc(core, at, FEATURES, (MARK_NAME, *words(text))) + made.back(core, at + 1, -1 & (1 << 64) - 1)


def call(at: int, function: int, core: int = 0) -> bytes:
    return made.smc(core, at, function) + made.back(core, at + 1)


def calls_of(*parts: bytes) -> list[WorldCall]:
    records = [item for item in Decoder().feed(made.header() + b"".join(parts))][1:]
    return list(OwnNames().feed(Pairing(Arch.AARCH64, call_names()).feed(records)))  # type: ignore[arg-type]


def test_calls_behind_a_mark_have_its_name_up_to_the_next_and_marks_are_none() -> None:
    found = calls_of(
        call(1, VERSION), named(10, "rng 64 bytes"), call(20, OPTEE), call(30, OPTEE), named(40, "self"), call(50, AFFINITY), named(60, ""),
        call(70, VERSION),
    )  # fmt: skip
    optee = "OPTEE_CALL_WITH_ARG (rng 64 bytes)"
    assert [one.entry.name for one in found] == ["PSCI_VERSION", optee, optee, "AFFINITY_INFO (64, self)", "PSCI_VERSION"]


def test_a_name_is_of_the_core_that_gave_it() -> None:
    found = calls_of(named(10, "mine"), call(20, VERSION), call(20, VERSION, core=1))
    assert [one.entry.name for one in found] == ["PSCI_VERSION (mine)", "PSCI_VERSION"]


def test_calls_inside_another_keep_the_functions_name() -> None:
    inner = made.smc(0, 22, 0xC4000053, caller=made.S_EL1) + made.back(0, 23, to=made.S_EL1)
    inner = made.crossing(0, 21, made.EL3, made.S_EL1) + inner
    outer = made.smc(0, 20, OPTEE) + inner + made.crossing(0, 24, made.S_EL1, made.EL3, (1,) * 10) + made.back(0, 25)
    found = calls_of(named(10, "mine"), outer)
    assert ["TRNG_RND (64)" in one.entry.name for one in found if one.depth] == [True]
    assert found[-1].entry.name == "OPTEE_CALL_WITH_ARG (mine)"


@pytest.mark.parametrize("text", ["a/b", "new\nline", "bell\x07"])
def test_what_is_no_name_is_a_call_like_any_other(text: str) -> None:
    assert text_of(words(text)) is None
    assert [one.entry.name for one in calls_of(named(10, text))] == ["PSCI_FEATURES"]


def test_a_name_goes_into_brackets_that_are_there() -> None:
    assert with_name("PSCI_VERSION", "") == "PSCI_VERSION"
    assert with_name("CPU_ON (64)", "self") == "CPU_ON (64, self)"
