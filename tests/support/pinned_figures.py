# SPDX-License-Identifier: BSD-3-Clause
"""The instruction counts that bench/ pins, and the compiler whose they are."""

from __future__ import annotations

import subprocess
import tomllib
from typing import Any

import pytest

from support.places import ROOT

A_PROFILE: dict[str, Any] = tomllib.loads((ROOT / "bench" / "pinned.toml").read_text("utf-8"))
M_PROFILE: dict[str, Any] = tomllib.loads((ROOT / "bench" / "psa_pinned.toml").read_text("utf-8"))


def is_by_their_compiler(program: str, pinned: dict[str, Any]) -> bool:
    """Raises OSError where there is no such compiler."""
    return version_of(program) == pinned["compiler"]


def skip_by_another_compiler(program: str, pinned: dict[str, Any]) -> None:
    if not is_by_their_compiler(program, pinned):
        pytest.skip(f"the figures are those of GCC {pinned['compiler']}, this is {version_of(program)}")


def version_of(program: str) -> str:
    return subprocess.run([program, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
