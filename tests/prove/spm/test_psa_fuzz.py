# SPDX-License-Identifier: BSD-3-Clause
"""A hundred thousand random PSA calls from the non-secure side against each build of the SPM, every answer checked."""

import re

import pytest

from latlab.psa.targets import mps2
from support.on_mps2 import printed

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

CALLS = 100_000


@pytest.mark.parametrize("build", mps2.BUILDS)
def test_random_calls_get_the_specified_answers(build: str) -> None:
    found = re.search(r"calls (\d+), served (\d+), refused (\d+), vectors changed during the call (\d+)", printed(f"{build}_test", "fuzz"))
    assert found and int(found[1]) == CALLS and all(int(number) > CALLS // 1000 for number in found.groups())
