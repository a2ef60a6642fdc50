# SPDX-License-Identifier: BSD-3-Clause
"""Idle states are forbidden while wake-ups are measured, unless somebody asks for them."""

import pytest

from latlab.core.errors import UsageError
from latlab.core.targets.linux.machine import Here
from latlab.rt.targets.linux import Survey, check_survey
from latlab.rt.targets.rt_job import Instrument, Workload

FORBIDDEN = Workload(1, "idle", Instrument.RECORDER)
ALLOWED = Workload(1, "idle", Instrument.RECORDER, idle_states=True)


def test_both_instruments_leave_idle_states_alone_only_when_asked() -> None:
    assert "--default-system" not in FORBIDDEN.cyclictest and "--default-system" in ALLOWED.cyclictest
    assert " -I" not in FORBIDDEN.recorder("recorder") and " -I" in ALLOWED.recorder("recorder")


@pytest.mark.parametrize("said", ["", "no"])
def test_a_machine_that_cannot_forbid_idle_states_is_refused_unless_they_are_wanted(said: str) -> None:
    survey = Survey({"fifo": "yes", "dma_latency": said})
    with pytest.raises(
        UsageError, match="lacks the right to write /dev/cpu_dma_latency, which forbids idle states; run as root or use --idle-states"
    ):
        check_survey(Here(), survey, FORBIDDEN)
    check_survey(Here(), survey, ALLOWED)
    check_survey(Here(), Survey({"fifo": "yes", "dma_latency": "yes"}), FORBIDDEN)
