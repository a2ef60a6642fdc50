# SPDX-License-Identifier: BSD-3-Clause
"""Which CPU was lost after which call, and what of a run of power cycles did not happen."""

from __future__ import annotations

import errno

from latlab.rt.analysis.power_cycles import StepTimes, awake_suspends, findings, times_of
from latlab.rt.model.power_steps import LostCpu, PowerStep, StepKind


def off(cpu: int, ns: int | None = 10, error: int | None = 0) -> PowerStep:
    return PowerStep(StepKind.OFFLINE, cpu, 0, ns, 0, error)


def on(cpu: int, ns: int | None = 20, error: int | None = 0) -> PowerStep:
    return PowerStep(StepKind.ONLINE, cpu, 0, ns, 0, error)


def suspend(error: int | None = 0) -> PowerStep:
    return PowerStep(StepKind.SUSPEND, None, 0, 30, 5, error)


def test_times_are_those_of_steps_that_were_done_by_kind_and_cpu() -> None:
    steps = (off(2, 5), on(2, 6), off(10, 7), on(10, 8, errno.EIO), off(2, 9), on(2, None, None), suspend())
    assert times_of(steps) == (
        StepTimes(StepKind.OFFLINE, 2, (5, 9)),
        StepTimes(StepKind.OFFLINE, 10, (7,)),
        StepTimes(StepKind.ONLINE, 2, (6,)),
        StepTimes(StepKind.SUSPEND, None, (30,)),
    )


def test_cycles_that_were_all_done_are_no_finding() -> None:
    assert findings((off(1), on(1), off(2), on(2), suspend()), (), 2, 1) == ()


def test_a_cpu_that_does_not_come_on_is_lost_in_its_own_cycle_with_the_kernels_call_and_code() -> None:
    steps = (off(1), on(1), off(2), on(2), off(1), on(1, error=errno.EIO), off(2), on(2))
    assert findings(steps, (), 4, 0) == (
        "CPU 1 did not come on in its cycle 2: the write to its file `online` ended with EIO; the CPU is lost",
    )
    lost = (LostCpu(1, "CPU_OFF", "0", 3), LostCpu(1, "CPU_ON", "-22 (EINVAL)", 4))
    assert findings(steps, lost, 4, 0) == (
        "CPU 1 did not come on in its cycle 2: CPU_OFF with code 0, then CPU_ON with code -22 (EINVAL); the CPU is lost",
    )
    assert findings((*steps, on(1)), (), 4, 0)[0].endswith("ended with EIO; a later attempt brought it back")


def test_a_record_that_ends_in_a_step_accuses_no_cpu_alone() -> None:
    (sentence,) = findings((off(3), on(3, None, None)), (), 1, 0)
    assert sentence == "CPU 3 did not come on in its cycle 1: the record ends during this change; the CPU or the machine stopped there"
    (sentence,) = findings((off(3, None, None),), (), 1, 0)
    assert "did not go off in its cycle 1" in sentence and sentence.endswith("the CPU or the machine stopped there")


def test_a_cpu_that_stays_on_is_not_lost() -> None:
    (sentence,) = findings((off(3, error=errno.EBUSY),), (), 1, 0)
    assert sentence.endswith("ended with EBUSY; it stayed on and was left out from then on")


def test_what_the_kernel_printed_stands_even_if_every_write_succeeded() -> None:
    assert findings((off(1), on(1)), (LostCpu(1, "CPU_OFF", "", 3), LostCpu(7, "start-up", "-5 (EIO)", 4)), 1, 0) == (
        "CPU 1: the kernel reported a failed CPU_OFF without a code, although every write succeeded",
        "CPU 7: the kernel reported a failed start-up with code -5 (EIO), although no cycle took it off",
    )


def test_suspends_that_failed_and_steps_that_were_never_begun_are_findings() -> None:
    assert findings((off(1), on(1), suspend(), suspend(errno.EBUSY), suspend(None)), (), 3, 4) == (
        "suspend 2 failed with EBUSY",
        "suspend 3: the record ends in it",
        "1 of 3 hotplug cycles were begun",
        "3 of 4 suspends were begun",
    )


def test_suspends_in_which_the_clock_went_on_hold_the_wait_for_the_alarm() -> None:
    asleep = PowerStep(StepKind.SUSPEND, None, 0, 30, 4_900_000_000, 0)
    assert awake_suspends((off(1), on(1), asleep)) == ()
    (sentence,) = awake_suspends((asleep, suspend(), suspend(errno.EBUSY)))
    assert sentence.startswith("in 1 of 2 suspends the kernel's clock went on")
