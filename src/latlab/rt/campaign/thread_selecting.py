# SPDX-License-Identifier: BSD-3-Clause
"""The threads that a user names, and their period."""

from __future__ import annotations

import re
from collections.abc import Sequence

from latlab.core.errors import UsageError
from latlab.rt.model.thread_trace import ThreadSelection

UNITS_NS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
PERIODS_NS = 10_000, 3_600_000_000_000
DEFAULT_THRESHOLD_US = 100
MOST_THRESHOLD_US = 60_000_000


def selected(
    names: Sequence[str], all_rt: bool, period: str | None, threshold_us: int | None, is_bare_metal: bool
) -> ThreadSelection | None:
    """None if no thread is named. Raises UsageError for an option without a thread, and for a value out of its bounds."""
    if not names and not all_rt:
        options = {"--period": period, "--threshold": threshold_us, "--bare-metal": is_bare_metal or None}
        option = next((name for name, value in options.items() if value is not None), None)
        if option is not None:
            raise UsageError(f"{option} is for the threads of a trace", "name them with --thread or --all-rt")
        return None
    if threshold_us is not None and not 1 <= threshold_us <= MOST_THRESHOLD_US:
        raise UsageError(
            f"--threshold {threshold_us} is out of its bounds", f"use 1 to {MOST_THRESHOLD_US} microseconds", value=threshold_us
        )
    threshold_ns = 1000 * (DEFAULT_THRESHOLD_US if threshold_us is None else threshold_us)
    return ThreadSelection(tuple(names), all_rt, None if period is None else period_of(period), threshold_ns, is_bare_metal)


def period_of(text: str) -> int:
    """The nanoseconds of `1ms`, `250us` or `0.5s`."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)(us|ms|s)", text)
    if match is None:
        raise UsageError(f"--period {text!r} is not a time with its unit", "write it as 1ms, 250us or 0.5s", value=text)
    period_ns = round(float(match[1]) * UNITS_NS[match[2]])
    if not PERIODS_NS[0] <= period_ns <= PERIODS_NS[1]:
        raise UsageError(f"--period {text} is out of its bounds", "use 10us to 3600s", value=text)
    return period_ns
