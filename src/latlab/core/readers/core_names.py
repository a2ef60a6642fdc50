# SPDX-License-Identifier: BSD-3-Clause
"""A core as text: `cluster.core`."""

from __future__ import annotations

import re

from latlab.core.model.run import CoreId


def parse_core(text: str) -> CoreId:
    """`cluster.core`, both decimal."""
    match = re.fullmatch(r"(\d{1,5})\.(\d{1,5})", text, re.ASCII)
    if not match:
        raise ValueError(f"{text!r} is not a core; write cluster.core, such as 1.0")
    return CoreId(int(match[1]), int(match[2]))
