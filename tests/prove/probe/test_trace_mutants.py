# SPDX-License-Identifier: BSD-3-Clause
"""Hundreds of damaged traces of each reader, under sanitizers: none ends a reader. What gives a wrong figure
without a word is bounded by what the format does not repeat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support import etmv4_traces
from support.tarmac_traces import Dialect, make_trace, mutants
from support.trace_calls import Outcome, calls_of, outcome
from support.trace_reader import sanitized_coresight, sanitized_reader

EACH = 100
CORESIGHT = 200
SNAPSHOT_CALLS = 20
MOST_WRONG_OF_ES = 1
MOST_WRONG_OF_CORESIGHT = 5
"""A changed byte may be another valid packet."""


@pytest.mark.parametrize(("dialect", "cores"), [(Dialect.FAST_MODELS, 1), (Dialect.FAST_MODELS, 2), (Dialect.GEM5, 1), (Dialect.GEM5, 2)])
def test_numbered_tarmac(dialect: Dialect, cores: int, tmp_path: Path) -> None:
    assert _outcomes_of_tarmac(dialect, cores, EACH, tmp_path)[Outcome.WRONG] == 0


def test_tarmac_without_numbers(tmp_path: Path) -> None:
    """A part that is cut out between two places with the same code and registers leaves no mark."""
    assert _outcomes_of_tarmac(Dialect.ES, 1, 2 * EACH, tmp_path)[Outcome.WRONG] <= MOST_WRONG_OF_ES


@pytest.mark.parametrize("has_cycles", (False, True))
def test_snapshots_of_coresight(has_cycles: bool, tmp_path: Path) -> None:
    reader = sanitized_coresight()
    if reader is None:
        pytest.skip("OpenCSD is not installed: libopencsd-dev")
    made = etmv4_traces.make_snapshot(16, calls=SNAPSHOT_CALLS, has_cycles=has_cycles)
    folder = made.write(tmp_path / "snapshot")
    whole, result = calls_of((folder,), reader)
    outcomes: Counter[Outcome] = Counter()
    for trace in etmv4_traces.mutants(made.trace, 31, CORESIGHT):
        (folder / "trace.bin").write_bytes(trace)
        outcomes[outcome((folder,), reader, whole, result.notes)] += 1
    print(dict(outcomes))
    assert outcomes[Outcome.WRONG] <= MOST_WRONG_OF_CORESIGHT


def _outcomes_of_tarmac(dialect: Dialect, cores: int, count: int, folder: Path) -> Counter[Outcome]:
    trace = make_trace(11 + cores, dialect, cores=cores)
    file = folder / "trace"
    file.write_text(trace.text)
    whole, result = calls_of((file,), sanitized_reader())
    outcomes: Counter[Outcome] = Counter()
    for kind, text in mutants(trace, 23, count):
        file.write_text(text)
        outcomes[outcome((file,), sanitized_reader(), whole, result.notes, has_times=kind != "letter")] += 1
    print(dialect, cores, dict(outcomes))
    return outcomes
