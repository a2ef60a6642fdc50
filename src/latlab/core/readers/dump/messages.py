# SPDX-License-Identifier: BSD-3-Clause
"""What a payload prints on its console besides the dump when something is wrong."""

from __future__ import annotations

import re

_PANIC = re.compile(r"\bPANIC\b[: ]*(.*)")
_FAULT = re.compile(r"\bFAULT ((?:test_)?\w+ iteration \d+ .*)")


def fault_message(line: str) -> str | None:
    """The sentence for a line by which the target says that it failed; None for any other line."""
    panic = _PANIC.search(line)
    if panic:
        return f"the target panicked: {panic[1].strip()!r}"
    fault = _FAULT.search(line)
    return f"the payload found a fault: {fault[1].strip()!r}" if fault else None
