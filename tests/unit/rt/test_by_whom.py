# SPDX-License-Identifier: BSD-3-Clause
"""Thefts held against the calls that a probe counted."""

from collections.abc import Sequence

from latlab.benchmarks.analysis.amount_findings import CallOfSize, StolenBy
from latlab.core.comparison.explanation import Basis
from latlab.core.model.run import CallsOfKind, Frame
from latlab.rt.analysis.by_whom import by_whom, slack, theft_sizes
from latlab.rt.model.stolen import Calibration, Regime
from support.steal_lines import HZ, SEEN, cpu_with, measured

TWO_NS = 0.5


def _kind(name: str, *sizes: tuple[int, int], frames: Sequence[Frame] = (), is_inner: bool = False) -> CallsOfKind:
    return CallsOfKind("normal EL1", "call", name, is_inner, sizes, 0, (), (), (), tuple(frames))


TRNG = _kind("TRNG_RND", (916, 20), frames=(Frame(0, "smc", 20, 60), Frame(1, "trng_rnd", 20, 856)))
KINDS = (TRNG, _kind("PSCI_VERSION", (48, 3)), _kind("PSCI_FEATURES", (48, 9), (60, 1)))


def _found(*sizes: int, kinds: Sequence[CallsOfKind] = KINDS, slack_instructions: int = 0) -> list[StolenBy]:
    found = by_whom("idle", {size: sizes.count(size) for size in sizes}, kinds, slack_instructions)
    assert all(one.basis is Basis.INFERRED for one in found)
    return [one.finding for one in found if isinstance(one.finding, StolenBy)]


def test_a_theft_as_long_as_one_kind_of_call_is_that_call_with_its_function() -> None:
    (one,) = _found(916, 916)
    assert one == StolenBy(2, 916, (CallOfSize("TRNG_RND", 20, 1, "trng_rnd"),))
    (said,) = by_whom("idle", {916: 2}, KINDS)
    assert (
        said.sentence == "two windows with 916 instructions in firmware: TRNG_RND, mostly in trng_rnd (count 20), the only call that fits"
    )


def test_kinds_of_one_size_are_all_named_the_more_frequent_first() -> None:
    (one,) = _found(48)
    assert [call.name for call in one.calls] == ["PSCI_FEATURES", "PSCI_VERSION"]
    (said,) = by_whom("idle", {48: 1}, KINDS)
    assert "PSCI_FEATURES (count 9) or PSCI_VERSION (count 3)" in said.sentence and "only" not in said.sentence


def test_several_calls_of_one_kind_in_one_window_are_counted_and_the_fewest_win() -> None:
    assert _found(1832) == [StolenBy(1, 1832, (CallOfSize("TRNG_RND", 20, 2, "trng_rnd"),))]
    twice = _kind("LONG", (1832, 1))
    assert [call.name for call in _found(1832, kinds=(*KINDS, twice))[0].calls] == ["LONG"]


def test_calls_of_one_function_with_other_arguments_are_added_up() -> None:
    """64 bytes of a generator that gives 192 bits at most are two long calls and a shorter one."""
    kinds = (_kind("TRNG_RND (192)", (320, 40)), _kind("TRNG_RND (128)", (276, 20)), _kind("PSCI_VERSION", (48, 3)))
    assert _found(916, kinds=kinds) == [StolenBy(1, 916, (CallOfSize("TRNG_RND", 60, 3, ""),))]
    assert _found(368, kinds=kinds) == [StolenBy(1, 368, ())], "calls of two functions are not added up"


def test_a_size_that_nothing_fits_is_told_as_nobodys() -> None:
    assert _found(917) == [StolenBy(1, 917, ())]
    (said,) = by_whom("idle", {917: 1}, KINDS)
    assert "no call in the probe's data has that size" in said.sentence


def test_a_call_inside_another_is_no_theft_of_its_own() -> None:
    assert _found(916, kinds=(_kind("TRNG_RND", (916, 3), is_inner=True),)) == [StolenBy(1, 916, ())]


def test_only_where_the_system_counter_measures_a_size_may_be_a_tick_off() -> None:
    stops = Calibration(Regime.STOPS, "trng_reseed", 15, 1832.0, 128.0, 0, 68.5, 1e9)
    assert slack([SEEN], HZ, TWO_NS) == 0 and slack([SEEN, stops], HZ, TWO_NS) == 16
    assert _found(930, slack_instructions=16)[0].calls and not _found(933, slack_instructions=16)[0].calls


def test_what_took_most_in_all_comes_first() -> None:
    assert [one.instructions for one in _found(916, 48, 48, 5)] == [916, 48, 5]


def test_sizes_are_instructions_of_every_cpu() -> None:
    found = measured(cpu_with([1832, 1832]), cpu_with([96], 1))
    assert theft_sizes(found, TWO_NS) == {916: 2, 48: 1}
