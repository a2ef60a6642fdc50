# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of which a test knows the kind."""

from __future__ import annotations

from typing import Any

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import SpanComparison, WakeupComparison
from latlab.core.model.run import Run


def compare_spans(a: Run, b: Run, *args: Any, **options: Any) -> SpanComparison:
    found = compare(a, b, *args, **options)
    assert isinstance(found, SpanComparison)
    return found


def compare_wakeups(a: Run, b: Run, *args: Any, **options: Any) -> WakeupComparison:
    found = compare(a, b, *args, **options)
    assert isinstance(found, WakeupComparison)
    return found
