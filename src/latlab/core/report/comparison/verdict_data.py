# SPDX-License-Identifier: BSD-3-Clause
"""A verdict for other programs."""

from __future__ import annotations

from latlab.core.comparison.verdicts import Verdict


def verdict_data(verdict: Verdict | None) -> dict[str, str | None]:
    """The word and its detail; null without a verdict."""
    return {"verdict": verdict and verdict.word, "detail": verdict and verdict.detail}
