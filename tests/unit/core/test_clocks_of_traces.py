# SPDX-License-Identifier: BSD-3-Clause
"""The clocks that a trace brings with it, as they are printed and as limits name them."""

from __future__ import annotations

import pytest

from latlab.core.comparison.wording import amount, heading_unit, signed
from latlab.core.model.enums import Clock
from latlab.core.model.run import Tick
from latlab.core.report.units import CLOCK_NAMES, scaled, shown, tick_name, tick_unit, unit

CYCLES, PICOSECONDS = Tick(Clock.CYCLES, 1.0), Tick(Clock.TRACE, 1e-3)


def test_cycles_are_whole_numbers_and_no_time() -> None:
    assert (CYCLES.unit, CYCLES.is_counted) == ("cycles", True)
    assert (unit(CYCLES), tick_unit(CYCLES), tick_name(CYCLES)) == ("cycles", "cycle", "cycles")
    assert (scaled(1234, CYCLES), shown(1234, CYCLES)) == (1234, "1234")
    assert (amount(1234, "cycles"), amount(1, "cycles"), signed(-2, "cycles")) == ("1,234 cycles", "1 cycle", "-2 cycles")


def test_a_unit_of_time_is_shown_as_microseconds_and_named_where_ticks_are() -> None:
    assert (PICOSECONDS.unit, PICOSECONDS.is_counted) == ("ns", False)
    assert (unit(PICOSECONDS), tick_name(PICOSECONDS)) == ("µs", "ps")
    assert shown(2_500_000, PICOSECONDS) == "2.50"
    assert tick_name(Tick(Clock.TRACE, 0.25)) == "ticks of 0.25 ns"


def test_every_clock_has_a_name_of_its_own() -> None:
    assert set(CLOCK_NAMES) == set(Clock)
    assert len(set(CLOCK_NAMES.values())) == len(Clock)


@pytest.mark.parametrize(("name", "heading"), [("ns", "µs"), ("insns", "instructions"), ("cycles", "cycles"), ("MB/s", "MB/s")])
def test_the_heading_of_a_unit(name: str, heading: str) -> None:
    assert heading_unit(name) == heading
