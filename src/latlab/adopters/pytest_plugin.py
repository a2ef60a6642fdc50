# SPDX-License-Identifier: BSD-3-Clause
"""The fixture `latency` for adopters' own tests: compare a run with a baseline and fail with the sentence that explains it.

def test_suspend_is_as_fast_as_the_release(latency):
    latency.assert_no_regression("published:tf-a/juno/v2.9", "results/juno.rst#current")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from latlab.core.store.address import Place

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.model.run import Run


class Latency:
    """`store` is where run ids are looked up; references and files need none."""

    def __init__(self, store: Place | None = None) -> None:
        self._store = store

    def load(self, reference: str, unit: str = "") -> Run:
        """The run that a reference, a file or an id names."""
        from latlab.core.lifecycle.loading import load_reference

        return load_reference(reference, unit, self._store)

    def compare(
        self, before: str | Run, after: str | Run, tolerance_percent: float | None = None, across: Sequence[str] = ()
    ) -> Comparison:
        """`across` names conditions that may differ, as `--allow-different` does."""
        from latlab.core.comparison.by_kind import compare
        from latlab.core.comparison.conditions import check_across
        from latlab.core.comparison.verdicts import limits_of

        return compare(self._run(before), self._run(after), limits_of(tolerance_percent), across=check_across(across))

    def assert_no_regression(
        self, before: str | Run, after: str | Run, tolerance_percent: float | None = None, across: Sequence[str] = ()
    ) -> Comparison:
        """Fails the test with what regressed and why."""
        from latlab.core.comparison.by_kind import explain_pair
        from latlab.core.comparison.decision import REGRESSED
        from latlab.core.comparison.gate import report_gate

        comparison = self.compare(before, after, tolerance_percent, across)
        report = report_gate(comparison, REGRESSED)
        if report.exit_code == 1:
            why = "\n".join(f"  {e.sentence}" for e in explain_pair(comparison))
            pytest.fail("\n".join((*report.lines, why)), pytrace=False)
        if report.exit_code == 3:
            pytest.fail("\n".join(report.lines), pytrace=False)
        return comparison

    def assert_rules(self, run: str | Run) -> None:
        """Fails the test if the run breaks a rule or is unusual."""
        from latlab.core.comparison.by_kind import check_invariants

        broken = [
            f"{check.test}: not kept: {check.name}: {check.sentence}" for check in check_invariants(self._run(run)) if not check.holds
        ]
        if broken:
            pytest.fail("\n".join(broken), pytrace=False)

    def _run(self, run: str | Run) -> Run:
        return self.load(run) if isinstance(run, str) else run


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("latlab").addoption("--latlab-store", default=None, help="the store in which `latency` looks up runs")


@pytest.fixture(scope="session")
def latency(request: pytest.FixtureRequest) -> Latency:
    """Runs, comparisons and assertions on them."""
    return Latency(request.config.getoption("--latlab-store"))
