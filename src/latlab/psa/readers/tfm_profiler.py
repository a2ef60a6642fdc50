# SPDX-License-Identifier: BSD-3-Clause
"""What the profiling cases of tf-m-tools print: one average of each PSA call and world, in CPU cycles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from latlab.core.model.run import Problem
from latlab.core.readers.dump.frames import strip_escapes

_AVERAGE = re.compile(r"\b(non-secure|secure) (\S[^\r\n]{0,60}?) average is (-?\d{1,10}) CPU cycles", re.ASCII)
_LOOSE = re.compile(r"average is .*CPU cycles|secure .* average is ", re.ASCII)
_WORLDS = {"non-secure": "ns", "secure": "s"}
# The names that the psa campaign has for the same calls, so that the two can be compared.
_CALLS = {"psa_connect": "connect", "psa_call": "call_0", "psa_close": "close", "psa_call stateless": "stateless_0"}
# The profiler adds up in 32 bits and prints as a signed number.
_LIMIT = 1 << 31


@dataclass(frozen=True, slots=True)
class Average:
    """One printed figure: the line that it stood on, from 1, the call by the campaign's name, and the boot, from 0."""

    line: int
    test: str
    boot: int
    cycles: int


def read_averages(lines: Iterable[str]) -> tuple[list[Average], list[Problem]]:
    """Every average, and what looks like one but cannot be. A call that is printed again belongs to the next boot."""
    averages: list[Average] = []
    problems: list[Problem] = []
    times_of: dict[str, int] = {}
    for number, line in enumerate(map(strip_escapes, lines), 1):
        matches = list(_AVERAGE.finditer(line))
        if not matches and _LOOSE.search(line):
            problems.append(Problem(number, "a figure of the profiler that is not whole; left out"))
        for match in matches:
            cycles = int(match[3])
            if not 0 < cycles < _LIMIT:
                problems.append(Problem(number, _impossible(match[2], cycles)))
                continue
            test = test_name(match[1], match[2])
            averages.append(Average(number, test, times_of.get(test, 0), cycles))
            times_of[test] = times_of.get(test, 0) + 1
    return averages, problems


def test_name(world: str, call: str) -> str:
    name = _CALLS.get(call) or re.sub(r"\W+", "_", call).strip("_").removeprefix("psa_")
    return f"{_WORLDS[world]}_{name}"


def _impossible(call: str, cycles: int) -> str:
    if cycles == 0:
        return f"{call}: 0 cycles, which the profiler prints without a pair of checkpoints; left out"
    return f"{call}: {cycles} cycles, a sum that went beyond 32 bits; left out"
