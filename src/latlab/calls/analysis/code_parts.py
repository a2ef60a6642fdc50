# SPDX-License-Identifier: BSD-3-Clause
"""What instructions are for: how those of each fragment divide into parts of a span, and how often which special one ran."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from latlab.calls.analysis.flow import branch_target, is_aarch32
from latlab.calls.analysis.operations import SystemOperation, Use, instructions_of, operation_of
from latlab.calls.model.crossings import Arch, Fragment
from latlab.core.model.enums import CodePart

LONGEST_LOOP_INSTRUCTIONS = 16
PART_OF = {
    Use.SETS: CodePart.CACHE_FLUSH,
    Use.LINES: CodePart.LINES,
    Use.CODE_CACHE: CodePart.TLB,
    Use.TLB: CodePart.TLB,
    Use.BARRIER: CodePart.BARRIERS,
    Use.EXCLUSIVE: CodePart.EXCLUSIVES,
    Use.WAIT: CodePart.WAITING,
    Use.REGISTER: CodePart.REGISTERS,
}
T = TypeVar("T")
WHOLE_LOOP = (Use.SETS, Use.LINES)


class CodeParts:
    """The parts of a stream's fragments. Loops are found in the code that ran: a branch backwards, and where it goes."""

    def __init__(self, arch: Arch, fragments: Mapping[int, Fragment]) -> None:
        decoded = (piece for piece in fragments.values() if not is_aarch32(piece))
        code = {address: bits for piece in decoded for address, bits in instructions_of(arch, piece)}
        operations = {address: operation for address, bits in code.items() if (operation := operation_of(arch, bits))}
        of_loop = _loops_of_caches(arch, code, operations)
        self._parts: dict[int, Counter[CodePart]] = {}
        self._operations: dict[int, Counter[str]] = {}
        for number, fragment in fragments.items():
            inside = [address for address, _ in instructions_of(arch, fragment)]
            self._parts[number] = Counter(_part(address, of_loop, operations) for address in inside)
            cut = fragment.instructions - len(inside)
            if cut > 0:  # a fragment whose code did not fit
                self._parts[number][CodePart.OTHER] += cut
            self._operations[number] = Counter(operations[address].name for address in inside if address in operations)

    def parts(self, runs: Mapping[int, int]) -> Counter[CodePart]:
        """Instructions of each part, of fragments by how often they ran."""
        return _summed(self._parts, runs)

    def operations(self, runs: Mapping[int, int]) -> Counter[str]:
        return _summed(self._operations, runs)


def _summed(counts: Mapping[int, Counter[T]], runs: Mapping[int, int]) -> Counter[T]:
    total: Counter[T] = Counter()
    for number, times in runs.items():
        for name, count in counts[number].items():
            total[name] += count * times
    return total


def _part(address: int, of_loop: Mapping[int, CodePart], operations: Mapping[int, SystemOperation]) -> CodePart:
    if address in of_loop:
        return of_loop[address]
    operation = operations.get(address)
    return PART_OF[operation.use] if operation else CodePart.OTHER


def _loops_of_caches(arch: Arch, code: Mapping[int, bytes], operations: Mapping[int, SystemOperation]) -> dict[int, CodePart]:
    """Each instruction of the innermost short loop around each maintenance of a data cache."""
    places = sorted(code)
    loops = [
        (target, address)
        for address, bits in code.items()
        if (target := branch_target(arch, address, bits)) is not None and target <= address
    ]
    loop_parts: dict[int, CodePart] = {}
    for address, operation in operations.items():
        if operation.use not in WHOLE_LOOP:
            continue
        around = [_between(places, first, last) for first, last in loops if first <= address <= last]
        innermost = min((loop for loop in around if len(loop) <= LONGEST_LOOP_INSTRUCTIONS), key=len, default=[address])
        loop_parts |= dict.fromkeys(innermost, PART_OF[operation.use])
    return loop_parts


def _between(places: list[int], first: int, last: int) -> list[int]:
    return places[bisect_left(places, first) : bisect_left(places, last + 1)]
