# SPDX-License-Identifier: BSD-3-Clause
"""The files of `latlab gate` for a CI: a comment, JUnit and SARIF, whichever way it ends. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from latlab.core.cli.output import write_file
from latlab.core.passwords import shown_words

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.comparison.gate import GateReport
    from latlab.core.errors import LatlabError
    from latlab.core.report.comparison.comment import Handed


@dataclass(frozen=True, slots=True)
class GateFiles:
    """Those that are wanted; `handed` is for the comment."""

    comment: Path | None
    junit: Path | None
    sarif: Path | None
    handed: Handed

    def write(self, comparison: Comparison, report: GateReport) -> None:
        """What was decided."""
        if self.junit is not None:
            from latlab.core.report.exports.junit import comparison_junit

            write_file(comparison_junit(comparison, report), self.junit)
        if self.sarif is not None:
            from latlab.core.report.exports import sarif

            write_file(sarif.render(comparison, report), self.sarif)
        if self.comment is not None:
            from latlab.core.report.comparison import comment

            write_file(comment.render(comparison, report, self.handed), self.comment)

    def write_refused(self, base: str, candidate: str, error: LatlabError) -> None:
        """Why there is nothing to decide on: the next step of a job finds the same files as after any other end."""
        base, candidate = shown_words((base, candidate))
        if self.junit is not None:
            from latlab.core.report.exports.junit import refused_junit

            write_file(refused_junit(base, candidate, error), self.junit)
        if self.sarif is not None:
            from latlab.core.report.exports import sarif

            write_file(sarif.refused(error), self.sarif)
        if self.comment is not None:
            from latlab.core.report.comparison import comment

            write_file(comment.refused(base, candidate, str(error), self.handed), self.comment)
