# SPDX-License-Identifier: BSD-3-Clause
"""The page of a run of spans for a browser: calls and masked stretches of a watch, or else each test."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.calls.model.calls import TRACE_CAMPAIGN
from latlab.core.errors import DataError
from latlab.core.model.run import CallsOfKind, MaskedAtlas, Run
from latlab.core.report.page import Page


def spans_page(run: Run, calls: Sequence[CallsOfKind], masked: MaskedAtlas | None) -> Page:
    """Raises DataError for a watch that counted nothing."""
    if run.conditions.instrument == "crossings" and not (calls or masked or run.samples):
        why = f": {run.problems[0].message}" if run.problems else ""
        raise DataError(f"{run.id} saw nothing that a page could show{why}")
    if calls or masked:
        from latlab.calls.pages.web import page as watched

        return watched(run, calls, masked)
    if run.campaign == TRACE_CAMPAIGN:
        from latlab.calls.pages.web import whole_page

        return whole_page(run)
    from latlab.psci.pages.web import page

    return page(run)
