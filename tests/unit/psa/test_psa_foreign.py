# SPDX-License-Identifier: BSD-3-Clause
"""What a run on somebody else's SPM says of answers, and how its sweep is planned. The machine itself is in tests/system."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Problem, Sample
from latlab.core.targets.process.console import Console, Limits
from latlab.psa.campaign.foreign import LONGEST_SWEPT, MARGIN, WatchedBoot, _answer_problems, _measured, _plan, _wrong
from latlab.psa.readers.psa_calls_log import PsaCallsLog, Refused, WrongAnswer
from latlab.psa.targets.psa_params import Shots
from latlab.psa.targets.psa_subject import CallKind, PsaCall, PsaSubject
from support import probe_stream as made

THREAD, SECURE = 0, 4
MARKS, CALL = 0x10000244, 0x10000264
CALLS = (
    PsaCall("nothing", CallKind.NOTHING),
    PsaCall("version", CallKind.VERSION),
    PsaCall("get", CallKind.ON_HANDLE),
    PsaCall("kept", CallKind.ON_HANDLE, is_swept=False),
)
SUBJECT = PsaSubject("x", "mps2-an521", (), (0x10000241, 0, 0, 0x10000261, 0), 24, 16, 0, 0, 0, 0, CALLS)


def cost(name: str, instructions: int) -> Sample:
    return Sample(f"ns_{name}", Metric.PSA_CALL, CoreId(0, 0), 0, 0, instructions)


def stream(folder: Path, *iterations: tuple[int, int]) -> Path:
    """Marked calls of 100 instructions: number of the call, iteration."""
    parts, at = [made.header(arch=2, functions=1), made.core(0, 0), made.crossing(0, 0, made.NO_WORLD, SECURE)], 10
    for call, iteration in iterations:
        for registers, address, length in (
            ((0x4C4D0001, call, iteration), MARKS, 9),
            ((0, 0, 0), CALL, 100),
            ((0x4C4D0002, call, iteration), MARKS, 9),
        ):
            parts += [
                made.crossing(0, at, THREAD, SECURE, (*registers, 0, 0), address),
                made.crossing(0, at + length, SECURE, THREAD, (0,) * 5),
            ]
            at += length + 5
    path = folder / "probe"
    path.write_bytes(b"".join((*parts, made.end(len(parts) - 1))))
    return path


def boot(path: Path, log: PsaCallsLog) -> WatchedBoot:
    return WatchedBoot(log, path, (), Console(("true",), path, Limits(1, 1)))


def test_a_call_whose_answer_changed_has_no_figures_and_the_run_says_why(tmp_path: Path) -> None:
    log = PsaCallsLog(framework="101", done={1: 0, 2: 0}, changed=[(2, 1, -147)], is_whole=True)
    samples, _, problems = _measured(boot(stream(tmp_path, (1, 0), (2, 0), (2, 1)), log), SUBJECT, ())
    assert samples == [cost("version", 100)]
    assert list(problems) == [Problem(0, "get returned -147 in iteration 1 and 0 before: its figures are left out")]


def test_a_stream_that_was_cut_off_is_named(tmp_path: Path) -> None:
    path = stream(tmp_path, (1, 0), (2, 0))
    path.write_bytes(path.read_bytes()[:-30])
    samples, _, problems = _measured(boot(path, PsaCallsLog(framework="101", is_whole=True)), SUBJECT, ())
    assert [sample.test for sample in samples] == ["ns_version"]
    assert len(problems) == 1


def test_a_boot_whose_probe_never_wrote_has_no_stream_and_no_records(tmp_path: Path) -> None:
    written, damage = stream(tmp_path, (1, 0)), list[Problem]()
    assert boot(written, PsaCallsLog()).data == written.read_bytes()
    gone = boot(tmp_path / "gone", PsaCallsLog())
    assert gone.data == b"" and list(gone.records(damage)) == [] and damage == []


def test_an_interrupt_comes_at_every_instruction_or_as_often_as_it_may() -> None:
    samples = [cost("version", 74), cost("get", 3476), cost("kept", 10)]
    assert _plan(SUBJECT, samples, 10_000) == {
        "nothing": Shots(1, 1, 64),
        "version": Shots(1, 1, 74 + MARGIN),
        "get": Shots(1, 1, 3476 + MARGIN),
    }
    assert _plan(SUBJECT, samples, 1000)["get"] == Shots(1, 4, 875)
    assert "get" not in _plan(SUBJECT, [cost("version", 74), cost("get", LONGEST_SWEPT)], 1000)
    assert _plan(SUBJECT, [cost("kept", 10)], 1000) == {}


def test_a_refusal_is_named_with_what_was_expected() -> None:
    (problem,) = _answer_problems(SUBJECT, PsaCallsLog(refused=[Refused(2, -134, 0)]))
    assert problem == Problem(0, "get returned -134 where 0 is expected, so it was not measured")


@pytest.mark.parametrize(
    ("status", "varying", "said"),
    [
        (
            -5,
            [],
            "first status -5 for an interrupt 17 instructions after the timer's start; without an interrupt it returned 0, always with",
        ),
        (0, [], "first status 0 with other outputs for an interrupt"),
        (-5, [2], "without an interrupt it returned 0"),
    ],
)
def test_an_answer_that_an_interrupt_changed_is_told_with_what_it_rests_on(status: int, varying: list[int], said: str) -> None:
    log = PsaCallsLog(done={2: 0}, swept={1: (90, 0), 2: (300, 3)}, wrong=[WrongAnswer(2, 17, status)], varying=varying)
    (problem,) = _wrong(SUBJECT, log)
    assert problem.message.startswith("get gave another answer in 3 of 300 interrupted calls")
    assert said in problem.message
    assert ("always with the same outputs" in problem.message) == (not varying)
