# SPDX-License-Identifier: BSD-3-Clause
"""Flattened device trees, read so that no tree has what another one reserves."""

from __future__ import annotations

import fdt


def read_tree(data: bytes) -> fdt.FDT:
    """Raises whatever the library raises for bytes that are no tree.

    The library's trees share one list of reservations, as it is a default argument. Without this a tree that was read before, or refused
    in the middle of its list, would add its entries to each later one of the process.
    """
    shared = fdt.FDT().entries
    shared.clear()
    try:
        tree = fdt.parse_dtb(data)
        tree.entries = list(tree.entries)
    finally:
        shared.clear()
    return tree
