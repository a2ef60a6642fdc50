# SPDX-License-Identifier: BSD-3-Clause
"""Which colour stands for what: one thing has one colour in every chart of a page. Each reaches a contrast of 3 to 1 on white.

A page turns all of them over at once where the reader's scheme is dark.
"""

from __future__ import annotations

from collections.abc import Sequence

from latlab.core.report.text import Style

JUDGEMENTS = {Style.BAD: "#b3302a", Style.GOOD: "#1f7a47", Style.NEUTRAL: "#5b6b7a", Style.DOUBT: "#8a6200"}
ALERT = "#b3302a"
MAIN = "#1f4e79"
EARLIER = "#7388a0"
NOTHING_KNOWN = "#7f858e"

_SERIES = ("#35618f", "#d9480f", "#2b8a3e", "#a463c9", "#8d6e00", "#c2255c", "#2b7a78", "#6b4f3a", "#5f3dc4", "#7f858e")
_KINDS = ("#0b7285", "#c92a2a", "#5c940d", "#862e9c", "#a15c00", "#495057", "#1864ab", "#a61e4d")


def of_series(names: Sequence[str]) -> list[str]:
    """For what is measured side by side, such as CPUs and builds, in this order."""
    return [_SERIES[at % len(_SERIES)] for at in range(len(names))]


def of_kinds(names: Sequence[str]) -> list[str]:
    """For what is seen in each of them, such as causes: no colour of `of_series` is among them."""
    return [_KINDS[at % len(_KINDS)] for at in range(len(names))]
