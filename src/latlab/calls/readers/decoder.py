# SPDX-License-Identifier: BSD-3-Clause
"""The probe's bytes to records, as they come: a file, or the beginning of one that is still being written."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from latlab.calls.model.crossings import (
    LEVEL_MASK,
    LOOP,
    Absent,
    Arch,
    Core,
    Crossing,
    DataGap,
    End,
    Fragment,
    GapKind,
    Header,
    Mask,
    Masked,
    Naps,
    Path,
    Profile,
    Record,
    Sleep,
    Source,
    Spent,
    Stopped,
    Time,
    WaitInstruction,
    Wake,
)
from latlab.core.model.run import Problem

MAGIC = b"LLPROBE\0"
VERSION = 4
HEADER = struct.Struct("<8sHHHHII")
RECORD = struct.Struct("<HHI")
CORE = struct.Struct("<Q")
CROSSING = struct.Struct("<QQQBBHI")
SLEEP = struct.Struct("<QQQBB6x")
WAKE = struct.Struct("<QQQQQ")
FRAGMENT = struct.Struct("<QIIII")
PROFILE = struct.Struct("<Q")
RUN = struct.Struct("<II")
END = struct.Struct("<QQ")
MASKED = struct.Struct("<BBBBHHQQQQQQ4Q")
MASKED_WORLD = struct.Struct("<QQQ")
SOURCE = struct.Struct("<IHHQ")
TIME = struct.Struct("<QQ")
GAP = struct.Struct("<BB6xQQQQQ")
SPENT = struct.Struct("<Q")
SPENT_FRAGMENT = struct.Struct("<I4xQ")
STOPPED = struct.Struct("<QQQQB?6x")
FEWEST_REGISTERS = {Arch.AARCH64: 8, Arch.ARMV8M: 4, Arch.RISCV: 8}
"""In which a call passes arguments."""
NOT_KNOWN = (1 << 64) - 1
FUNCTIONS, WITH_MASKED, WITH_CONTEXTS = 1, 2, 4
LEVEL_BITS, CONTEXT_SHIFT = 0xFFFF, 16
FROM_START, TO_END = 1, 2
NEWEST = "use the latlab that belongs to this probe"


class _Damage(Exception):
    """One sentence on a record that is not one."""


class Decoder:
    """Feed it what came; it gives what that makes. After the first Problem it gives nothing more."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.end: End | None = None
        self._pending = b""
        self._at = 0
        self._is_damaged = False
        self._fragments: set[int] = set()

    def feed(self, data: bytes) -> Iterator[Header | Record | Problem]:
        """The header, then records; the bytes of an unfinished one are kept for the next time."""
        self._pending += data
        view, position = self._pending, 0
        try:
            while not self._is_damaged and self.end is None:
                item, used = self._next(view, position)
                position += used
                if used == 0:
                    break
                if item is not None:
                    yield item
        except _Damage as damage:
            self._is_damaged = True
            yield Problem(0, f"byte {self._at + position} of the probe's stream: {damage}")
        finally:
            self._pending = view[position:]
            self._at += position

    def finish(self) -> Iterator[Problem]:
        """What is wrong with a stream that is over: cut off, or with losses."""
        if self._is_damaged:
            return
        if self.header is None:
            yield Problem(
                0, f"the probe's stream ends after {self._at + len(self._pending)} bytes, in its header; QEMU did not start the machine"
            )
        elif self.end is None:
            yield Problem(
                0,
                f"the probe's stream was cut off after {self._at} bytes: QEMU was killed or the disk is full; the data before it are kept",
            )
        elif self.end.lost:
            yield Problem(0, f"the probe lost {self.end.lost} records after {self.end.records}; free some disk or raise its limit")

    def _next(self, data: bytes, at: int) -> tuple[Header | Record | None, int]:
        """The item at a byte and its length; length 0 where it is not all there."""
        if self.header is None:
            return self._header(data)
        if len(data) - at < RECORD.size:
            return None, 0
        kind, size, core = RECORD.unpack_from(data, at)
        if size < RECORD.size or size % 8:
            raise _Damage(f"a record of kind {kind} says that it has {size} bytes")
        if len(data) - at < size:
            return None, 0
        return self._record(kind, core, data[at + RECORD.size : at + size]), size

    def _header(self, data: bytes) -> tuple[Header | None, int]:
        if not MAGIC.startswith(data[: len(MAGIC)]):
            raise _Damage("this is no stream of the probe")
        if len(data) < HEADER.size:
            return None, 0
        _, version, size, arch, content_flags, cores, interface = HEADER.unpack_from(data)
        if version != VERSION:
            raise _Damage(f"it has version {version} of the format, this latlab knows version {VERSION}; {NEWEST}")
        if size < HEADER.size or arch not in Arch.__members__.values():
            raise _Damage(f"a header of {size} bytes for architecture {arch}; {NEWEST}")
        if len(data) < size:
            return None, 0
        self.header = Header(
            Arch(arch),
            bool(content_flags & FUNCTIONS),
            cores,
            interface,
            bool(content_flags & WITH_MASKED),
            bool(content_flags & WITH_CONTEXTS),
        )
        return self.header, size

    def _record(self, kind: int, core: int, body: bytes) -> Record | None:
        make = MAKERS.get(kind)
        if make is None:
            return None
        try:
            record = make(core, body)
            self._check_fragments(record)
            if isinstance(record, Crossing) and self.header is not None:
                _check_registers(self.header.arch, record)
        except (struct.error, ValueError) as error:
            raise _Damage(f"a record of kind {kind} with {len(body)} bytes is damaged ({error})") from error
        if isinstance(record, End):
            self.end = record
        return record

    def _check_fragments(self, record: Record) -> None:
        """Raises ValueError where something ran that was never described."""
        if isinstance(record, Fragment):
            self._fragments.add(record.number)
        elif isinstance(record, Path | Profile | Naps):
            named = set(record.steps[::2]) if isinstance(record, Path) else {number for number, _ in record.runs}
            unknown = {number for number in named - self._fragments if number < LOOP}
            if unknown:
                raise ValueError(f"fragment {min(unknown)} ran and was not described")


