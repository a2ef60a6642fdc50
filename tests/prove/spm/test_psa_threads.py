# SPDX-License-Identifier: BSD-3-Clause
"""Two threads that call under a preemptive scheduler, in each build, with and without a floating-point unit."""

import pytest

from latlab.psa.targets import mps2
from support.on_mps2 import WITH_A_TICKER, threads_beside_a_ticker, threads_under_a_scheduler

CALLS = 5_000

pytestmark = [pytest.mark.slow, pytest.mark.qemu]


@pytest.mark.parametrize("machine", mps2.MACHINES)
@pytest.mark.parametrize("build", mps2.BUILDS)
def test_threads_of_a_preemptive_scheduler_lose_no_call_in_any_build(build: str, machine: str) -> None:
    threads_under_a_scheduler(build, machine, CALLS)


@pytest.mark.parametrize("machine", mps2.MACHINES)
@pytest.mark.parametrize("build", WITH_A_TICKER)
def test_threads_lose_no_call_while_a_partition_works_for_its_own_interrupts(build: str, machine: str) -> None:
    threads_beside_a_ticker(build, machine, CALLS)
