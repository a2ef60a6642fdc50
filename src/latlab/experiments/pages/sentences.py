# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment tells, in sentences: what does something, what changes it, and what cannot be told."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.comparison.wording import amount, percent, signed, signed_bare
from latlab.core.shown import significant
from latlab.experiments.analysis.result import Analysis, Effect, EffectVerdict, Estimate, Interaction, Pairs

SAID = (EffectVerdict.RAISES, EffectVerdict.LOWERS)


def sentences(analysis: Analysis) -> Iterator[str]:
    """The answer first."""
    for effect in analysis.effects:
        if effect.told in SAID:
            yield _effect_sentence(effect, analysis)
    for interaction in analysis.interactions:
        if interaction.told in SAID:
            yield _changes(interaction, analysis)
    none = [f"{effect.factor} {effect.level}" for effect in analysis.effects if effect.told is EffectVerdict.NO_CHANGE]
    if none:
        yield f"No change: {', '.join(none)}."
    small = [f"{effect.factor} {effect.level}" for effect in analysis.effects if effect.told is EffectVerdict.NONE_SO_LARGE]
    if small:
        yield f"No change as large as {whole(analysis.seen.asked_share)}: {', '.join(small)}."
    untold = [f"{effect.factor} {effect.level}" for effect in analysis.effects if effect.told is EffectVerdict.CANNOT_TELL]
    if untold:
        yield f"Inconclusive: {', '.join(untold)}. {takes(analysis)}"


def answer(analysis: Analysis) -> str:
    """The largest effect, with the name of the figure in it; or that none is as large as the smallest of interest."""
    detected = [effect for effect in analysis.effects if effect.told in SAID]
    if not detected:
        return f"{analysis.response}: {next(sentences(analysis), 'no effect was detected.')}"
    largest = max(detected, key=lambda effect: _share(effect, analysis))
    if _share(largest, analysis) >= analysis.seen.asked_share:
        return _effect_sentence(largest, analysis, analysis.response)
    small = (
        f"{largest.factor} {largest.level}, {signed(largest.difference.value, analysis.unit)} ({percent(_signed_share(largest, analysis))})"
    )
    return f"No factor changes {analysis.response} by {whole(analysis.seen.asked_share)} or more; the largest change is of {small}."


def _share(effect: Effect, analysis: Analysis) -> float:
    return abs(_signed_share(effect, analysis))


def _signed_share(effect: Effect, analysis: Analysis) -> float:
    """Of the figure at the base level, or of the mean where no ratio is known."""
    if effect.ratio is not None:
        return effect.ratio.value - 1
    return effect.difference.value / analysis.mean if analysis.mean else 0.0


def takes(analysis: Analysis) -> str:
    """What these runs could have seen, and what it takes to see the smallest change."""
    if analysis.seen.share is None:
        return "The runs do not determine their noise; run each combination twice."
    sentence = f"{analysis.runs} runs like these detect a change of {whole(analysis.seen.share)} in nine of ten experiments"
    if analysis.seen.runs is None:
        return f"{sentence}; they cannot detect a change of {whole(analysis.seen.asked_share)}."
    if analysis.seen.runs <= analysis.runs:
        return f"{sentence}."
    more = f"{analysis.seen.runs} runs, {analysis.seen.replicates} of each combination"
    return f"{sentence}; a change of {whole(analysis.seen.asked_share)} takes {more}."


def basis(analysis: Analysis) -> str:
    """What the sentences rest on."""
    if analysis.exact:
        counted = (
            "each combination once" if analysis.replicates == 1 else f"each combination {analysis.replicates} times, with equal figures"
        )
        return f"Exact: {analysis.runs} runs on the instruction clock, {counted}. Counts are no times of a board."
    scale = "factors between geometric means" if analysis.as_ratio else "differences of means"
    model = "with all pairs of factors" if analysis.order > 1 else "without interactions, for which there are too few runs"
    left = f"{analysis.free} {'degree' if analysis.free == 1 else 'degrees'} of freedom"
    return (
        f"{analysis.runs} runs, mean {amount(analysis.mean, analysis.unit)}, standard deviation of a run {whole(analysis.noise_share)}. "
        f"Effects are {scale}, in a linear model {model}. It leaves {left} for the noise. Intervals are 95 % intervals. The "
        "verdicts hold for all effects together with 95 %."
    )


def whole(share: float) -> str:
    """`60 %`."""
    return f"{100 * share:.0f} %"


def with_ends(estimate: Estimate, analysis: Analysis) -> str:
    """`-45.00 µs (-65.27 to -24.73)`."""
    value = signed(estimate.value, analysis.unit)
    if estimate.error == 0.0:
        return value
    return f"{value} ({_end(estimate.low, analysis)} to {_end(estimate.high, analysis)})"


def times(estimate: Estimate | None) -> str:
    """`0.52 (0.42 to 0.64)`."""
    if estimate is None:
        return "-"
    if estimate.error == 0.0:
        return f"{significant(estimate.value, 3)}"
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


def _effect_sentence(effect: Effect, analysis: Analysis, it: str = "it") -> str:
    ratio = _as_ratio(effect)
    pairs = f"; {pairs_said(effect.pairs)} pairs" if effect.pairs.count else ""
    does = f"{effect.factor} {effect.level} {effect.told} {it} against {effect.base}"
    return f"{does}: {with_ends(effect.difference, analysis)}{ratio}{pairs}."


def _as_ratio(effect: Effect) -> str:
    """What times would round to 1 is a percentage."""
    if effect.ratio is None:
        return ""
    if f"{significant(effect.ratio.value, 3)}" == "1":
        return f" ({percent(effect.ratio.value - 1)})"
    return f", ratio {times(effect.ratio)}"


def _changes(interaction: Interaction, analysis: Analysis) -> str:
    at_level, at_base = (f"{interaction.other} {level}" for level in (interaction.other_level, interaction.other_base))
    does = f"{interaction.factor} {interaction.level} does {_compared(interaction)} with {at_level} than with {at_base}"
    return f"{does}: {_does(interaction.at_level, analysis)} against {_does(interaction.at_base, analysis)}."


def _does(effect: Effect, analysis: Analysis) -> str:
    ratio = f", ratio {times(effect.ratio)}" if effect.ratio else ""
    return signed(effect.difference.value, analysis.unit) + ratio


def _compared(interaction: Interaction) -> str:
    first, second = (
        (interaction.at_base.ratio, interaction.at_level.ratio)
        if interaction.ratio
        else (interaction.at_base.difference, interaction.at_level.difference)
    )
    assert first is not None and second is not None
    neutral = 1.0 if interaction.ratio else 0.0
    if (first.value - neutral) * (second.value - neutral) < 0:
        return "the opposite"
    return "more" if (second.value < first.value) == (second.value < neutral) else "less"


def _end(value: float, analysis: Analysis) -> str:
    if value in (float("inf"), float("-inf")):
        return "any"
    return signed_bare(value, analysis.unit)
