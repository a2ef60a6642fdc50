# SPDX-License-Identifier: BSD-3-Clause
"""Figures as a screen prints them, held against what they should be: equal within half of the last printed digit."""

from __future__ import annotations

import re
from collections.abc import Sequence

MINUS = "\N{MINUS SIGN}"
SIGN = rf"[-+{MINUS}]"
UNSIGNED = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"
NUMBER = rf"{SIGN}?{UNSIGNED}"
NAMES = "no one two three four five six seven eight nine ten eleven twelve"
WORDS = {word: n for n, word in enumerate(NAMES.split())} | {"none": 0}
SPARE = 1e-9
ROUNDED = 0.501
"""Of the last digit: a half may go either way."""


def number(text: str) -> float:
    """`+1,234.5`, `two` or `a` as a number."""
    word = text.strip().casefold()
    if word in WORDS:
        return WORDS[word]
    return 1.0 if word in ("a", "an", "single") else float(word.replace(",", "").replace(MINUS, "-"))


def step(text: str) -> float:
    """What the last digit of a printed number is worth."""
    digits, _, power = text.strip().replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    return float(10.0 ** (int(power or 0) - decimals))


def agrees(text: str, value: float) -> bool:
    """Whether `value` is printed as `text`."""
    return abs(number(text) - value) <= ROUNDED * step(text) + SPARE * abs(value)


def differs(what: str, text: str, value: float) -> list[str]:
    """The sentence about a figure that is not what it should be, in a list; nothing if it is."""
    return [] if agrees(text, value) else [f"{what}: {text} is printed, it is {value:.10g}"]


def unequal(what: str, printed: object, true: object) -> list[str]:
    """The same for what is no number."""
    return [] if printed == true else [f"{what}: {printed} is printed, it is {true}"]


def within(text: str, values: Sequence[float]) -> bool:
    """Whether a printed number lies between the least and the greatest of these."""
    low, high = min(values), max(values)
    room = ROUNDED * step(text) + SPARE * max(abs(low), abs(high))
    return low - room <= number(text) <= high + room


def numbers_in(text: str) -> list[str]:
    return re.findall(NUMBER, text)
