# SPDX-License-Identifier: BSD-3-Clause
"""Call trees of functions: a tree that accumulates counts, and its frames in preorder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from latlab.core.model.run import Frame

ROOT = 0


class Tree:
    """A call tree. Node 0 is the root and no function. `own` are the instructions of each node, `calls` how often it was entered."""

    def __init__(self) -> None:
        self.names = [""]
        self.parents = [-1]
        self.own: Counter[int] = Counter()
        self.calls: Counter[int] = Counter()
        self._children: dict[tuple[int, str], int] = {}

    def child(self, parent: int, name: str) -> int:
        """The node of function `name` under `parent`, created if it does not exist."""
        node = self._children.get((parent, name))
        if node is None:
            node = self._children[parent, name] = len(self.names)
            self.names.append(name)
            self.parents.append(parent)
        return node

    def frames(self) -> Iterator[Frame]:
        """The nodes in preorder, siblings in the order of their creation."""
        children: list[list[int]] = [[] for _ in self.names]
        for node in range(1, len(self.names)):
            children[self.parents[node]].append(node)
        waiting = [(node, 0) for node in reversed(children[ROOT])]
        while waiting:
            node, depth = waiting.pop()
            yield Frame(depth, self.names[node], self.calls[node], self.own[node])
            waiting.extend((child, depth + 1) for child in reversed(children[node]))


def summed(trees: Iterable[Iterable[Frame]]) -> tuple[Frame, ...]:
    """One tree as the sum of several: functions with the same callers are one node. Siblings keep the order of the first tree that has
    them."""
    whole = Tree()
    for frames in trees:
        stack = [ROOT]
        for frame in frames:
            del stack[frame.depth + 1 :]
            node = whole.child(stack[-1], frame.name)
            whole.own[node] += frame.instructions
            whole.calls[node] += frame.calls
            stack.append(node)
    return tuple(whole.frames())


def wholes(frames: Iterable[Frame]) -> tuple[int, ...]:
    """For each frame, its own instructions plus those of all functions that it called."""
    totals: list[int] = []
    above: list[int] = []
    for index, frame in enumerate(frames):
        del above[frame.depth :]
        above.append(index)
        totals.append(0)
        for ancestor in above:
            totals[ancestor] += frame.instructions
    return tuple(totals)
