# SPDX-License-Identifier: BSD-3-Clause
"""What every renderer has to set: a table with all that a table may have, and lines of any words."""

from __future__ import annotations

from hypothesis import strategies as st

from latlab.core.report.table import Column, Ranged, Table, figures, prose, words
from latlab.core.report.text import Style, Styled, code

TABLE = Table(
    (code("CPU_ON"), " of *all* cores"),
    (*words("Core", "What"), Column("Late", unit="us"), *figures("Calls"), prose("Why")),
    (
        ("0.1", Styled("regressed", Style.BAD), Ranged("2.5", "1.5 to 9.5"), 3, "because of <this> | that_"),
        ("1.0", "same", Ranged("2.5"), 0.5, "-"),
    ),
    notes=("Read `this` first.",),
    detail="firmware_x, n = 3",
    warning="Cores took turns.",
    mark="turns",
)
CHARACTERS = st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_categories=("Cc", "Cf"))
LINE = st.text(CHARACTERS, min_size=1, max_size=24).filter(str.strip)
