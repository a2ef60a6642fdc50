# SPDX-License-Identifier: BSD-3-Clause
"""The recorder's lines of what takes a CPU from its kernel (docs/reference/recorder.md), each complete in itself."""

from __future__ import annotations

import re

from latlab.core.errors import DataError
from latlab.rt.model.outside_counts import OutsideCount, OutsideCounts, SmiSource, StealClock

VERSION = "1"
LINE = re.compile(r"^LLOC1 ([A-Z]+)((?: [a-z_]+=[a-z0-9_]{1,40})*)$", re.ASCII)
WHOLE = re.compile(r"\d{1,20}", re.ASCII)


def read_outside_counts(data: bytes, place: str) -> OutsideCounts:
    """Raises DataError without a head. A line that cannot be read is a problem."""
    head: dict[str, str] | None = None
    counts: list[OutsideCount] = []
    sources: list[tuple[int, SmiSource]] = []
    problems: list[str] = []
    complete = False
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        match = LINE.match(line)
        fields = dict(word.split("=") for word in match[2].split()) if match else {}
        try:
            if match is None:
                raise ValueError(f"not a line of the recorder's counts: {line[:60]!r}")
            if match[1] == "HEAD":
                head = fields
            elif match[1] == "CPU":
                sources.append((_number(fields, "cpu"), SmiSource(fields.get("smi", ""))))
            elif match[1] == "AT":
                counts.append(_count(fields))
            elif match[1] == "END":
                complete = True
            else:
                raise ValueError(f"{match[1]} is no kind of line")
        except ValueError as error:
            problems.append(f"{place}:{number}: {error}")
    if head is None or head.get("version") != VERSION or head.get("steal") not in list(StealClock):
        raise DataError(
            f"no head of the recorder's counts in version {VERSION}, but {head}", "read the run with the latlab that made it", place=place
        )
    if not complete:
        problems.append(f"{place}: cut off; the counts before are kept")
    tick_ns = _number(head, "tick_ns")
    return OutsideCounts(StealClock(head["steal"]), tick_ns, tuple(counts), tuple(sources), complete, tuple(problems))


def _count(fields: dict[str, str]) -> OutsideCount:
    steal_ticks, smis = (_number(fields, name) if name in fields else None for name in ("steal_ticks", "smis"))
    return OutsideCount(_number(fields, "cpu"), _number(fields, "ns"), steal_ticks, smis)


def _number(fields: dict[str, str], name: str) -> int:
    if not WHOLE.fullmatch(fields.get(name, "")):
        raise ValueError(f"{name}={fields.get(name, '')!r} is no whole number")
    return int(fields[name])
