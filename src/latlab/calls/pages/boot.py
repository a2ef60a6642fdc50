# SPDX-License-Identifier: BSD-3-Clause
"""A boot by stage, as a table: what each image ran before the normal world's first instruction, and which functions most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from latlab.core.model.enums import Metric
from latlab.core.model.run import Sample, SpanFunctions
from latlab.core.report.table import Align, Column, Table, figures, words

FUNCTIONS_SHOWN = 5
NOTE = "A stage is an image whose symbols were given. Code outside of all images is listed by its world."


def boot_table(samples: Iterable[Sample], functions: Sequence[SpanFunctions]) -> Table | None:
    """None where the machine began in its normal world, or never came to it."""
    stages = [span for span in samples if span.metric is Metric.BOOT]
    if not stages:
        return None
    whole = max(span.value_ticks for span in stages) or 1
    rows = tuple((span.test, f"{span.value_ticks:,}", f"{100 * span.value_ticks / whole:.1f} %", _most(span, functions)) for span in stages)
    columns = (*words("Stage"), *figures("Instructions", "Share"), Column("Most in", Align.LEFT, wraps=True))
    return Table("Boot, until the normal world began", columns, rows, (NOTE,))


def _most(stage: Sample, functions: Sequence[SpanFunctions]) -> str:
    shares = [share for span in functions if (span.test, span.metric) == (stage.test, Metric.BOOT) for share in span.functions]
    most = sorted(shares, key=lambda share: -share.instructions)[:FUNCTIONS_SHOWN]
    return ", ".join(f"{share.name} {100 * share.instructions / (stage.value_ticks or 1):.0f} %" for share in most)
