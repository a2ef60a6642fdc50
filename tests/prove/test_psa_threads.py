# SPDX-License-Identifier: BSD-3-Clause
"""Two threads that call under a preemptive scheduler, in each build, with and without a floating-point unit."""

import re

import pytest

from latlab.targets.qemu import mps2
from support.on_mps2 import threads_under_a_scheduler

CALLS = 100_000

pytestmark = [pytest.mark.slow, pytest.mark.qemu]


@pytest.mark.parametrize("machine", mps2.MACHINES)
@pytest.mark.parametrize("build", mps2.BUILDS)
def test_threads_of_a_preemptive_scheduler_lose_no_call_in_any_build(build: str, machine: str) -> None:
    threads_under_a_scheduler(build, machine, CALLS)


@pytest.mark.parametrize("machine", mps2.MACHINES)
@pytest.mark.parametrize("build", ["later_l2", "at_once_l1", "at_once_l2"])
def test_threads_lose_no_call_while_a_partition_works_for_its_own_interrupts(build: str, machine: str) -> None:
    ticker = re.search(r"interrupts of the ticker (\d+)", threads_under_a_scheduler(build, machine, CALLS))
    assert ticker and int(ticker[1]) > CALLS
