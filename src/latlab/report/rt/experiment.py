# SPDX-License-Identifier: BSD-3-Clause
"""What the TRNG experiment comes to, as sections of a page: that of our own EL3, and the story of a real secure world."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.analysis.wakeups.dose_experiment import doses
from latlab.analysis.wakeups.result import RtResult
from latlab.model.run import Run
from latlab.report.chart import named
from latlab.report.page import Section
from latlab.report.rt.charts import dose_chart
from latlab.report.rt.stack_story import story
from latlab.report.rt.wakeup_tables import is_stacked, summary


def experiment(run: Run, results: Sequence[tuple[str, RtResult]]) -> tuple[Section, ...]:
    """Nothing for a single measurement. Raises DataError where too few boots came back."""
    if is_stacked(run):
        return story(run, results)
    sections = summary(run, list(results))
    return (Section("What the experiment shows", (*named([dose_chart(doses(run, results))], "overview"), *sections)),) if sections else ()
