# SPDX-License-Identifier: BSD-3-Clause
import pytest

from latlab.core.model.run import CoreId
from latlab.core.readers.dump.frames import crc
from latlab.psci.readers.calls_log import WHY, read_calls_log


def line(body: str) -> str:
    return f"<LLC1:{body} *{crc(body)}>"


WHOLE = [
    "NOTICE:  BL31: v2.12.1(release):",
    line("CALLS psci=00010001 iterations=5 cores=2 lead=1 el=1 gic=2"),
    line("CORE mpidr=0 core=0.0"),
    line("CORE mpidr=100 core=1.0"),
    line("STATES level_0=00010002 deep=01010022"),
    line("SKIP test=susp_deep_serial why=never-woke state=00010002"),
    line("END tests=6 iterations=5 status=pass"),
]


def test_cores_facts_and_tests_that_were_left_out_are_read() -> None:
    log = read_calls_log(WHOLE)
    assert log.cores == {0: CoreId(0, 0), 0x100: CoreId(1, 0)}
    assert log.lead == CoreId(1, 0)
    assert log.facts["psci"] == "00010001"
    assert log.facts["power_state_deep"] == "0x01010022"
    assert log.skipped == [("susp_deep_serial", f"{WHY['never-woke']} (power state 0x00010002)")]
    assert log.is_whole
    assert not log.problems


def test_a_log_that_stops_is_not_whole() -> None:
    assert not read_calls_log(WHOLE[:-1]).is_whole


def test_what_the_program_gave_up_over_is_a_problem_with_its_line() -> None:
    (problem,) = read_calls_log([*WHOLE[:4], "PANIC core 0.0: core 0.1 did not go off"]).problems
    assert (problem.line, "did not go off" in problem.message) == (5, True)


@pytest.mark.parametrize(
    "damaged",
    [
        WHOLE[1].replace("cores=2", "cores=3"),
        line("CORE mpidr=zz core=0.0"),
        line("CORE core=0.0"),
        line("SKIP test=a why=no-such-reason state=0"),
        line("NEWS x=1"),
        line("CALLS psci"),
    ],
)
def test_a_damaged_line_is_a_problem_and_no_exception(damaged: str) -> None:
    log = read_calls_log([damaged])
    assert [problem.line for problem in log.problems] == [1]
