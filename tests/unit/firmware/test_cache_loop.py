# SPDX-License-Identifier: BSD-3-Clause
"""The set/way loop over caches of any shape: each line once, by the registers of a core that nobody has built."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.a64 import Core
from support.examples import examples
from support.places import ROOT

SOURCE = ROOT / "firmware" / "el3" / "arch" / "aarch64" / "cache.S"
SCTLR = 0x30C5_1835
TYPE_NONE, TYPE_INSTRUCTION, TYPE_DATA, TYPE_BOTH, TYPE_UNIFIED = range(5)


@dataclass(frozen=True)
class Cache:
    ways: int
    sets: int
    log2_line: int
    kind: int = TYPE_UNIFIED


# Of CLIDR what is above the level of coherency; of CCSIDR the bits that are UNKNOWN in the short format and RES0 in the long one.
OTHER_LEVELS, UNKNOWN, RES0 = 0xFF << 27, 0xF << 28, 0xFF << 24 | 0xFF << 56


def a_core(caches: list[Cache], louis: int, loc: int, has_ccidx: bool) -> Core:
    system = {
        "sctlr_el3": SCTLR,
        "clidr_el1": sum(cache.kind << 3 * level for level, cache in enumerate(caches)) | louis << 21 | loc << 24 | OTHER_LEVELS,
        "s3_0_c0_c7_2": 1 << 20 if has_ccidx else 0,
        "csselr_el1": 0x99,
    }
    for level, cache in enumerate(caches):
        small = (cache.sets - 1) << 13 | (cache.ways - 1) << 3 | UNKNOWN
        large = (cache.sets - 1) << 32 | (cache.ways - 1) << 3 | RES0
        system[f"ccsidr {level << 1}"] = (large if has_ccidx else small) | (cache.log2_line - 4)
    return Core(SOURCE.read_text(), system)


def lines_of(level: int, cache: Cache) -> set[int]:
    """DC CISW's argument for each line: DDI 0487, D19.6 (way at the top of 32 bits, set above the line, level from bit 1)."""
    way_bits = (cache.ways - 1).bit_length()
    return {
        (way << 32 - way_bits if way_bits else 0) | line << cache.log2_line | level << 1
        for way in range(cache.ways)
        for line in range(cache.sets)
    }


def check(caches: list[Cache], louis: int, loc: int, has_ccidx: bool, power_level: int) -> None:
    core = a_core(caches, louis, loc, has_ccidx)
    core.run("arch_cache_power_down", power_level)
    last = louis if power_level == 0 else loc
    wanted: set[int] = set()
    for level, cache in enumerate(caches[:last]):
        if cache.kind >= TYPE_DATA:
            wanted |= lines_of(level, cache)
    done = [value for _, value in core.maintained]
    assert {operation for operation, _ in core.maintained} <= {"cisw"}
    assert len(done) == len(wanted) and set(done) == wanted
    assert core.system["sctlr_el3"] == SCTLR & ~(1 << 2), "the data cache is off, and all else as it was"
    assert core.system["csselr_el1"] == 0


SHAPES = st.builds(
    Cache, ways=st.integers(1, 17), sets=st.integers(1, 70), log2_line=st.integers(4, 7), kind=st.sampled_from([0, 1, 2, 3, 4, 4])
)


@examples(300)
@given(caches=st.lists(SHAPES, min_size=1, max_size=3), data=st.data(), has_ccidx=st.booleans(), power_level=st.integers(0, 3))
def test_every_line_of_every_level_that_goes_down_is_cleaned_once(
    caches: list[Cache], data: st.DataObject, has_ccidx: bool, power_level: int
) -> None:
    loc = data.draw(st.integers(0, len(caches)))
    check(caches, data.draw(st.integers(0, loc)), loc, has_ccidx, power_level)


@pytest.mark.parametrize("sets", [1, 2, 3, 127, 128, 129])
@pytest.mark.parametrize("has_ccidx", [False, True])
def test_an_odd_number_of_sets_is_cleaned_to_the_last(sets: int, has_ccidx: bool) -> None:
    check([Cache(4, sets, 6, TYPE_BOTH)], 1, 1, has_ccidx, 0)


def test_more_ways_and_sets_than_the_short_format_holds_are_cleaned_in_the_long_one() -> None:
    check([Cache(1025, 3, 6), Cache(2, 40_000, 6)], 0, 2, True, 1)


def test_a_core_without_a_level_of_unification_cleans_nothing_on_its_own_way_down() -> None:
    check([Cache(4, 256, 6, TYPE_BOTH), Cache(8, 1024, 6)], 0, 2, True, 0)


def test_the_interpreter_counts_what_the_emulator_counted() -> None:
    """On a Cortex-A57 of QEMU, whose caches are these two: what both flush spans have beside the function is the same."""
    pinned = tomllib.loads((ROOT / "bench" / "pinned.toml").read_text())["spans"]
    spans = (pinned["cpu_susp_serial_1_0"][2], pinned["susp_deep_serial_1_0"][2])
    beside = set()
    for level, span in enumerate(spans):
        core = a_core([Cache(2, 256, 6, TYPE_BOTH), Cache(16, 2048, 6)], 1, 2, False)
        core.run("arch_cache_power_down", level)
        beside.add(span - core.steps)
    assert len(beside) == 1 and 0 < beside.pop() < 50
