# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment tells, in sentences: what does something, what changes it, and what cannot be told."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.analysis.base.wording import amount, percent, signed, signed_bare
from latlab.analysis.design.result import Analysis, Effect, Estimate, Interaction, Pairs, Told

SAID = (Told.RAISES, Told.LOWERS)


def sentences(found: Analysis) -> Iterator[str]:
    """The answer first."""
    for effect in found.effects:
        if effect.told in SAID:
            yield _said(effect, found)
    for one in found.interactions:
        if one.told in SAID:
            yield _changes(one, found)
    none = [f"{effect.factor} {effect.level}" for effect in found.effects if effect.told is Told.NO_CHANGE]
    if none:
        yield f"No change: {', '.join(none)}."
    small = [f"{effect.factor} {effect.level}" for effect in found.effects if effect.told is Told.NONE_SO_LARGE]
    if small:
        yield f"No change as large as {whole(found.seen.asked_share)}: {', '.join(small)}."
    untold = [f"{effect.factor} {effect.level}" for effect in found.effects if effect.told is Told.CANNOT_TELL]
    if untold:
        yield f"Inconclusive: {', '.join(untold)}. {takes(found)}"


def answer(found: Analysis) -> str:
    """The largest effect, with the name of the figure in it; or that none is as large as the smallest of interest."""
    told = [effect for effect in found.effects if effect.told in SAID]
    if not told:
        return f"{found.response}: {next(sentences(found), 'no effect was detected.')}"
    largest = max(told, key=lambda effect: _share(effect, found))
    if _share(largest, found) >= found.seen.asked_share:
        return _said(largest, found, found.response)
    small = f"{largest.factor} {largest.level}, {signed(largest.difference.value, found.unit)} ({percent(_signed_share(largest, found))})"
    return f"No factor changes {found.response} by {whole(found.seen.asked_share)} or more; the largest change is of {small}."


def _share(effect: Effect, found: Analysis) -> float:
    return abs(_signed_share(effect, found))


def _signed_share(effect: Effect, found: Analysis) -> float:
    """Of the figure at the base level, or of the mean where no ratio is known."""
    if effect.ratio is not None:
        return effect.ratio.value - 1
    return effect.difference.value / found.mean if found.mean else 0.0


def takes(found: Analysis) -> str:
    """What these runs could have seen, and what it takes to see the smallest change."""
    if found.seen.share is None:
        return "The runs do not determine their noise; run each combination twice."
    seen = f"{found.runs} runs like these detect a change of {whole(found.seen.share)} in nine of ten experiments"
    if found.seen.runs is None:
        return f"{seen}; they cannot detect a change of {whole(found.seen.asked_share)}."
    if found.seen.runs <= found.runs:
        return f"{seen}."
    more = f"{found.seen.runs} runs, {found.seen.replicates} of each combination"
    return f"{seen}; a change of {whole(found.seen.asked_share)} takes {more}."


def basis(found: Analysis) -> str:
    """What the sentences rest on."""
    if found.exact:
        counted = "each combination once" if found.replicates == 1 else f"each combination {found.replicates} times, with equal figures"
        return f"Exact: {found.runs} runs on the instruction clock, {counted}. Counts are no times of a board."
    scale = "factors between geometric means" if found.as_ratio else "differences of means"
    model = "with all pairs of factors" if found.order > 1 else "without interactions, for which there are too few runs"
    return (
        f"{found.runs} runs, mean {amount(found.mean, found.unit)}, standard deviation of a run {whole(found.noise_share)}. Effects are "
        f"{scale}, in a linear model {model}; {found.free} degrees of freedom are left for the noise. Intervals are 95 % intervals. The "
        "verdicts hold for all effects together with 95 %."
    )


def whole(share: float) -> str:
    """`60 %`."""
    return f"{100 * share:.0f} %"


def with_ends(estimate: Estimate, found: Analysis) -> str:
    """`-45.00 µs (-65.27 to -24.73)`."""
    value = signed(estimate.value, found.unit)
    if estimate.error == 0.0:
        return value
    return f"{value} ({_end(estimate.low, found)} to {_end(estimate.high, found)})"


def times(estimate: Estimate | None) -> str:
    """`0.52 (0.42 to 0.64)`."""
    if estimate is None:
        return "-"
    if estimate.error == 0.0:
        return f"{estimate.value:.3g}"
    if estimate.low == 0.0:
        return f"{estimate.value:.2f} (any)"
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


def pairs_said(pairs: Pairs) -> str:
    """`lower in 8 of 8`."""
    if not pairs.count:
        return "-"
    if pairs.lower >= pairs.higher:
        return f"lower in {pairs.lower} of {pairs.count}"
    return f"higher in {pairs.higher} of {pairs.count}"


def _said(effect: Effect, found: Analysis, it: str = "it") -> str:
    ratio = _as_ratio(effect)
    pairs = f"; {pairs_said(effect.pairs)} pairs" if effect.pairs.count else ""
    does = f"{effect.factor} {effect.level} {effect.told} {it} against {effect.base}"
    return f"{does}: {with_ends(effect.difference, found)}{ratio}{pairs}."


def _as_ratio(effect: Effect) -> str:
    """What times would round to 1 is a percentage."""
    if effect.ratio is None:
        return ""
    if f"{effect.ratio.value:.3g}" == "1":
        return f" ({percent(effect.ratio.value - 1)})"
    return f", ratio {times(effect.ratio)}"


def _changes(one: Interaction, found: Analysis) -> str:
    there, here = (f"{one.other} {level}" for level in (one.other_level, one.other_base))
    does = f"{one.factor} {one.level} does {_compared(one)} with {there} than with {here}"
    return f"{does}: {_does(one.at_level, found)} against {_does(one.at_base, found)}."


def _does(effect: Effect, found: Analysis) -> str:
    ratio = f", ratio {times(effect.ratio)}" if effect.ratio else ""
    return signed(effect.difference.value, found.unit) + ratio


def _compared(one: Interaction) -> str:
    first, second = (one.at_base.ratio, one.at_level.ratio) if one.ratio else (one.at_base.difference, one.at_level.difference)
    assert first is not None and second is not None
    neutral = 1.0 if one.ratio else 0.0
    if (first.value - neutral) * (second.value - neutral) < 0:
        return "the opposite"
    return "more" if (second.value < first.value) == (second.value < neutral) else "less"


def _end(value: float, found: Analysis) -> str:
    if value in (float("inf"), float("-inf")):
        return "any"
    return signed_bare(value, found.unit)
