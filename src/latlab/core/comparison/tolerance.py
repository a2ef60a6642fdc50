# SPDX-License-Identifier: BSD-3-Clause
"""The limit that a user can set."""

from __future__ import annotations

from latlab.core.comparison.verdicts import Limits
from latlab.core.errors import UsageError


def limits_of(tolerance_percent: float | None) -> Limits:
    """The limits with another relative threshold, for changes and for `same`, under every clock. None keeps the defaults."""
    if tolerance_percent is None:
        return Limits()
    if not 0 <= tolerance_percent < 100:
        raise UsageError(f"--tolerance {tolerance_percent:g} is not a percentage; use 0 to below 100")
    share = tolerance_percent / 100
    return Limits(relative=share, relative_exact=share)
