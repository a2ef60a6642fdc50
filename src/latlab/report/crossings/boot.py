# SPDX-License-Identifier: BSD-3-Clause
"""A boot by stage, as a table: what each image ran before the normal world's first instruction, and which functions most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from latlab.model.enums import Metric
from latlab.model.run import Sample, SpanFunctions
from latlab.report.table import Align, Column, Table, figures, words

FUNCTIONS_SHOWN = 5
NOTE = "A stage is an image whose symbols were given. Code outside of all images is listed by its world."


def boot_table(samples: Iterable[Sample], functions: Sequence[SpanFunctions]) -> Table | None:
    """None where the machine began in its normal world, or never came to it."""
    stages = [one for one in samples if one.metric is Metric.BOOT]
    if not stages:
        return None
    whole = max(one.value_ticks for one in stages) or 1
    rows = tuple((one.test, f"{one.value_ticks:,}", f"{100 * one.value_ticks / whole:.1f} %", _most(one, functions)) for one in stages)
    columns = (*words("Stage"), *figures("Instructions", "Share"), Column("Most in", Align.LEFT, wraps=True))
    return Table("Boot, until the normal world began", columns, rows, (NOTE,))


def _most(stage: Sample, functions: Sequence[SpanFunctions]) -> str:
    shares = [share for one in functions if (one.test, one.metric) == (stage.test, Metric.BOOT) for share in one.functions]
    most = sorted(shares, key=lambda share: -share.instructions)[:FUNCTIONS_SHOWN]
    return ", ".join(f"{share.name} {100 * share.instructions / (stage.value_ticks or 1):.0f} %" for share in most)
