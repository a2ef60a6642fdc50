# SPDX-License-Identifier: BSD-3-Clause
"""A run in the Trace Event Format, by what it has: the calls of functions, a swept PSA call, or one iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from latlab.calls.campaign.watch_logs import timelines_of
from latlab.calls.pages import calls_trace
from latlab.core.errors import UsageError
from latlab.core.model.run import Run
from latlab.psa.campaign.measure import CAMPAIGN as PSA
from latlab.psa.campaign.measure import load_symbols
from latlab.psa.pages import psa_trace
from latlab.psci.pages import chrome_trace

if TYPE_CHECKING:
    from latlab.core.lifecycle.material import RunArtifacts


def render(run: Run, test: str | None, iteration: int | None, material: Callable[[], RunArtifacts]) -> str:
    """Raises UsageError where it has none, or no such test or iteration."""
    has_calls = bool(run.functions) and not run.traces
    if not has_calls and run.campaign != PSA:
        return chrome_trace.render(run, test, iteration)
    if iteration is not None:
        why = (
            "of each core one iteration's calls are kept, the median one's" if has_calls else "a PSA call's trace is made of a whole sweep"
        )
        raise UsageError(f"--iteration chooses nothing here: {why}", "leave it out")
    if has_calls:
        return calls_trace.render(run, timelines_of(material()), test)
    return psa_trace.render(run, load_symbols(material().store, run.id), test)
