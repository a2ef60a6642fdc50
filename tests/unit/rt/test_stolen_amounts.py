# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.rt.analysis.steal_coverage import blind_sentences, said_cpus
from latlab.rt.analysis.stolen import amounts_of, by_size, doubts, loss_of
from latlab.rt.model.stolen import Blind, Regime, Theft
from support.steal_lines import HZ, SEEN, blind_cpu, cpu_with, measured, second


def test_what_was_taken_is_a_share_of_what_was_measured() -> None:
    cpu = replace(cpu_with([]), seconds=(second(0, 2, 3000, 2000), replace(second(1, 1, 500, 500), measured_ticks=HZ // 2)))
    loss = loss_of(measured(cpu), cpu)
    assert (loss.stolen_ns, loss.worst_ns, loss.worst_second_ns, loss.marked) == (3500, 2000, 3000, 3)
    assert loss.measured_s == 1.5 and loss.share == pytest.approx(3500 / 1.5e9)


def test_a_second_that_was_measured_in_part_only_is_no_repetition() -> None:
    cpu = replace(cpu_with([]), seconds=(second(0, 1, 900, 900), replace(second(1), measured_ticks=HZ // 100)))
    stolen = next(one for one in amounts_of("idle", measured(cpu)) if one.name == "time in firmware per second")
    assert stolen.values == (900.0,)


@given(st.sets(st.integers(0, 60), min_size=1))
def test_cpus_are_named_each_once(numbers: set[int]) -> None:
    told: list[int] = []
    for part in said_cpus(sorted(numbers)).split(" ", 1)[1].split(", "):
        low, _, high = part.partition("-")
        told += range(int(low), int(high or low) + 1)
    assert told == sorted(numbers)


def test_every_reason_has_a_sentence_of_its_own() -> None:
    blind = measured(*(blind_cpu(reason, number) for number, reason in enumerate(Blind)))
    assert len(set(blind_sentences(blind.cpus))) == len(Blind)
    assert amounts_of("idle", blind) == ()


def test_a_cpu_that_sees_well_has_no_doubts() -> None:
    assert doubts(measured(cpu_with([500, 700]))) == ()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seconds": (second(0, rate=16.0), second(1, rate=24.0))}, "16 to 24 cycles a tick"),
        ({"lowest_mark_cycles": -40}, "scattered by 40 cycles, at calibration by 0"),
        ({"went_off": True}, "CPU 0: it went offline during the measurement"),
        ({"dropped": 7}, "7 windows with time in firmware are not in the time line"),
        ({"calibration": replace(SEEN, regime=Regime.UNMARKED)}, "steal time by a hypervisor looks the same"),
    ],
)
def test_what_weakens_a_figure_is_said(changed: dict[str, object], said: str) -> None:
    (sentence,) = doubts(measured(replace(cpu_with([500]), **changed)))  # type: ignore[arg-type]
    assert said in sentence


def test_thefts_of_one_size_stand_together_whatever_comes_between_them() -> None:
    long, short, odd = (
        (Theft(10, 20, 7_100, 0), Theft(50, 60, 7_120, 0)),
        (Theft(30, 40, 3_500, 0), Theft(70, 80, 3_530, 0)),
        Theft(5, 6, 90_000, 0),
    )
    assert by_size((long[0], odd, short[0], short[1], long[1])) == (short, long, (odd,))
