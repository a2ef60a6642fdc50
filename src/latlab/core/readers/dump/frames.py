# SPDX-License-Identifier: BSD-3-Clause
"""One line of a dump: `<LLT1:KIND key=value ... *CRC>` to data and back, as docs/reference/trace-format.md specifies it."""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from latlab.core.model.run import CoreId, Topology
from latlab.core.readers.core_names import parse_core

VIRTUAL_PLATFORM = "virtual_time"


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record as the ring holds it: the event is still a number."""

    time_ticks: int
    event_id: int
    arg: int


@dataclass(frozen=True, slots=True)
class Boot:
    events: str
    clock_hz: int
    capture_mticks: int
    topology: Topology
    lead: CoreId
    iterations: int
    el: int
    gic: int
    firmware: str

    def __post_init__(self) -> None:
        if self.clock_hz < 1:
            raise ValueError(f"clock_hz is {self.clock_hz}; a clock ticks at least once per second")

    @property
    def is_simulated(self) -> bool:
        """Whether the program of virtual time printed the log."""
        return VIRTUAL_PLATFORM in self.firmware.split(";")


@dataclass(frozen=True, slots=True)
class TestStart:
    __test__ = False
    name: str
    iteration: int
    lead: CoreId


@dataclass(frozen=True, slots=True)
class Ring:
    test: str
    iteration: int
    core: CoreId
    first: int
    records: int
    lost: int


@dataclass(frozen=True, slots=True)
class Data:
    core: CoreId
    first: int
    data: tuple[RawRecord, ...]


@dataclass(frozen=True, slots=True)
class Done:
    test: str
    iteration: int


@dataclass(frozen=True, slots=True)
class EndFrame:
    tests: int
    iterations: int
    status: str


@dataclass(frozen=True, slots=True)
class Damage:
    """A dump line that cannot be used, and why."""

    reason: str


Frame = Boot | TestStart | Ring | Data | Done | EndFrame

KINDS: dict[str, type[Frame]] = {"BOOT": Boot, "TEST": TestStart, "RING": Ring, "DATA": Data, "DONE": Done, "END": EndFrame}

RECORD = struct.Struct("<QQ")
MAX_RECORDS = 3
LARGEST = 2**63 - 1

_HEAD = re.compile(r"<LLT1:")
_FRAME = re.compile(r"<(LLT1:[^<>]*) \*([0-9a-f]{8})>")
_TAIL = re.compile(r" \*[0-9a-f]{8}>")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def strip_escapes(line: str) -> str:
    """The line without terminal control sequences."""
    return _ESCAPE.sub("", line) if "\x1b" in line else line


def parse_frames(line: str) -> Iterator[Frame | Damage]:
    """Every dump line in one console line, whatever is around it; what looks like one but is not is a `Damage`."""
    if "LLT1" not in line and not _TAIL.search(line):
        return
    for shape in shaped(line, _FRAME, _HEAD, _TAIL, "a dump line"):
        yield shape if isinstance(shape, Damage) else _parse_body(shape[1], shape[2])


def shaped(line: str, whole: re.Pattern[str], head: re.Pattern[str], tail: re.Pattern[str], name: str) -> Iterator[re.Match[str] | Damage]:
    """Every place of a line that has the whole shape, and whether a head or a tail is left over."""
    matches = list(whole.finditer(line))
    yield from matches
    if {match.start() for match in head.finditer(line)} - {match.start() for match in matches}:
        yield Damage(f"{name} begins here but does not end as one")
    elif {match.end() for match in tail.finditer(line)} - {match.end() for match in matches}:
        yield Damage(f"{name} ends here but does not begin as one")


def crc(body: str) -> str:
    return f"{zlib.crc32(body.encode('utf-8', 'surrogatepass')):08x}"


def _parse_body(body: str, expected_crc: str) -> Frame | Damage:
    found_crc = crc(body)
    if found_crc != expected_crc:
        return Damage(f"the CRC of a dump line is {expected_crc}, its text has {found_crc}")
    kind_name, *pairs = body.removeprefix("LLT1:").split(" ")
    kind = KINDS.get(kind_name)
    if kind is None:
        return Damage(f"{kind_name!r} is not a kind of dump line known to this latlab")
    keys = tuple(pair.partition("=")[0] for pair in pairs)
    names = tuple(field.name for field in fields(kind))
    if keys != names:
        return Damage(f"{kind_name} has the keys {', '.join(keys)} instead of {', '.join(names)}")
    try:
        return kind(*(_PARSERS[field.type](pair.partition("=")[2]) for field, pair in zip(fields(kind), pairs, strict=True)))
    except ValueError as error:
        return Damage(f"{kind_name}: {error}")


def parse_topology(text: str) -> Topology:
    """Cores of each cluster, comma-separated, each at least 1."""
    if not re.fullmatch(r"[1-9]\d{0,3}(,[1-9]\d{0,3})*", text, re.ASCII):
        raise ValueError(f"{text!r} is not a topology; write the cores of each cluster, such as 2,4")
    return Topology(tuple(int(part) for part in text.split(",")))


def parse_records(text: str) -> tuple[RawRecord, ...]:
    """One to three 16-byte records in base64."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"{text!r} is not base64 ({error})") from error
    if len(data) % RECORD.size or not 1 <= len(data) // RECORD.size <= MAX_RECORDS:
        raise ValueError(f"{len(data)} bytes of records; a line has one to three of {RECORD.size} bytes")
    return tuple(RawRecord(time, word & 0xFFFF, word >> 16) for time, word in RECORD.iter_unpack(data))


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,19}", text, re.ASCII) or int(text) > LARGEST:
        raise ValueError(f"{text!r} is not a decimal number that fits 63 bits")
    return int(text)


def _word(text: str) -> str:
    if not text:
        raise ValueError("a value is empty")
    return text


_PARSERS: dict[Any, Callable[[str], Any]] = {
    "int": _number,
    "str": _word,
    "CoreId": parse_core,
    "Topology": parse_topology,
    "tuple[RawRecord, ...]": parse_records,
}
