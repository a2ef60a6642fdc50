# SPDX-License-Identifier: BSD-3-Clause
"""What `psci_calls` prints: who the cores are, which tests the firmware cannot do, and whether it came to its end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.run import CoreId, Problem
from latlab.core.readers.core_names import parse_core
from latlab.core.readers.dump.frames import crc, strip_escapes

_FRAME = re.compile(r"<LLC1:(([A-Z]+) ([^<>]*)) \*([0-9a-f]{8})>")
PANIC_LINE = re.compile(r"PANIC (.*)")
WHY = {
    "not-supported": "the firmware has no CPU_SUSPEND",
    "no-known-power-state": "the firmware refuses every power state that is known",
    "cores-stay-on": "QEMU's model of this machine cannot start a core again that its firmware switched off",
    "never-woke": "a core did not wake up from CPU_SUSPEND, so that at most its way down is measured, once",
}


@dataclass(slots=True)
class CallsLog:
    """`cores` by MPIDR. `skipped` is test and reason. `is_whole` where the program came to its end."""

    cores: dict[int, CoreId] = field(default_factory=dict)
    lead: CoreId | None = None
    conditions: Conditions = NO_CONDITIONS
    facts: dict[str, str] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    is_whole: bool = False


def read_calls_log(lines: Iterable[str]) -> CallsLog:
    """Reads whatever of it is there; lines of the firmware may stand in between."""
    log = CallsLog()
    for number, line in enumerate(lines, 1):
        text = strip_escapes(line)
        for take in frames_of(text):
            try:
                _take(log, *take())
            except (ValueError, KeyError) as error:
                log.problems.append(Problem(number, f"a line of psci_calls is damaged ({error})"))
        panic = PANIC_LINE.search(text)
        if panic:
            log.problems.append(Problem(number, f"the program gave up: {panic[1].strip()}"))
    lead = log.facts.pop("lead", "")
    if lead.isdecimal() and int(lead) < len(log.cores):
        log.lead = list(log.cores.values())[int(lead)]
    return log


def frames_of(line: str) -> Iterator[Callable[[], tuple[str, dict[str, str]]]]:
    """For each framed text in the line what gives its kind and its pairs; that raises ValueError where the text is damaged."""
    for match in _FRAME.finditer(line):
        yield partial(_parsed, match[1], match[2], match[3], match[4])


def _parsed(body: str, kind: str, pairs: str, expected: str) -> tuple[str, dict[str, str]]:
    if crc(body) != expected:
        raise ValueError(f"its CRC is {expected}, its text has {crc(body)}")
    return kind, dict(pair.split("=", 1) for pair in pairs.split(" "))


def _take(log: CallsLog, kind: str, values: dict[str, str]) -> None:
    match kind:
        case "CALLS":
            log.facts |= {key: values[key] for key in ("psci", "lead")}
            log.conditions = Conditions(
                exception_level=int(values["el"]), interrupt_controller=f"GICv{values['gic']}", iterations=int(values["iterations"])
            )
        case "CORE":
            log.cores[int(values["mpidr"], 16)] = parse_core(values["core"])
        case "STATES":
            log.facts |= {"power_state_level_0": f"0x{values['level_0']}", "power_state_deep": f"0x{values['deep']}"}
        case "SKIP":
            state = f" (power state 0x{values['state']})" if int(values["state"], 16) else ""
            log.skipped.append((values["test"], WHY[values["why"]] + state))
        case "END":
            log.is_whole = True
        case _:
            raise ValueError(f"{kind!r} is no kind of line that it prints")
