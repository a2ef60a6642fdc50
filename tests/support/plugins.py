# SPDX-License-Identifier: BSD-3-Clause
"""The built plugins as a test gives them to the QEMU of this machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from latlab.core.targets.qemu.probe import find_probe
from latlab.core.targets.qemu.qemu import PROGRAM
from latlab.psa.targets.attack_params import find_witness


@cache
def probe_here(program: str = PROGRAM) -> Path:
    """The probe that this QEMU takes. Raises UsageError where there is none."""
    return find_probe(Path(program)).path


@cache
def witness_here(program: str = "qemu-system-arm") -> Path:
    return find_witness(Path(program)).path
