# SPDX-License-Identifier: BSD-3-Clause
"""What a call answered: nothing that says it failed, or the name of its error."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.calls.model.crossings import Answers

NO_ANSWERS = Answers({})
UNKNOWN_FUNCTION = Answers({-1: "NOT_SUPPORTED"})
"""What any fast call may say, of which nothing else is known."""


def error_of(answers: Answers, results: Sequence[int]) -> str:
    """Empty where the results name no error that is known."""
    if answers.register >= len(results):
        return ""
    if answers.marker is not None and results[0] & 0xFFFFFFFF != answers.marker:
        return _name(UNKNOWN_FUNCTION, results[0])
    return _name(answers, results[answers.register])


def _name(answers: Answers, value: int) -> str:
    value &= (1 << answers.bits) - 1
    code = value - (1 << answers.bits) if value >> (answers.bits - 1) else value
    return answers.codes.get(code, "")
