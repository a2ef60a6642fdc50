# SPDX-License-Identifier: BSD-3-Clause
"""What `doctor` found, and the subjects that come with latlab, as tables."""

from __future__ import annotations

from collections.abc import Iterable

from latlab.campaigns.doctor import Finding
from latlab.campaigns.looking import ReadySubject
from latlab.report.table import Align, Column, Table
from latlab.report.text import Style, Styled, strong

COLUMNS = (Column("", Align.LEFT), Column("", Align.LEFT), Column("", Align.LEFT, wraps=True))


def findings_table(findings: Iterable[Finding]) -> Table:
    return Table("", COLUMNS, tuple((_state(finding), strong(finding.what), finding.found) for finding in findings))


def ready_table(subjects: Iterable[ReadySubject]) -> Table:
    columns = (Column("Measured by", Align.LEFT), Column("where this was run", Align.LEFT, wraps=True))
    rows = tuple((f"latlab run {one.campaign} --subject {one.name}", one.made_by) for one in subjects)
    return Table("Subjects that come with latlab", columns, rows)


def _state(finding: Finding) -> Styled:
    if finding.usable:
        return Styled("ok", Style.GOOD)
    return Styled("missing", Style.BAD) if finding.needed else Styled("none", Style.SOFT)
