# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's own trace as text (Documentation/trace/ftrace.rst): our probes on the ways that lead to the TRNG, with their stacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from latlab.calls.model.calls import KernelSpan

LINE = re.compile(r"^\s*(?P<task>.+)-\d+\s+\[(?P<cpu>\d{1,5})\]\s+\S+\s+(?P<s>\d{1,12})\.(?P<us>\d{6}): (?P<what>.*)$")
FRAME = re.compile(r"^ => (\S+)")
DONE = "_done"


@dataclass(slots=True)
class _Entry:
    cpu: int
    task: str
    ns: int
    name: str
    stack: list[str] = field(default_factory=list)


def read_spans(text: str, names: Sequence[str]) -> tuple[KernelSpan, ...]:
    """Spans from each probe NAME to its return probe NAME_done. The stack is the callers of the probed function, the innermost first."""
    spans: list[KernelSpan] = []
    running: dict[tuple[int, str], _Entry] = {}
    last: _Entry | None = None
    taking = False
    for line in text.splitlines():
        if frame := FRAME.match(line):
            if taking and last is not None:
                last.stack.append(frame[1])
            continue
        match = LINE.match(line)
        if not match:
            continue
        event, cpu = match["what"], int(match["cpu"])
        taking = event.startswith("<stack trace>")
        if taking:
            continue
        name = event.partition(":")[0]
        ns = int(match["s"]) * 1_000_000_000 + int(match["us"]) * 1000
        if name in names:
            last = running[cpu, name] = _Entry(cpu, match["task"].strip(), ns, name)
        elif name.endswith(DONE) and (begun := running.pop((cpu, name.removesuffix(DONE)), None)):
            spans.append(KernelSpan(begun.cpu, begun.name, begun.task, begun.ns, ns + 1000, _callers(begun)))
    return tuple(spans)


def _callers(entry: _Entry) -> tuple[str, ...]:
    """What stands after the probed function itself; before it are the frames of the probe."""
    probe_frames = [i for i, frame in enumerate(entry.stack) if frame == entry.name]
    return tuple(entry.stack[probe_frames[-1] + 1 :]) if probe_frames else tuple(entry.stack)
