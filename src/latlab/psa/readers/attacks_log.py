# SPDX-License-Identifier: BSD-3-Clause
"""What the program `psa_attacks` prints, between lines of the secure side's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from latlab.core.readers.dump.frames import strip_escapes
from latlab.psa.model import AttackTranscript, Returned
from latlab.psci.readers.calls_log import frames_of


@dataclass(slots=True)
class AttacksLog:
    """By the number of the attack. `before` are the secure side's lines of a start, `trailing` those behind the last line of the
    program."""

    by_attack: dict[int, AttackTranscript] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    trailing: list[str] = field(default_factory=list)
    has_floats: bool = False
    is_started: bool = False
    is_whole: bool = False
    is_silent: bool = False
    damaged: int = 0


def empty_transcript() -> AttackTranscript:
    return AttackTranscript([], {}, [], [], [], [])


def read_attacks_log(lines: Iterable[str]) -> AttacksLog:
    """Reads whatever is there: an attack may end the machine in the middle of a line."""
    log = AttacksLog()
    for line in lines:
        text = strip_escapes(line)
        frames = list(frames_of(text))
        if not frames and text.strip():
            log.trailing.append(text.strip())
        for take in frames:
            try:
                kind, values = take()
                _take(log, kind, values)
            except (ValueError, KeyError):
                log.damaged += 1
    return log


def record_of(log: AttacksLog, banner: Iterable[str]) -> str:
    """What the secure side said since the program's last line and does not say at each start."""
    usual = set(banner)
    return "; ".join(line for line in log.trailing if line not in usual)


def _take(log: AttacksLog, kind: str, values: dict[str, str]) -> None:
    if kind == "ATTACKS":
        log.is_started, log.has_floats = True, int(values["fpu"], 16) != 0
        log.before, log.trailing = log.trailing, []
        return
    if kind == "END":
        log.is_whole = True
        return
    transcript = log.by_attack.setdefault(int(values["a"]), empty_transcript())
    if kind == "AGAIN":
        transcript.resets += 1
        transcript.record = transcript.record or record_of(log, log.before)
    elif kind == "SILENT":
        log.is_silent = True
    else:
        _take_of(transcript, kind, values)
    log.trailing = []


def _take_of(transcript: AttackTranscript, kind: str, values: dict[str, str]) -> None:
    match kind:
        case "CALL":
            transcript.calls.append(Returned(int(values["s"]), int(values["i"]), *(int(values[name], 16) for name in _REGISTERS)))
        case "SHOW":
            transcript.shown.setdefault(int(values["s"]), bytearray()).extend(int(values["v"], 16).to_bytes(4, "little"))
        case "LOAD":
            transcript.loads.append((int(values["at"], 16), int(values["v"], 16)))
        case "STORED":
            transcript.stored.append(int(values["at"], 16))
        case "TAKEN":
            transcript.taken.append((int(values["h"], 16), int(values["r0"], 16)))
        case "GUESSED":
            transcript.guessed += int(values["n"])
        case "FLOAT":
            transcript.floats.append((int(values["n"]), int(values["v"], 16)))
        case "FAULT":
            transcript.is_fault = True
        case "DONE":
            transcript.is_done, transcript.saw = True, transcript.saw | int(values["saw"], 16)
        case _:
            raise ValueError(kind)


_REGISTERS = ("r0", "r1", "r2", "r3", "r12", "f", "h", "v")
