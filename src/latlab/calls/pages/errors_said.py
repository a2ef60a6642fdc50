# SPDX-License-Identifier: BSD-3-Clause
"""How many calls of a kind failed, and with what."""

from __future__ import annotations

from collections.abc import Sequence


def errors_said(errors: Sequence[tuple[str, int]]) -> str:
    """`3 DENIED, 1 NOT_SUPPORTED`; empty where none failed."""
    return ", ".join(f"{count:,} {name}" for name, count in errors)
