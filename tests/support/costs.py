# SPDX-License-Identifier: BSD-3-Clause
"""What each test costs: wall time, processor time of its process and of the children that it waited for, processes started.

`--test-costs FILE` writes them as JSON, one row a test and one a fixture; `scripts/test_costs.py` makes tables of the file.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from support import preloaded

_STARTS = ("subprocess.Popen", "os.fork")
_started = 0


def _count(event: str, _arguments: object) -> None:
    global _started
    if event in _STARTS:
        _started += 1


@dataclass
class Cost:
    """Seconds of wall clock, seconds of processor, processes started."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    processes: int = 0

    @classmethod
    def so_far(cls) -> Cost:
        return cls(time.monotonic(), sum(os.times()[:4]) + preloaded.cpu_s(), _started)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(*(getattr(self, field.name) - getattr(other, field.name) for field in fields(self)))

    def __add__(self, other: Cost) -> Cost:
        return Cost(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def as_row(self) -> list[float]:
        return [round(self.wall_s, 4), round(self.cpu_s, 4), self.processes]


class Meter:
    """In a worker: adds each phase's cost to its report. In the controller: collects the reports into one file."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.tests: dict[str, dict[str, Any]] = {}
        self.fixtures: dict[str, Cost] = {}
        self._pending: list[tuple[str, Cost]] = []
        self._phase = Cost()
        self._begun = Cost.so_far()
        sys.addaudithook(_count)

    def _measured(self) -> Generator[None, Any, Any]:
        begun = Cost.so_far()
        try:
            return (yield)
        finally:
            self._phase = Cost.so_far() - begun

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        return (yield from self._measured())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        return (yield from self._measured())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, Any]:
        return (yield from self._measured())

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        begun = Cost.so_far()
        try:
            return (yield)
        finally:
            name = f"{fixturedef.baseid}::{fixturedef.argname} ({fixturedef.scope})"
            self._pending.append((name, Cost.so_far() - begun))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        report = yield
        report.cost = self._phase.as_row()
        report.fixture_costs = [[name, *cost.as_row()] for name, cost in self._pending]
        self._pending.clear()
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        row = self.tests.setdefault(report.nodeid, {"outcome": "passed"})
        row[report.when] = report.cost
        if report.outcome != "passed":
            row["outcome"] = report.outcome
        for name, *cost in report.fixture_costs:
            self.fixtures[name] = self.fixtures.get(name, Cost()) + Cost(*cost)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.file is None or hasattr(session.config, "workerinput"):
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        rows = {name: cost.as_row() for name, cost in self.fixtures.items()}
        whole = (Cost.so_far() - self._begun).as_row()
        self.file.write_text(json.dumps({"units": ["wall_s", "cpu_s", "processes"], "whole": whole, "tests": self.tests, "fixtures": rows}))
