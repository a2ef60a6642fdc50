# SPDX-License-Identifier: BSD-3-Clause
"""A boot by stage: the code of which image ran before the normal world began, and which world's where no image has it."""

from __future__ import annotations

from latlab.calls.analysis.boot import Stages, stages_of
from latlab.calls.analysis.calls import Pairing
from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.model.crossings import Arch, Fragment
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import CoreId
from latlab.core.model.symbols import Image
from support import probe_stream as made

CODE = bytes(range(16))
BL1 = Image("bl1.elf", (0x1000,), (16,), ("bl1_main",), ((0x1000, CODE),))
BL2 = Image("bl2.elf", (0x2000,), (16,), ("bl2_main",), ((0x2000, CODE),))
BOOT = (
    made.fragment(1, 0x1000, 4, CODE[:4]),
    made.fragment(2, 0x2000, 2, CODE[:2], level=1),
    made.fragment(3, 0x9000, 3, b"\xff\xff"),
    made.crossing(0, 0, made.NO_WORLD, made.EL3),
    made.path(0, [(1, 10), (3, 5)]),
    made.crossing(0, 55, made.EL3, made.S_EL1, (0,) * 8),
    made.path(0, [(2, 20)]),
    made.smc(0, 95, 4, caller=made.S_EL1),
    made.profile(0, [(1, 2)], unlisted=7),
    made.profile(0, [(3, 1)]),
    made.crossing(0, 113, made.EL3, made.NS_EL1, (0,) * 8),
)


def stages(*parts: bytes, images: tuple[Image, ...] = (), arch: Arch = Arch.AARCH64) -> Stages | None:
    pairing = Pairing(arch, call_names())
    records = list(Decoder().feed(made.header(arch.value, functions=1) + b"".join(parts)))[1:]
    list(pairing.feed(records))  # type: ignore[arg-type]
    fragments = {one.number: one for one in records if isinstance(one, Fragment)}
    if pairing.boot is None:
        return None
    return stages_of(pairing.boot, arch, images, CoreId(0, pairing.boot.core), SpanReader(arch, fragments, images))


def counts(found: Stages | None) -> dict[str, int]:
    assert found is not None
    return {one.test: one.value_ticks for one in found.samples}


def test_each_image_has_what_its_code_ran_and_the_rest_is_its_world_s() -> None:
    found = stages(*BOOT, images=(BL1, BL2))
    assert counts(found) == {"all": 113, "bl1": 48, "EL3": 18 + 7, "bl2": 40}
    assert found is not None
    functions = {one.test: {share.name: share.instructions for share in one.functions} for one in found.functions}
    assert functions["bl1"] == {"bl1_main": 48} and functions["bl2"] == {"bl2_main": 40}
    assert sum(functions["EL3"].values()) == 25


def test_without_images_the_worlds_are_the_stages() -> None:
    assert counts(stages(*BOOT)) == {"all": 113, "EL3": 73, "S-EL1": 40}


def test_without_functions_the_worlds_are_counted_all_the_same() -> None:
    crossings = [part for part in BOOT if part[0] == 2]
    assert counts(stages(*crossings)) == {"all": 113, "EL3": 73, "S-EL1": 40}


def test_the_core_that_comes_first_is_told_and_what_runs_later_is_not() -> None:
    later = (made.crossing(1, 0, made.NO_WORLD, made.EL3), made.crossing(1, 900, made.EL3, made.NS_EL1, (0,) * 8))
    assert counts(stages(*BOOT, *later))["all"] == 113
    first = (made.crossing(1, 0, made.NO_WORLD, made.EL3), made.crossing(1, 50, made.EL3, made.NS_EL1, (0,) * 8))
    assert counts(stages(*BOOT[:6], *first, *BOOT[6:])) == {"all": 50, "EL3": 50}


def test_a_machine_that_begins_in_its_normal_world_or_never_reaches_it_has_no_boot() -> None:
    assert stages(made.crossing(0, 0, made.NO_WORLD, made.NS_EL1), made.smc(0, 5, 0x84000000), made.back(0, 90)) is None
    assert stages(*BOOT[:-1]) is None


def test_m_mode_boots_s_mode_and_the_secure_state_the_non_secure_one() -> None:
    opensbi = (made.crossing(0, 0, made.NO_WORLD, 3), made.crossing(0, 70, 3, 1, (0,) * 8))
    assert counts(stages(*opensbi, arch=Arch.RISCV)) == {"all": 70, "M": 70}
    spm = (
        made.crossing(0, 0, made.NO_WORLD, 4),
        made.crossing(0, 30, 4, 5),
        made.crossing(0, 40, 5, 4),
        made.crossing(0, 90, 4, 0, (0,) * 5),
    )
    assert counts(stages(*spm, arch=Arch.ARMV8M)) == {"all": 90, "secure thread": 80, "secure handler": 10}
