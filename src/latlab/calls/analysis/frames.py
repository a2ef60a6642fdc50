# SPDX-License-Identifier: BSD-3-Clause
"""The call tree of the spans of one kind."""

from __future__ import annotations

from collections.abc import Mapping

from latlab.calls.analysis.stacks import Code, Walk
from latlab.calls.model.crossings import Stretch
from latlab.core.comparison.call_trees import Tree
from latlab.core.model.run import Frame


def frames_of(spans: Mapping[tuple[Stretch, ...], int], codes: Mapping[int, Code]) -> tuple[Frame, ...]:
    """The tree of all these spans, each of which came so many times."""
    tree = Tree()
    for stretches, times in spans.items():
        Walk(codes, tree).span(stretches, times)
    return tuple(tree.frames())
