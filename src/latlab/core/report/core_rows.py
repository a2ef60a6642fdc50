# SPDX-License-Identifier: BSD-3-Clause
"""What begins a table of cores: its caption, and the two cells of a core."""

from __future__ import annotations

from latlab.core.model.run import CoreId
from latlab.core.report.text import Styled, code
from latlab.core.report.titles import TestTitle


def caption(title: TestTitle, metrics: int, unit: str) -> tuple[str | Styled, ...]:
    """As the reference document words it."""
    noun = "latency" if metrics == 1 else "latencies"
    how = f" in {title.how}" if title.how else ""
    return code(title.call), f" {noun} ({unit}) {title.scope}{how}"


def place(core: CoreId) -> tuple[str, str]:
    """The two cells that begin the row of a core."""
    return str(core.cluster), str(core.core)
