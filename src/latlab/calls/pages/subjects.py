# SPDX-License-Identifier: BSD-3-Clause
"""The subjects that come with latlab, as a table."""

from __future__ import annotations

from collections.abc import Iterable

from latlab.calls.campaign.identifying import ReadySubject
from latlab.core.report.table import Align, Column, Table


def ready_table(subjects: Iterable[ReadySubject]) -> Table:
    columns = (Column("Measured by", Align.LEFT), Column("where this was run", Align.LEFT, wraps=True))
    rows = tuple((f"latlab run {subject.campaign} --subject {subject.name}", subject.made_by) for subject in subjects)
    return Table("Subjects that come with latlab", columns, rows)
