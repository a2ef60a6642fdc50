# SPDX-License-Identifier: BSD-3-Clause
"""The command line of cyclictest, which its JSON repeats: what it says of the measurement."""

from __future__ import annotations

import re

from latlab.core.model.conditions import Conditions


def conditions_of(command: str) -> Conditions:
    """Interval and priority as far as the command names them; options may be grouped (-Sp80) and numbers apart (-i 200)."""
    interval_us, priority = _option(command, "i"), _option(command, "p")
    return Conditions(
        interval_ns=None if interval_us is None else interval_us * 1000,
        priority=priority,
        commands=(command,) if command else (),
    )


def _option(command: str, letter: str) -> int | None:
    match = re.search(rf"(?:^|\s)-[a-zA-Z]*{letter}\s*(\d{{1,9}})", command)
    return int(match[1]) if match else None
