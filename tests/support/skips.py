# SPDX-License-Identifier: BSD-3-Clause
"""Which tests may be skipped, and where: tests/skips.toml. With `--listed-skips` any other skip fails the run."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from typing import Any

import pytest

from support.places import TESTS

LIST = TESTS / "skips.toml"


def reasons_allowed() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(entry["reason"]) for entry in tomllib.loads(LIST.read_text("utf-8"))["skip"])


class Skips:
    """Counts the skipped tests of a run by their reasons, and fails the run for a reason that is not listed."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._count(report)

    def pytest_collectreport(self, report: Any) -> None:
        self._count(report)

    def _count(self, report: Any) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
            self.reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1

    def unlisted(self) -> list[str]:
        allowed = reasons_allowed()
        return sorted(reason for reason in self.reasons if not any(pattern.match(reason) for pattern in allowed))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unlisted() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for reason in self.unlisted():
            count = self.reasons[reason]
            terminalreporter.write_line(f"FAILED {count} skipped for a reason that tests/skips.toml does not list: {reason}", red=True)