def _check_registers(arch: Arch, crossing: Crossing) -> None:
    """Raises ValueError where a world switch has registers, and fewer than its architecture passes: on a way up, cause and return too."""
    is_upward = crossing.entered & LEVEL_MASK > crossing.left_world & LEVEL_MASK
    fewest = FEWEST_REGISTERS[arch] + (2 if is_upward and arch is not Arch.ARMV8M else 0)
    if 0 < len(crossing.registers) < fewest:
        raise ValueError(f"it has {len(crossing.registers)} registers of {fewest}")


def _core(core: int, body: bytes) -> Core:
    return Core(core, CORE.unpack_from(body)[0])


def _crossing(core: int, body: bytes) -> Crossing:
    instructions, machine, address, left_world, entered, count, unknown = CROSSING.unpack_from(body)
    registers = struct.unpack_from(f"<{count}Q", body, CROSSING.size)
    return Crossing(core, instructions, machine, address, left_world, entered, registers, unknown)


def _sleep(core: int, body: bytes) -> Sleep:
    instructions, machine, address, world, wait = SLEEP.unpack_from(body)
    return Sleep(core, instructions, machine, address, world, WaitInstruction(wait))


def _wake(core: int, body: bytes) -> Wake:
    return Wake(core, *WAKE.unpack_from(body))


def _fragment(core: int, body: bytes) -> Fragment:
    address, number, instructions, level, size = FRAGMENT.unpack_from(body)
    code = body[FRAGMENT.size : FRAGMENT.size + size]
    if len(code) != size:
        raise ValueError(f"{size} bytes of code announced, {len(code)} present")
    return Fragment(number, address, instructions, level & LEVEL_BITS, code, level >> CONTEXT_SHIFT)


def _profile(core: int, body: bytes) -> Profile:
    unlisted = PROFILE.unpack_from(body)[0]
    return Profile(core, unlisted, tuple(RUN.iter_unpack(body[PROFILE.size :])))


def _naps(core: int, body: bytes) -> Naps:
    return Naps(core, PROFILE.unpack_from(body)[0], tuple(RUN.iter_unpack(body[PROFILE.size :])))


def _path(core: int, body: bytes) -> Path:
    if len(body) % RUN.size:
        raise ValueError("half a step")
    return Path(core, struct.unpack(f"<{len(body) // 4}I", body))


def _masked(core: int, body: bytes) -> Masked:
    line, mask, begin_world, end_world, edges, worlds, *fields = MASKED.unpack_from(body)
    count, instructions, longest, begin, link, end, *trail = fields
    if len(body) != MASKED.size + worlds * MASKED_WORLD.size:
        raise ValueError(f"{worlds} worlds announced, {len(body) - MASKED.size} bytes for them")
    return Masked(
        core, line, Mask(mask), begin_world, end_world, bool(edges & FROM_START), bool(edges & TO_END), count, instructions, longest,
        begin, link, end, tuple(MASKED_WORLD.iter_unpack(body[MASKED.size :])), tuple(trail),
    )  # fmt: skip


def _source(core: int, body: bytes) -> Source:
    absent, name_bytes, unit_bytes, femtoseconds = SOURCE.unpack_from(body)
    text = body[SOURCE.size : SOURCE.size + name_bytes + unit_bytes].decode("utf-8", "replace")
    return Source(text[:name_bytes], text[name_bytes:], femtoseconds, Absent(absent))


def _time(core: int, body: bytes) -> Time:
    return Time(core, *TIME.unpack_from(body))


def _known(value: int) -> int | None:
    return None if value == NOT_KNOWN else value


def _gap(core: int, body: bytes) -> DataGap:
    kind, world, instructions, missing, ticks, until, place = GAP.unpack_from(body)
    return DataGap(core, GapKind(kind), world, instructions, _known(missing), _known(ticks), _known(until), place)


def _spent(core: int, body: bytes) -> Spent:
    return Spent(core, SPENT.unpack_from(body)[0], tuple(SPENT_FRAGMENT.iter_unpack(body[SPENT.size :])))


def _stopped(core: int, body: bytes) -> Stopped:
    return Stopped(core, *STOPPED.unpack_from(body))


def _end(core: int, body: bytes) -> End:
    return End(*END.unpack_from(body))


MAKERS: dict[int, Callable[[int, bytes], Record]] = {
    1: _core,
    2: _crossing,
    3: _sleep,
    4: _wake,
    5: _fragment,
    6: _profile,
    7: _end,
    8: _path,
    9: _masked,
    10: _naps,
    11: _source,
    12: _time,
    13: _gap,
    14: _spent,
    15: _stopped,
}
