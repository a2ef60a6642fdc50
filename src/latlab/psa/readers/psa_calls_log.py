# SPDX-License-Identifier: BSD-3-Clause
"""What `psa_calls` prints: which calls the firmware refused, which answers were wrong, and whether it came to its end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from latlab.core.model.run import Problem
from latlab.core.readers.dump.frames import strip_escapes
from latlab.psci.readers.calls_log import PANIC_LINE, frames_of


@dataclass(frozen=True, slots=True)
class Refused:
    """The status that a call returned in place of the expected one, so that nothing of it was measured."""

    call: int
    status: int
    expected: int


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """What an interrupted call returned: another status than without the interrupt, or the same with other outputs."""

    call: int
    due: int
    status: int


@dataclass(slots=True)
class PsaCallsLog:
    """Calls by number. `varying` are those whose outputs differ from call to call, `impossible` those without a veneer, `swept` how many
    interrupts came and how many answers were wrong."""

    framework: str = ""
    refused: list[Refused] = field(default_factory=list)
    impossible: list[int] = field(default_factory=list)
    done: dict[int, int] = field(default_factory=dict)
    varying: list[int] = field(default_factory=list)
    swept: dict[int, tuple[int, int]] = field(default_factory=dict)
    wrong: list[WrongAnswer] = field(default_factory=list)
    changed: list[tuple[int, int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    is_silent: bool = False
    is_whole: bool = False


def read_psa_calls_log(lines: Iterable[str]) -> PsaCallsLog:
    """Reads whatever of it is there; lines of the firmware may stand in between."""
    log = PsaCallsLog()
    for number, line in enumerate(lines, 1):
        text = strip_escapes(line)
        for take in frames_of(text):
            try:
                kind, values = take()
                _take(log, kind, values)
            except (ValueError, KeyError) as error:
                log.problems.append(Problem(number, f"a line of psa_calls is damaged ({error})"))
        panic = PANIC_LINE.search(text)
        if panic:
            log.problems.append(Problem(number, f"the program gave up: {panic[1].strip()}"))
    return log


def _take(log: PsaCallsLog, kind: str, values: dict[str, str]) -> None:
    call = int(values["call"]) if "call" in values else 0
    match kind:
        case "PSA":
            log.framework = values["framework"]
        case "SKIP":
            log.impossible.append(call)
        case "REFUSED":
            log.refused.append(Refused(call, int(values["status"]), int(values["expected"])))
        case "STATUS":
            log.changed.append((call, int(values["iteration"]), int(values["status"])))
        case "DONE":
            log.done[call] = int(values["status"])
            if values["outputs"] != "equal":
                log.varying.append(call)
        case "WRONG":
            log.wrong.append(WrongAnswer(call, int(values["due"]), int(values["status"])))
        case "SWEPT":
            log.swept[call] = int(values["shots"]), int(values["wrong"])
        case "SHOTS":
            return
        case "SILENT":
            log.is_silent = True
        case "END":
            log.is_whole = True
        case _:
            raise ValueError(f"{kind!r} is no kind of line that it prints")
