# SPDX-License-Identifier: BSD-3-Clause
"""What the instructions by which two runs differ take on a board."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.core.model.enums import InstructionClass as C
from latlab.core.model.enums import Metric
from latlab.core.model.run import ClassShare, CoreId, FunctionShare, Run, Sample, SpanFunctions, Spans
from latlab.core.store import run_json
from latlab.virtual.campaign.board_times import caveat, costs_of
from latlab.virtual.pages.tables import board_time_table
from support.command import latlab
from support.refusals import refused
from support.runs import INSTRUCTIONS, run_with

CALLS = 3


def counted(processor: str = "neoverse-n1", **classes: int) -> Run:
    """One wake-up with so many instructions of each class."""
    total = FunctionShare("f", "", sum(classes.values()) * CALLS)
    shares = tuple(ClassShare(C[name], (count * CALLS,), ()) for name, count in classes.items())
    one = SpanFunctions("cpu_off_serial", Metric.WAKEUP, CoreId(0, 1), CALLS, (total,), classes=shares)
    run = run_with(tick=INSTRUCTIONS, contents=Spans((), (), (one,)), id=f"psci-{sum(classes.values()):04x}")
    return replace(run, conditions=replace(run.conditions, processor=processor))


BEFORE = counted(CACHED=800, UNCACHED_FETCH=50, UNCACHED_BRANCH=20, UNCACHED_LOAD=13)


def test_a_commit_that_fetches_more_takes_longer_on_the_board_within_an_interval() -> None:
    after = counted(CACHED=800, UNCACHED_FETCH=121, UNCACHED_BRANCH=60, UNCACHED_LOAD=49)
    (one,) = costs_of("n1sdp").between(BEFORE, after)
    assert one.span == ("cpu_off_serial", Metric.WAKEUP) and one.moved == (147.0, 0.0)
    assert one.time_ns is not None and one.low_ns <= one.time_ns <= one.high_ns
    assert 13_000 < one.time_ns < 16_000, "N1SDP's published wake-ups rose by 13.5 to 18 µs at v2.10"


def test_what_became_shorter_has_its_ends_in_order() -> None:
    (one,) = costs_of("n1sdp").between(BEFORE, counted(CACHED=700, UNCACHED_FETCH=10))
    assert one.time_ns is not None and one.low_ns <= one.time_ns <= one.high_ns < 0


def test_a_flush_by_set_and_way_of_another_length_has_no_time() -> None:
    (one,) = costs_of("n1sdp").between(BEFORE, counted(CACHED=900, UNCACHED_FETCH=50, DC_SET_WAY=32_768))
    assert one.time_ns is None


def test_what_did_not_change_is_left_out() -> None:
    assert costs_of("n1sdp").between(BEFORE, BEFORE) == ()
    (only,) = board_time_table("n1sdp", (), ("in the caches",)).rows
    assert only[0] == "no span differs"


def test_a_board_without_a_fit_and_counts_of_another_processor_are_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, check=refused(value="am62l")):
        costs_of("am62l")
    with pytest.raises(UsageError, match="was counted on cortex-a57, and n1sdp has neoverse-n1"):
        costs_of("n1sdp").between(BEFORE, counted("cortex-a57", CACHED=1))
    with pytest.raises(UsageError, match="on two processors; measure both on one"):
        costs_of("juno").between(counted("cortex-a53", CACHED=1), counted("cortex-a57", CACHED=1))
    with pytest.raises(UsageError, match="has no classes of instructions"):
        costs_of("n1sdp").between(BEFORE, replace(BEFORE, contents=Spans()))


def test_runs_without_a_fetch_outside_of_the_caches_are_said_to_lack_what_a_board_fetches() -> None:
    assert "reset" not in caveat(BEFORE, counted(CACHED=1))
    assert "A board that wakes a core by a reset does" in caveat(counted(CACHED=1), counted(CACHED=2))


def test_a_gate_prints_the_times_and_decides_as_without_them(tmp_path: Path) -> None:
    after = counted(CACHED=800, UNCACHED_FETCH=121, UNCACHED_BRANCH=60, UNCACHED_LOAD=49)
    for name, run in (("a.json", BEFORE), ("b.json", after)):
        total = sum(share.instructions for share in run.functions[0].functions) // CALLS
        sample = Sample("cpu_off_serial", Metric.WAKEUP, CoreId(0, 1), 0, 0, total)
        (tmp_path / name).write_text(run_json.render(replace(run, contents=Spans((sample,), (), run.functions))))
    files = [str(tmp_path / name) for name in ("a.json", "b.json")]
    plain, told = latlab("gate", *files), latlab("gate", *files, "--board", "n1sdp")
    assert plain.returncode == told.returncode and told.stdout.startswith(plain.stdout)
    assert (
        "Difference in instructions, and its time on n1sdp" in told.stdout and "it leaves out effects that are not counted" in told.stderr
    )
