# SPDX-License-Identifier: BSD-3-Clause
"""The recorder's counts of what takes a CPU from its kernel: read, summed, and unknown where they are."""

from __future__ import annotations

import pytest

from latlab.core.errors import DataError
from latlab.core.report.table import Ranged
from latlab.rt.analysis.outside_totals import totals_of, unknown_sentences
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.outside_counts import StealClock
from latlab.rt.pages.outside_counts import tables
from latlab.rt.readers.outside_counts import read_outside_counts

HEAD = "LLOC1 HEAD version=1 steal={} tick_ns=10000000\n"
BEGIN = "LLOC1 AT cpu=0 ns=1000000000 steal_ticks={}\nLLOC1 AT cpu=1 ns=1000000000 steal_ticks={}\n"
END = "LLOC1 AT cpu=0 ns=21000000000 steal_ticks={}\nLLOC1 AT cpu=1 ns=21000000000 steal_ticks={}\nLLOC1 END\n"


def written(steal: str = "known", begin: tuple[int, int] = (5, 5), end: tuple[int, int] = (5, 25)) -> bytes:
    return (HEAD.format(steal) + BEGIN.format(*begin) + END.format(*end)).encode()


def test_steal_time_has_an_interval_of_a_tick_to_both_sides() -> None:
    counts = read_outside_counts(written(), "counts")
    assert counts.complete and not counts.problems
    assert [(cpu.cpu, cpu.stolen_ns, cpu.stolen_interval_ns) for cpu in totals_of(counts)] == [
        (0, 0, (0, 10_000_000)),
        (1, 200_000_000, (190_000_000, 210_000_000)),
    ]


@pytest.mark.parametrize("steal", [clock for clock in StealClock if clock is not StealClock.KNOWN])
def test_a_clock_that_is_not_known_is_unknown_and_never_0(steal: StealClock) -> None:
    counts = read_outside_counts(written(steal, (0, 0), (0, 0)), "counts")
    assert [cpu.stolen_ns for cpu in totals_of(counts)] == [None, None]
    (sentence,) = unknown_sentences(counts)
    assert sentence.startswith("Steal time by a hypervisor is unknown: ")
    assert not tables(RtResult((), None, (), None, (), outside=counts))


def test_a_clock_that_has_ever_counted_is_there() -> None:
    counts = read_outside_counts(written("unsaid"), "counts")
    assert not unknown_sentences(counts)
    assert totals_of(counts)[0].stolen_ns == 0


def test_the_table_has_a_row_for_each_cpu() -> None:
    (table,) = tables(RtResult((), None, (), None, (), outside=read_outside_counts(written(), "counts")))
    assert table.rows[1][:2] == ("1", "20.00")
    assert table.rows[1][2] == Ranged("200", "190 to 210")


def test_what_was_cut_off_or_damaged_is_a_problem_and_the_rest_is_kept() -> None:
    text = written().decode().replace("LLOC1 END\n", "LLOC1 AT cpu=0 ns=22\xb50 ste")
    counts = read_outside_counts(text.encode(), "counts")
    assert len(counts.counts) == 4 and len(counts.problems) == 2
    bad = read_outside_counts(written().replace(b"ns=21000000000", b"ns=x", 1), "counts")
    assert "ns='x' is no whole number" in bad.problems[0]


@pytest.mark.parametrize(
    "text", ["", "LLOC1 END\n", "LLOC1 HEAD version=2 steal=known tick_ns=1\n", "LLOC1 HEAD version=1 steal=new tick_ns=1\n"]
)
def test_another_version_or_another_file_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="no head of the recorder's counts in version 1"):
        read_outside_counts(text.encode(), "counts")
