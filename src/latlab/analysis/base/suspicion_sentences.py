# SPDX-License-Identifier: BSD-3-Clause
"""Data-quality warnings as sentences for a reader: the figure, the evidence, and what to check."""

from __future__ import annotations

from latlab.analysis.base.suspicion import Doubt, Ground, Suspicion
from latlab.analysis.base.wording import amount

COUNTER = 2.0**32


def suspicion_sentence(one: Suspicion, unit: str) -> str:
    """`unit` is that of the figures, ns or insns."""
    return f"data-quality warning for {one.run}: {_said(one, unit)}; check it before any verdict"


def _said(one: Suspicion, unit: str) -> str:
    what = _what(one) if one.spans else ""
    are = "are" if len(one.spans) > 1 and not one.is_whole else "is"
    of_iterations = f"in {one.size:.0f} of {one.usual:.0f} iterations"
    match one.doubt:
        case Doubt.WRAPPED:
            full = "" if one.modulus is None else f", 2^32 {'ns' if one.modulus == COUNTER else 'ticks'} less"
            return (
                f"{what} is {one.size / 1e9:.4g} s, and similar figures are {amount(one.usual, unit)}{full}: a wrapped counter, or a hang"
            )
        case Doubt.ZERO:
            like = f", and similar figures are {amount(one.usual, unit)}" if one.usual else ""
            return f"{what} is 0{like}: it was not measured"
        case Doubt.UNIT:
            return f"{what} {are} {one.size:.0f} times the other run's: another unit (ns labelled as us?)"
        case Doubt.TICKS if one.ground is Ground.TICK:
            ticks = f"whole number of the counter's ticks of {one.usual:g} ns"
            return f"{one.size:.0f} figures are no {ticks}: ticks labelled as ns, or means"
        case Doubt.TICKS:
            return f"{what} {are} 1/{one.size:g} of the other run's, and a tick is {one.size:g} ns: ticks labelled as ns"
        case Doubt.HALF_CLOCK:
            return f"{what} {are} half of the other run's, in each metric: a clock that counts half as fast"
        case Doubt.SCALED:
            factor = f"{one.size:.0f}" if one.size >= 10 else f"{one.size:.2g}"
            return f"{what} is about 1/{factor} of the other run's, in each metric: check the unit and the clock"
        case Doubt.EXCHANGED:
            return f"{what} are exchanged relative to the other run: exchanged columns"
        case Doubt.SAME_BOOTS:
            return f"{one.size:.0f} of {one.usual:.0f} boots have the same figures as another one: a repeated boot, which counts once"
        case Doubt.APART:
            return f"no two cores' spans of {what} overlap {of_iterations}: the cores did not power down together"
        case Doubt.AT_ONCE:
            return f"spans of {what} overlap {of_iterations}: the cores did not power down one by one"


def _what(one: Suspicion) -> str:
    if one.is_whole:
        return "every figure"
    tests = dict.fromkeys(test for test, _ in one.spans)
    metrics = dict.fromkeys(metric for _, metric in one.spans)
    cores = f" of core {', '.join(map(str, one.cores))}" if one.cores else ""
    return f"{', '.join(tests)} {_listed([str(metric) for metric in metrics])}{cores}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
