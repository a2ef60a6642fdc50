# SPDX-License-Identifier: BSD-3-Clause
"""What two runs of different firmware images show of the change, if none of their figures differs.

A run has a digest of its image and, if the probe counted it, the instructions of each function that ran. It has no code of functions
that did not run, so nothing names the changed function."""

from __future__ import annotations

from collections.abc import Iterable

from latlab.core.comparison.comparison import Row
from latlab.core.comparison.wording import count
from latlab.core.model.enums import Clock
from latlab.core.model.run import CoreId, Run

UNCOUNTED = (
    "the firmware images differ, and these runs do not have the functions that the tests ran; `latlab run psci --machine virt` counts them"
)
Counts = dict[tuple[str, str, CoreId], dict[str, float]]


def image_note(a: Run, b: Run, rows: Iterable[Row]) -> list[str]:
    """At most one sentence. Empty if the images are the same or unknown, if the names state two firmwares, or if a figure differs."""
    images = a.conditions.image, b.conditions.image
    if None in images or images[0] == images[1] or a.build.firmware != b.build.firmware or any(row.shift.value for row in rows):
        return []
    if not a.functions or not b.functions:
        return [UNCOUNTED] if a.campaign == b.campaign == "psci" and a.tick.clock is Clock.INSTRUCTIONS else []
    counts = _counts(a)
    if counts != _counts(b):
        return []
    names = {name for functions in counts.values() for name in functions}
    return [
        f"the firmware images differ, and the instruction counts of the {count(len(names), 'function')} that the tests ran do not. "
        "Either no test ran the changed code, or the change keeps the counts"
    ]


def _counts(run: Run) -> Counts:
    """The instructions of each function per call. A line number moves with any edit above it, so places are left out."""
    return {
        (span.test, span.metric, span.core): {share.name: share.instructions / span.calls for share in span.functions if span.calls}
        for span in run.functions
    }
