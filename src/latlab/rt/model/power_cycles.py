# SPDX-License-Identifier: BSD-3-Clause
"""The contents of a run of CPU hotplug and system suspend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from latlab.core.model.run import Contents


@dataclass(frozen=True, slots=True)
class PowerCycles(Contents):
    """A run of CPU hotplug and system suspend; its data is in its raw files."""

    kind: ClassVar[str] = "power"
