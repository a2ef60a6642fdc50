# SPDX-License-Identifier: BSD-3-Clause
"""Lines of a console as firmware prints them, without their line ends."""

from __future__ import annotations

import base64
from dataclasses import fields
from typing import Any

from latlab.core.model.figures import Figures
from latlab.core.readers.dump.frames import KINDS, RECORD, Frame, crc
from latlab.core.readers.dump.rt_instr import TEST_PREFIX


def format_frame(frame: Frame) -> str:
    pairs = " ".join(f"{field.name}={_value(getattr(frame, field.name))}" for field in fields(frame))
    name = next(name for name, kind in KINDS.items() if kind is type(frame))
    body = f"LLT1:{name} {pairs}"
    return f"<{body} *{crc(body)}>"


def format_figures(figures: Figures) -> str:
    columns = [TEST_PREFIX + figures.test, figures.core.cluster, figures.core.core, *(value for _, value in figures.values_ns)]
    return "<RT_INSTR:" + "\t".join(map(str, columns)) + "/>"


def _value(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value)
    return base64.b64encode(b"".join(RECORD.pack(r.time_ticks, r.event_id | r.arg << 16) for r in value)).decode("ascii")
