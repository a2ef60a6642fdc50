# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run as CSV: a line for each sample, interval, value, attack or figure, by its kind."""

from __future__ import annotations

from latlab.core.kinds.registry import kind_of
from latlab.core.model.run import Run
from latlab.core.report.renderers import csv


def render(run: Run) -> str:
    return csv.lines(*kind_of(run).forms.lines(run))
