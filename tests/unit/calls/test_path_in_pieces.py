# SPDX-License-Identifier: BSD-3-Clause
"""A path that is longer than a record: wherever it is divided, also inside of loops in loops, functions add up to the count."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from latlab.calls.analysis.calls import Pairing
from latlab.calls.analysis.symbolize import instructions_by_function
from latlab.calls.model.crossings import Arch, Fragment, Header
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import Problem
from support import probe_stream as made
from support.adversaries import stretches
from support.summed import sums

SIZES = (3, 1, 7, 2)
Steps = list[tuple[int, int]]


def drawn(draw: random.Random, depth: int) -> tuple[Steps, int]:
    """Steps of a path with loops in loops, and the instructions that they are: by their own count, not by any reader's."""
    steps: Steps = []
    total = 0
    for _ in range(draw.randint(1, 3)):
        times = draw.randint(2, 4)
        if depth and draw.random() < 0.6:
            body, instructions = drawn(draw, depth - 1)
            steps += [made.loop(len(body), times), *body]
            total += times * instructions
        else:
            number = draw.randrange(len(SIZES))
            steps.append((number, times))
            total += times * SIZES[number]
    return steps, total


def stream_of(pieces: Sequence[Steps], instructions: int) -> bytes:
    """One call whose inside is this path, in so many records."""
    fragments = [made.fragment(number, 0x1000 * (number + 1), size) for number, size in enumerate(SIZES)]
    records = [made.core(0, 0), made.crossing(0, 0, made.NO_WORLD, made.NS_EL1), made.smc(0, 100, 0x84000000)]
    records += [*fragments, *(made.path(0, piece) for piece in pieces), made.back(0, 100 + instructions)]
    return made.header(functions=1) + b"".join(records) + made.end(len(records))


@pytest.mark.parametrize("seed", range(20))
def test_wherever_a_path_is_divided_its_functions_add_up_to_the_count(seed: int) -> None:
    steps, instructions = drawn(random.Random(seed), 3)
    for at in range(len(steps) + 1):
        stream = stream_of([piece for piece in (steps[:at], steps[at:]) if piece], instructions)
        assert [(one.counted, one.ran) for one in sums(stream)] == [(instructions, instructions)], at
        assert [one[1:3] for one in stretches(stream)] == [(instructions, instructions)], at
        records = [record for record in Decoder().feed(stream) if not isinstance(record, Header | Problem)]
        fragments = {record.number: record for record in records if isinstance(record, Fragment)}
        (call,) = Pairing(Arch.AARCH64, call_names()).feed(records)
        assert sum(instructions_by_function(call.down, fragments, ()).values()) == instructions, at
