# SPDX-License-Identifier: BSD-3-Clause
"""No tree has what another one reserves, whichever was read or refused before it in the same process."""

from __future__ import annotations

import struct

import fdt
import pytest

from latlab.core.errors import DataError
from latlab.core.readers.device_tree import read_tree
from latlab.psci.readers.idle_states import read_idle_states
from latlab.rt.targets.guest.guest import Chosen, patch


def blob(*entries: tuple[int, int]) -> bytes:
    tree = fdt.FDT(entries=[{"address": address, "size": size} for address, size in entries])
    tree.set_property("#address-cells", 2, "/chosen")
    return bytes(tree.to_dtb(17))


def reserved(data: bytes) -> list[tuple[int, int]]:
    return [(entry["address"], entry["size"]) for entry in read_tree(data).entries]


ENDLESS = blob()[:40] + struct.pack(">QQ", 1, 1) * 1000


def test_each_tree_has_its_own_reservations() -> None:
    first, second = read_tree(blob((1, 2))), read_tree(blob((3, 4)))
    assert [len(tree.entries) for tree in (first, second, fdt.FDT())] == [1, 1, 0]
    assert reserved(blob()) == []


def test_a_tree_that_is_refused_leaves_nothing_in_the_next() -> None:
    with pytest.raises(struct.error):
        read_tree(ENDLESS)
    with pytest.raises(DataError, match="a damaged device tree"):
        read_idle_states(ENDLESS, "board.dtb")
    assert reserved(blob((5, 6))) == [(5, 6)]
    assert len(fdt.FDT().to_dtb(17)) == len(fdt.FDT(entries=[]).to_dtb(17))


def test_a_guests_tree_that_is_made_again_is_the_same() -> None:
    chosen = Chosen("quiet", 0x1000, 0x1000)
    assert patch(blob((7, 8)), chosen) == patch(blob((7, 8)), chosen)
    assert reserved(patch(blob((7, 8)), chosen)) == [(7, 8)]
