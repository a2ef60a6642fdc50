# SPDX-License-Identifier: BSD-3-Clause
"""The file of latlab-timed-write: a line for each write, of which the first half is there before the kernel is asked."""

from __future__ import annotations

import re

from latlab.core.errors import DataError
from latlab.rt.model.power_steps import PowerStep, StepKind

LINE = re.compile(
    r"(?P<kind>offline|online|suspend)(?: cpu=(?P<cpu>\d+))? start_ns=(?P<start>\d+)"
    r"(?P<rest> ns=(?P<ns>\d+) slept_ns=(?P<slept>\d+) errno=(?P<errno>\d+))?"
)
CONSOLE_STEP = re.compile(rb"<LLG1:STEP (offline|online|suspend)(?: cpu=(\d+))?>")


def read_steps(data: bytes, place: str) -> tuple[PowerStep, ...]:
    """In their order. Raises DataError with the line that is none; only the last may be half a line."""
    lines = data.decode("utf-8", "replace").splitlines()
    return tuple(_step(line, f"{place}:{number}", is_last=number == len(lines)) for number, line in enumerate(lines, 1))


def last_on_console(console: bytes) -> PowerStep | None:
    """The step that a guest announced last; None if it announced none."""
    matches = CONSOLE_STEP.findall(console)
    if not matches:
        return None
    kind, cpu = matches[-1]
    return PowerStep(StepKind(kind.decode()), int(cpu) if cpu else None, 0)


def _step(line: str, place: str, is_last: bool) -> PowerStep:
    match = LINE.fullmatch(line) if not is_last else LINE.match(line)
    if match is None or (match["cpu"] is None) != (match["kind"] == StepKind.SUSPEND) or not (match["rest"] or is_last):
        raise DataError(f"{line!r} is no record of latlab-timed-write; the file is damaged, measure again", value=line, place=place)
    kind, cpu = StepKind(match["kind"]), int(match["cpu"]) if match["cpu"] else None
    if not match["rest"]:
        return PowerStep(kind, cpu, int(match["start"]))
    return PowerStep(kind, cpu, int(match["start"]), int(match["ns"]), int(match["slept"]), int(match["errno"]))
