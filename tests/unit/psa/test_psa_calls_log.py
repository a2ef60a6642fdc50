# SPDX-License-Identifier: BSD-3-Clause
import pytest

from latlab.core.readers.dump.frames import crc
from latlab.psa.readers.psa_calls_log import Refused, WrongAnswer, read_psa_calls_log


def line(body: str) -> str:
    return f"<LLC1:{body} *{crc(body)}>"


WHOLE = [
    "Booting TF-M",
    line("PSA framework=101 iterations=20 calls=6"),
    line("DONE call=0 status=0 outputs=equal"),
    line("SKIP call=1 why=no-veneer"),
    line("REFUSED call=2 status=-134 expected=0"),
    line("STATUS call=3 iteration=4 status=-5"),
    line("DONE call=3 status=1 outputs=vary"),
    line("SHOTS call=4 shots=64"),
    line("WRONG call=4 due=17 status=-129 outputs=other"),
    line("SWEPT call=4 shots=90 wrong=2"),
    line("END calls=6"),
]


def test_answers_refusals_and_sweeps_are_read() -> None:
    log = read_psa_calls_log(WHOLE)
    assert log.framework == "101"
    assert (log.impossible, log.refused, log.changed) == ([1], [Refused(2, -134, 0)], [(3, 4, -5)])
    assert (log.done, log.varying) == ({0: 0, 3: 1}, [3])
    assert (log.wrong, log.swept) == ([WrongAnswer(4, 17, -129)], {4: (90, 2)})
    assert log.is_whole
    assert not log.problems
    assert not log.is_silent


def test_a_log_that_stops_is_not_whole() -> None:
    assert not read_psa_calls_log(WHOLE[:-1]).is_whole
    assert read_psa_calls_log([line("SILENT call=3")]).is_silent


def test_what_the_program_gave_up_over_is_a_problem_with_its_line() -> None:
    (problem,) = read_psa_calls_log([*WHOLE[:3], "PANIC a fault in the program"]).problems
    assert (problem.line, "a fault in the program" in problem.message) == (4, True)


@pytest.mark.parametrize(
    "damaged", [WHOLE[2].replace("status=0", "status=1"), line("DONE call=x status=0 outputs=equal"), line("NEWS x=1")]
)
def test_a_damaged_line_is_a_problem_and_no_exception(damaged: str) -> None:
    assert [problem.line for problem in read_psa_calls_log([damaged]).problems] == [1]
