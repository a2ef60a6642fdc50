# SPDX-License-Identifier: BSD-3-Clause
"""The generator of the partitions' tables, and manifests that are wrong in every way that chance finds."""

from __future__ import annotations

import functools
import random
import sys

from support.places import ROOT

FOLDER = ROOT / "firmware" / "spm" / "manifests"
sys.path.insert(0, str(FOLDER))

from emit import feature_header  # noqa: E402
from model import System  # noqa: E402
from reading import Platform, partition_from, read_platform  # noqa: E402
from source import ManifestError, Node, parse  # noqa: E402

__all__ = ["GOOD", "ManifestError", "Platform", "System", "feature_header", "mutated", "outcome", "parse", "partition_from"]

PARTITIONS = ROOT / "firmware" / "spm" / "partitions" / "test"
GOOD = {path.stem: path.read_text() for path in sorted(PARTITIONS.glob("*_ipc/*.json")) + sorted(PARTITIONS.glob("test_[cd]*/*.json"))}
PLATFORM = read_platform([ROOT / "firmware" / "spm" / "platform" / "mps2_an521" / "platform.json"])
PIECES = [
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e9",
    "0x",
    '"0xFFFFFFFF"',
    "\\u0000",
    "\t",
    "NaN",
    "[[[[",
    "é",
    '""',
    "\n",
]
TOKENS = sorted({word for text in GOOD.values() for word in text.split()})


def mutated(chance: random.Random, text: str) -> str:
    """A few cuts, swaps and pieces of other manifests."""
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(text) + 1)
        end = min(len(text), place + chance.randint(0, 40))
        piece = chance.choice((chance.choice(PIECES), chance.choice(TOKENS), "", chr(chance.randrange(1, 0x250)), text[place:end] * 2))
        text = text[:place] + piece + text[end if chance.random() < 0.7 else place :]
    return text


@functools.cache
def good_tree(name: str) -> Node:
    return parse(GOOD[name], f"{name}.json", is_json=True)


def outcome(text: str, name: str, is_json: bool) -> str | None:
    """The sentence that a set with this manifest in it is refused with; None where it is a good one."""
    try:
        partitions = []
        for index, other in enumerate(GOOD):
            tree = parse(text, f"{name}.json", is_json) if other == name else good_tree(other)
            partitions.append(partition_from(tree, index, PLATFORM))
        System.of(partitions, "ipc", 2, PLATFORM.ram)
    except ManifestError as error:
        return str(error)
    return None
