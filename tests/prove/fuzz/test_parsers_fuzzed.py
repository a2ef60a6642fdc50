# SPDX-License-Identifier: BSD-3-Clause
"""Each parser under a coverage-guided fuzzer, from one seed: no input ends it or keeps it busy.

`tests/fuzz/run.py` makes a million executions of each.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz.targets import TARGETS
from support.places import TESTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed"),
]

EXECUTIONS = 1_000
EXECUTED = re.compile(r"^stat::number_of_executed_units: *(\d+)", re.MULTILINE)


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_ends_a_parser(name: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """The fuzzer keeps the input that it found in the folder of the test."""
    command = (sys.executable, str(TESTS / "fuzz" / "run.py"), name, "--runs", str(EXECUTIONS))
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, f"{done.stderr[-3000:]}{list(tmp_path.iterdir())}"
    executed = EXECUTED.search(done.stderr)
    assert executed and int(executed[1]) >= EXECUTIONS
    record_property("executions", executed[1])
