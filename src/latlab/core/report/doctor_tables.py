# SPDX-License-Identifier: BSD-3-Clause
"""What `doctor` found, what to do next, and the subjects that come with latlab."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from latlab.core.lifecycle.doctor import DoctorFinding
from latlab.core.lifecycle.first_steps import FirstSteps
from latlab.core.report.page import Commands, Page, Paragraph, Section
from latlab.core.report.table import Align, Column, Table
from latlab.core.report.text import Style, Styled, strong

COLUMNS = (Column("", Align.LEFT),) * 3

MORE = "`latlab doctor` checks this machine. `latlab -h` lists all commands."


def findings_table(findings: Iterable[DoctorFinding]) -> Table:
    rows = tuple((_state(finding), strong(finding.subject), finding.result) for finding in findings)
    return Table("", COLUMNS, rows)


def doctor_page(findings: Sequence[DoctorFinding]) -> Page:
    """What is missing comes first."""
    missing = [finding for finding in findings if finding.needed and not finding.usable]
    names = ", ".join(finding.subject for finding in missing)
    answer = f"`latlab run psci` lacks {names}." if missing else "`latlab run psci` has all that it needs."
    ordered = sorted(findings, key=lambda finding: finding not in missing)
    return Page("", sections=(Section("", (findings_table(ordered),)),), answer=answer.replace("`", ""))


def first_steps_page(steps: FirstSteps) -> Page:
    """What the command prints without arguments."""
    missing = (Paragraph("`latlab run psci` lacks something on this machine:"), findings_table(steps.missing)) if steps.missing else ()
    commands = tuple(block for command, purpose in steps.commands for block in (Paragraph(f"{purpose}:"), Commands((command,))))
    return Page(steps.state, sections=(Section("", missing), Section("", commands), Section("", (Paragraph(MORE),))))


def _state(finding: DoctorFinding) -> Styled:
    if finding.usable:
        return Styled("ok", Style.GOOD)
    return Styled("missing", Style.BAD) if finding.needed else Styled("none", Style.SOFT)
