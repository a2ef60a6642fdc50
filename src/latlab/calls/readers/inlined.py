# SPDX-License-Identifier: BSD-3-Clause
"""Functions that link-time optimisation inlined across source files, by the debug information of an ELF image (DWARF 5, section 3.3.8).

GCC describes the code that it made at link time in units of their own. There an inlined copy points to the function in the unit of its
source file. Only functions with external linkage count: a build without that optimisation has them as functions too, so that two builds
have the same names. Functions that one source file alone can call belong to their caller in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from latlab.calls.readers.dwarf_lines import declared_at
from latlab.core.model.symbols import InlinedCode

MADE_AT_LINK_TIME = b"GNU GIMPLE"
STEP_BYTES = 2  # the shortest instruction of the machines that are measured


def inlined_code(elf: Any, offset: int) -> tuple[InlinedCode, ...]:
    """Stretches of code, rising and apart, `offset` bytes above where they were linked; of several copies inside each other the innermost.

    None if the image has no debug information, or was not optimised at link time by GCC."""
    if not elf.has_dwarf_info():
        return ()
    dwarf = elf.get_dwarf_info()
    painted: dict[int, tuple[str, str]] = {}
    for unit in dwarf.iter_CUs():
        producer = unit.get_top_DIE().attributes.get("DW_AT_producer")
        if producer is None or MADE_AT_LINK_TIME not in producer.value:
            continue
        for ranges, name, place in _copies(dwarf, unit):
            for start, end in ranges:
                painted |= dict.fromkeys(range(start, end, STEP_BYTES), (name, place))
    return tuple(_joined(painted, offset))


def _copies(dwarf: Any, unit: Any) -> Iterator[tuple[list[tuple[int, int]], str, str]]:
    """Outer copies come before those inside them."""
    for entry in unit.iter_DIEs():
        if entry.tag != "DW_TAG_inlined_subroutine":
            continue
        origin = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
        name = origin.attributes.get("DW_AT_name")
        if origin.cu is not unit and "DW_AT_external" in origin.attributes and name is not None:
            yield _ranges(dwarf, unit, entry), name.value.decode("utf-8", "backslashreplace"), declared_at(dwarf, origin)


def _ranges(dwarf: Any, unit: Any, entry: Any) -> list[tuple[int, int]]:
    low, high, ranges = (entry.attributes.get(name) for name in ("DW_AT_low_pc", "DW_AT_high_pc", "DW_AT_ranges"))
    if low is not None and high is not None:
        return [(low.value, high.value if high.form == "DW_FORM_addr" else low.value + high.value)]
    if ranges is None:
        return []
    first = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    base = first.value if first is not None else 0
    pairs = []
    for part in dwarf.range_lists().get_range_list_at_offset(ranges.value, unit):
        if hasattr(part, "base_address"):
            base = part.base_address
        else:
            begin = 0 if part.is_absolute else base
            pairs.append((begin + part.begin_offset, begin + part.end_offset))
    return pairs


def _joined(painted: dict[int, tuple[str, str]], offset: int) -> Iterator[InlinedCode]:
    ordered = enumerate(sorted(painted))
    for _, group in groupby(ordered, lambda pair: (pair[1] - pair[0] * STEP_BYTES, painted[pair[1]])):
        addresses = [address for _, address in group]
        name, place = painted[addresses[0]]
        yield InlinedCode(addresses[0] + offset, addresses[-1] + STEP_BYTES + offset, name, place)
