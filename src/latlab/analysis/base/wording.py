# SPDX-License-Identifier: BSD-3-Clause
"""Figures in words: ns as µs, instructions as they are."""

from __future__ import annotations

from latlab.model.enums import Metric

PER_MILLION = "per million"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def unit_of(metric: Metric, unit: str) -> str:
    """The unit of a metric in a run whose spans are in `unit`."""
    return PER_MILLION if metric is Metric.MISSED_PERIODS else unit


def amount(value: float, unit: str) -> str:
    """`138.8 µs`, `1,234 insns`: about four significant figures."""
    if unit == PER_MILLION:
        return f"{value:.4g} {unit}"
    if unit == "insns":
        return f"{value:,.0f} insns"
    return f"{_microseconds(value)} µs"


def bare(value: float, unit: str) -> str:
    """The number without its unit, two decimals where it is µs, for columns."""
    shown = _shown(value, unit)
    return f"{shown:,.0f}" if unit == "insns" else f"{shown:.2f}"


def signed(value: float, unit: str) -> str:
    """`+4.13 µs`; minus is a plain hyphen so that columns and terminals agree."""
    shown = _shown(value, unit)
    if unit == PER_MILLION:
        return f"{shown:+.2f} {unit}"
    return f"{shown:+,.0f} insns" if unit == "insns" else f"{shown:+.2f} µs"


def scale_of(unit: str) -> float:
    """How many of the unit stand behind one that is printed."""
    return 1000.0 if unit == "ns" else 1.0


def heading_unit(unit: str) -> str:
    return "µs" if unit == "ns" else unit


def percent(share: float) -> str:
    return f"{round(share * 100, 1) + 0.0:+.1f} %"


def count(n: int, thing: str) -> str:
    """`five cores`, `one core`, `17 cores`."""
    number = _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)
    return f"{number} {thing}" if n == 1 else f"{number} {thing}s"


def _shown(value: float, unit: str) -> float:
    """Rounded as it is printed, so that nothing is printed as minus zero."""
    if unit == "insns":
        return round(value) + 0.0
    return round(value if unit == PER_MILLION else value / 1000, 2) + 0.0


def _microseconds(value_ns: float) -> str:
    us = value_ns / 1000
    if abs(us) >= 500:
        return f"{us:.0f}"
    return f"{us:.1f}" if abs(us) >= 20 else f"{us:.2f}"
