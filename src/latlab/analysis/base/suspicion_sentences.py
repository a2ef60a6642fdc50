# SPDX-License-Identifier: BSD-3-Clause
"""Data-quality warnings as sentences for a reader: the figure, the evidence, and what to check."""

from __future__ import annotations

from latlab.analysis.base.suspicion import Doubt, Ground, Suspicion
from latlab.analysis.base.wording import amount

COUNTER = 2.0**32


def suspicion_sentence(suspicion: Suspicion, unit: str) -> str:
    """`unit` is that of the figures, ns or insns."""
    return f"data-quality warning for {suspicion.run}: {_reason(suspicion, unit)}; check it before any verdict"


def _reason(suspicion: Suspicion, unit: str) -> str:
    subject = _subject(suspicion) if suspicion.spans else ""
    are = "are" if len(suspicion.spans) > 1 and not suspicion.is_whole else "is"
    of_iterations = f"in {suspicion.size:.0f} of {suspicion.usual:.0f} iterations"
    match suspicion.doubt:
        case Doubt.WRAPPED:
            full = "" if suspicion.modulus is None else f", 2^32 {'ns' if suspicion.modulus == COUNTER else 'ticks'} less"
            return (
                f"{subject} is "
                f"{suspicion.size / 1e9:.4g} s, "
                f"and similar "
                f"figures are "
                f"{amount(suspicion.usual, unit)}{full}: a wrapped counter, or a hang"
            )
        case Doubt.ZERO:
            like = f", and similar figures are {amount(suspicion.usual, unit)}" if suspicion.usual else ""
            return f"{subject} is 0{like}: it was not measured"
        case Doubt.UNIT:
            return f"{subject} {are} {suspicion.size:.0f} times the other run's: another unit (ns labelled as us?)"
        case Doubt.TICKS if suspicion.ground is Ground.TICK:
            ticks = f"whole number of the counter's ticks of {suspicion.usual:g} ns"
            return f"{suspicion.size:.0f} figures are no {ticks}: ticks labelled as ns, or means"
        case Doubt.TICKS:
            return f"{subject} {are} 1/{suspicion.size:g} of the other run's, and a tick is {suspicion.size:g} ns: ticks labelled as ns"
        case Doubt.HALF_CLOCK:
            return f"{subject} {are} half of the other run's, in each metric: a clock that counts half as fast"
        case Doubt.SCALED:
            factor = f"{suspicion.size:.0f}" if suspicion.size >= 10 else f"{suspicion.size:.2g}"
            return f"{subject} is about 1/{factor} of the other run's, in each metric: check the unit and the clock"
        case Doubt.EXCHANGED:
            return f"{subject} are exchanged relative to the other run: exchanged columns"
        case Doubt.SAME_BOOTS:
            return (
                f"{suspicion.size:.0f} of {suspicion.usual:.0f} boots "
                f"have the same "
                f"figures as "
                f"another one: a "
                f"repeated boot, which counts once"
            )
        case Doubt.APART:
            return f"no two cores' spans of {subject} overlap {of_iterations}: the cores did not power down together"
        case Doubt.AT_ONCE:
            return f"spans of {subject} overlap {of_iterations}: the cores did not power down one by one"


def _subject(suspicion: Suspicion) -> str:
    if suspicion.is_whole:
        return "every figure"
    tests = dict.fromkeys(test for test, _ in suspicion.spans)
    metrics = dict.fromkeys(metric for _, metric in suspicion.spans)
    cores = f" of core {', '.join(map(str, suspicion.cores))}" if suspicion.cores else ""
    return f"{', '.join(tests)} {_listed([str(metric) for metric in metrics])}{cores}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
