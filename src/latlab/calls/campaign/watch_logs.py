# SPDX-License-Identifier: BSD-3-Clause
"""What the probe counted in a run and the store keeps as logs: calls by kind, masked stretches, time lines of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from latlab.core.model.run import CallsOfKind, MaskedAtlas, SpanTimeline
from latlab.core.store.function_files import KINDS_LOG, MASKED_LOG, TIMELINES_LOG, parse_kinds, parse_masked, parse_timelines

if TYPE_CHECKING:
    from latlab.core.lifecycle.material import RunArtifacts


def calls_of(material: RunArtifacts) -> tuple[CallsOfKind, ...]:
    """The calls that a watch counted, by kind; empty for another run."""
    return material.parsed(parse_kinds, KINDS_LOG)


def masked_of(material: RunArtifacts) -> MaskedAtlas | None:
    """Where interrupts were masked; None if the run did not look."""
    return material.parsed(parse_masked, MASKED_LOG)


def timelines_of(material: RunArtifacts) -> tuple[SpanTimeline, ...]:
    """The calls of functions in one iteration of each span; empty if the probe kept none, or for a run that is not in the store."""
    return material.parsed(parse_timelines, TIMELINES_LOG) if material.is_stored else ()
