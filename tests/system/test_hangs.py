# SPDX-License-Identifier: BSD-3-Clause
"""The place of a hang is reported: the core, its function, and what it does there."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.hangs import HANGS, Hang, watched
from support.slow_but import slow_but

pytestmark = pytest.mark.qemu
CALL = "CPU_SUSPEND (64)"


@pytest.mark.parametrize("has_clock", slow_but((True, False), True))
@pytest.mark.parametrize("hang", slow_but(HANGS, HANGS[1], HANGS[3], HANGS[9]), ids=str)
def test_a_hang_has_its_core_its_function_and_what_it_does_there(tmp_path: Path, hang: Hang, has_clock: bool) -> None:
    told = watched(tmp_path, hang, has_clock)
    cores = {core["core"]: core for core in told["stood"]}
    for name in hang.cores:
        core = cores[name]
        assert (core["state"], tuple(core["functions"]), core["wait"]) == (hang.state, hang.functions, hang.wait)
        assert (core["world"], core["call"], core["caller"]) == ("EL3", CALL, "EL1")
    problem = told["problems"][0]
    assert problem.startswith("the machine was stopped after 0.5 s; core 0.") and f", in {CALL} from EL1" in problem
    assert problem.partition("; core ")[2][:3] in hang.cores and hang.functions[0] in problem
    assert problem in told["error"].replace("\n", " ")
