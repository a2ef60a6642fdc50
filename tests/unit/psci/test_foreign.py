# SPDX-License-Identifier: BSD-3-Clause
"""What is said of somebody else's firmware from its program's log and the probe's stream. The machine itself is in tests/system."""

from __future__ import annotations

from latlab.calls.analysis.standing import standing_words
from latlab.calls.model.crossings import Arch
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.conditions import Conditions
from latlab.core.model.run import CoreId, Topology
from latlab.psci.campaign.foreign import _described, core_of, measured, whereabouts
from latlab.psci.readers.calls_log import CallsLog
from support import probe_stream as made
from support.runs import run_with

HEAD = made.header() + made.core(0, 0x80000001)


def where(*parts: bytes) -> str:
    return whereabouts(Arch.AARCH64, Decoder().feed(b"".join((HEAD, *parts))))


def test_a_machine_that_hangs_is_told_by_the_last_that_it_did() -> None:
    entered = made.crossing(0, 5, made.NS_EL1, made.EL3, address=0x440)
    asleep = made.sleep(0, 9, address=0x1230)
    assert where(entered) == "the last world switch was into EL3 at 0x440"
    assert where(entered, asleep) == "the last action of a core was to sleep at 0x1230"
    assert where(asleep, entered) == "the last world switch was into EL3 at 0x440"
    assert where(entered, asleep, made.wake(0, 12)) == "the last action of a core was to sleep at 0x1230"
    assert where() == "no core executed an instruction"


def test_a_stream_without_its_head_has_no_figures_and_says_what_is_wrong() -> None:
    assert measured(b"", CallsLog(), ()).samples == () == measured(b"nonsense" * 8, CallsLog(), ()).samples
    assert measured(b"nonsense" * 8, CallsLog(), ()).problems
    assert measured(HEAD, CallsLog(), ()).whereabouts == "no core executed an instruction"


def test_the_cores_of_a_machine_that_was_stopped_are_told_with_what_they_ran() -> None:
    code = made.fragment(0, 0x2000, 2, bytes(8))
    parts = (made.smc(0, 50, 0xC4000001), made.path(0, [(0, 70)]), made.stopped(0, 900_000, 900_000), made.end(5))
    (found,) = measured(b"".join((HEAD, code, *parts)), CallsLog(), ()).standings
    assert standing_words(found) == "0.1 repeats 2 instructions 70 times in 0x2000+, EL3, in CPU_SUSPEND (64) from EL1"
    assert _described(run_with(), CallsLog(), (found,)).facts[-1] == ("where the cores stood", standing_words(found))


def test_a_core_is_called_as_the_program_calls_it_else_by_its_affinity() -> None:
    log = CallsLog(cores={0x100: CoreId(7, 3), 0x01_0000_0002: CoreId(2, 2)})
    assert core_of(0x8000_0100, log) == CoreId(7, 3)
    assert core_of(0x8000_0302, log) == CoreId(3, 2)
    assert core_of(0x81_8000_0000 | 0x0001, log) == CoreId(0, 1)
    assert core_of(0x01_8000_0002, log) == CoreId(2, 2), "the highest affinity stands above the flags"


def test_a_run_is_described_by_the_cores_that_the_program_saw() -> None:
    run = run_with(facts=(("a", "1"),), lead=None)
    assert _described(run, CallsLog()) == run
    cores = {number: CoreId(*place) for number, place in enumerate([(0, 0), (2, 1), (0, 2), (2, 0)])}
    log = CallsLog(cores=cores, lead=CoreId(2, 1), conditions=Conditions(exception_level=2), skipped=[("susp", "it cannot")])
    log.facts["psci"] = "1.1"
    found = _described(run, log)
    assert (found.topology, found.lead, found.conditions.exception_level) == (Topology((3, 1, 2)), CoreId(2, 1), 2)
    assert found.facts == (("a", "1"), ("psci", "1.1"), ("susp left out", "it cannot"))
