# SPDX-License-Identifier: BSD-3-Clause
"""Ticks as people read them: instructions as they are, times in microseconds."""

from __future__ import annotations

from latlab.core.model.enums import Clock
from latlab.core.model.run import Run, Tick
from latlab.core.shown import significant

CLOCK_NAMES = {
    Clock.INSTRUCTIONS: "instructions, not time",
    Clock.TIME: "system counter (time)",
    Clock.VIRTUAL: "virtual time (simulated on a model of the board)",
    Clock.CYCLES: "clock of the trace (cycles)",
    Clock.TICKS: "clock of the simulator (ticks; gem5's are 1 ps unless the simulation sets another frequency)",
    Clock.TRACE: "clock of the trace (time of its simulator or decoder)",
}
UNITS = {Clock.INSTRUCTIONS: "instructions", Clock.CYCLES: "cycles", Clock.TICKS: "ticks", Clock.VIRTUAL: "simulated µs"}


def unit(tick: Tick) -> str:
    """The unit that `scaled` gives."""
    return UNITS.get(tick.clock, "µs")


def tick_name(tick: Tick) -> str:
    """What one tick is called where ticks are printed as they are: `instructions`, `cycles`, `ps`."""
    if tick.is_counted:
        return unit(tick)
    return {1e-6: "fs", 1e-3: "ps", 1.0: "ns", 1e3: "µs", 1e6: "ms"}.get(tick.value, f"ticks of {significant(tick.value)} ns")


def tick_unit(tick: Tick) -> str:
    """The unit of a tick's own value."""
    if not tick.is_counted:
        return "ns"
    return unit(tick).removesuffix("s") if tick.value == 1 else unit(tick)


def scaled(ticks: float, tick: Tick) -> float:
    """Ticks in the unit that is shown."""
    value = ticks * tick.value
    return value if tick.is_counted else value / 1000


def shown(ticks: float, tick: Tick) -> str:
    """Ticks as the tables print them."""
    value = scaled(ticks, tick)
    if not tick.is_counted:
        return f"{value:.2f}"
    return str(int(value)) if value == int(value) else f"{value:.1f}"


def capture_cost(run: Run) -> str:
    """What one trace point costs, with its unit."""
    if run.capture_cost_ticks is None:
        return "unknown"
    value = scaled(run.capture_cost_ticks, run.tick)
    return f"{significant(value, 3)} {unit(run.tick)}"
