# SPDX-License-Identifier: BSD-3-Clause
"""The gate on our own firmware: the pinned build passes, a build with longer paths fails with the function and its figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.pinned_figures import A_PROFILE, skip_by_another_compiler
from support.places import ROOT

pytestmark = [pytest.mark.qemu, pytest.mark.firmware]


@pytest.mark.parametrize(
    ("build", "code", "line"), [("qemu_virt", 0, "pass: no change beyond its threshold"), ("qemu_virt-hardened", 1, "vectors +17")]
)
def test_a_longer_path_fails_with_its_function(build: str, code: int, line: str) -> None:
    skip_by_another_compiler("aarch64-linux-gnu-gcc", A_PROFILE)  # the hardened build's figure
    command = [sys.executable, str(ROOT / "bench" / "own_gate.py"), "--firmware", str(ROOT / "build" / build)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert line in done.stdout + done.stderr


def test_a_compiler_without_pinned_counts_is_no_pass(tmp_path: Path) -> None:
    compiler = tmp_path / "aarch64-linux-gnu-gcc"
    compiler.write_text("#!/bin/sh\necho 99.1.0\n")
    compiler.chmod(0o755)
    command = [sys.executable, str(ROOT / "bench" / "own_gate.py")]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "gcc-99.1.0 has no pinned counts (gcc-12.2.0" in done.stderr
