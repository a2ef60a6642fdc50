# SPDX-License-Identifier: BSD-3-Clause
"""A run in the Trace Event Format, by what it has: the calls of functions, a swept PSA call, or one iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from latlab.campaigns.psa import CAMPAIGN as PSA
from latlab.campaigns.psa import load_symbols
from latlab.campaigns.watch_logs import timelines_of
from latlab.errors import UsageError
from latlab.model.run import Run
from latlab.report.exports import calls_trace, chrome_trace, psa_trace

if TYPE_CHECKING:
    from latlab.campaigns.material import RunArtifacts


def render(run: Run, test: str | None, iteration: int | None, material: Callable[[], RunArtifacts]) -> str:
    """Raises UsageError where it has none, or no such test or iteration."""
    has_calls = bool(run.functions) and not run.traces
    if not has_calls and run.campaign != PSA:
        return chrome_trace.render(run, test, iteration)
    if iteration is not None:
        why = (
            "of each core one iteration's calls are kept, the median one's" if has_calls else "a PSA call's trace is made of a whole sweep"
        )
        raise UsageError(f"--iteration chooses nothing here: {why}; leave it out")
    if has_calls:
        return calls_trace.render(run, timelines_of(material()), test)
    return psa_trace.render(run, load_symbols(material().store, run.id), test)
