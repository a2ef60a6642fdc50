# SPDX-License-Identifier: BSD-3-Clause
"""A secure partition manager of somebody else: its image, the addresses of its veneers, where its non-secure side lies, and the calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Annotated

import msgspec

from latlab.calls.readers.symbols import addresses_of
from latlab.calls.targets.subject_file import no_image, subject_file
from latlab.core.errors import DataError, UsageError
from latlab.core.targets.qemu.command import HEADLESS, NO_NETWORK, SEMIHOSTING, clock, line, loaded, serial_ports
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.qemu.toml_file import Name, Text, Word, read_toml
from latlab.core.targets.tools import not_built, refuse_stale
from latlab.psa.targets.mps2 import ICOUNT_SHIFT, MACHINES, check_priority

PROGRAM = Path("spm", "psa_calls.elf")
SG_BYTES = 4  # a call is seen at the instruction behind the gateway, which QEMU counts to neither side
VENEERS = ("framework_version", "version", "connect", "call", "close")
MOST_VECTORS = 4
MOST_BYTES = 1 << 20
PROGRAMMER_ERROR = -129
FLAT_PROGRAM, PARAMETERS, SECURE_LOG = "program.bin", "parameters.bin", "secure.log"
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class CallKind(IntEnum):
    """As the program numbers them."""

    NOTHING = 0
    FRAMEWORK_VERSION = 1
    VERSION = 2
    CONNECT = 3
    CLOSE = 4
    ON_HANDLE = 5
    ON_CONNECTION = 6


@dataclass(frozen=True, slots=True)
class PsaCall:
    """`service` is a handle or a SID, as the kind wants it; `expected` what the call has to return. `is_alone`: it needs none of
    the calls before it, so that it can be attacked."""

    name: str
    kind: CallKind
    service: int = 0
    version: int = 1
    type: int = 0
    inputs: tuple[bytes, ...] = ()
    outputs: tuple[int, ...] = ()
    expected: int = 0
    is_swept: bool = True
    is_alone: bool = True


@dataclass(frozen=True, slots=True)
class PsaSubject:
    """`images` are files with the address that they are loaded at, None for an ELF file, which knows. `veneers` are addresses in the order
    of VENEERS, 0 where there is none; the shifts are those of the counts in the second argument of its psa_call veneer."""

    name: str
    machine: str
    images: tuple[tuple[Path, int | None], ...]
    veneers: tuple[int, ...]
    in_shift: int
    out_shift: int
    code: int
    ram: int
    ram_bytes: int
    console: int
    calls: tuple[PsaCall, ...]
    symbols: tuple[Path, ...] = ()

    @property
    def mark_address(self) -> int:
        """Where a call of the veneer that marks are made with is seen to begin."""
        return (self.veneers[0] & ~1) + SG_BYTES


Status = Annotated[int, msgspec.Meta(ge=-(1 << 31), lt=1 << 31)]
Type = Annotated[int, msgspec.Meta(ge=-(1 << 31), lt=1 << 32)]
Shift = Annotated[int, msgspec.Meta(ge=0, lt=32)]
Veneer = Annotated[str, msgspec.Meta(pattern=r"^[^{}]*\{\}[^{}]*\Z")]


class _Image(msgspec.Struct, forbid_unknown_fields=True):
    file: Name
    address: Word | None = None


class _Veneers(msgspec.Struct, forbid_unknown_fields=True):
    file: Name
    names: Veneer = "tfm_psa_{}_veneer"
    in_shift: Shift = 24
    out_shift: Shift = 16


class _NonSecure(msgspec.Struct, forbid_unknown_fields=True):
    code: Word = 0x00100000
    ram: Word = 0x28100000
    ram_bytes: Word = 0x00100000
    console: Word = 0x40200000


class _Version(msgspec.Struct, forbid_unknown_fields=True):
    sid: Word = 0
    expect: Status = 0


class _Call(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    handle: Word | None = None
    sid: Word | None = None
    version: Word = 1
    type: Type = 0
    inputs: list[int | str] = msgspec.field(default_factory=list, name="in")
    outputs: list[int] = msgspec.field(default_factory=list, name="out")
    expect: Status = 0
    sweep: bool = True
    alone: bool = True


class _File(msgspec.Struct, forbid_unknown_fields=True):
    image: list[_Image]
    veneers: _Veneers
    name: Text = ""
    machine: str = MACHINES[0]
    made_by: Text = ""
    symbols: list[Name] = msgspec.field(default_factory=list)
    non_secure: _NonSecure = msgspec.field(default_factory=_NonSecure)
    version: _Version = msgspec.field(default_factory=_Version)
    call: list[_Call] = msgspec.field(default_factory=list)


def load_psa_subject(reference: Path) -> PsaSubject:
    """A subject's TOML file, with the files that it names beside it, or the name of one of latlab's own. Raises UsageError where one is
    missing, DataError for the rest."""
    path, folder = subject_file(reference)
    file_fields = read_toml(path, _File, "docs/reference/subject-files.md")
    if file_fields.machine not in MACHINES:
        raise UsageError(
            f"the program is not built for a machine {file_fields.machine!r}; there are {', '.join(MACHINES)}",
            value=file_fields.machine,
            place=path,
        )
    if not file_fields.image:
        raise DataError("it has no [[image]]", "name the secure image", place=path)
    non_secure = file_fields.non_secure
    for file in (*(image.file for image in file_fields.image), file_fields.veneers.file):
        if not (folder / file).is_file():
            raise no_image(f"{reference}: ", folder / file, file_fields.made_by)
    images = tuple((folder / image.file, image.address) for image in file_fields.image)
    return PsaSubject(
        file_fields.name or path.stem,
        file_fields.machine,
        images,
        _veneers(path, folder / file_fields.veneers.file, file_fields.veneers.names),
        file_fields.veneers.in_shift,
        file_fields.veneers.out_shift,
        non_secure.code,
        non_secure.ram,
        non_secure.ram_bytes,
        non_secure.console,
        _calls(path, file_fields),
        tuple(folder / symbol_file for symbol_file in file_fields.symbols),
    )


def find_psa_program() -> Path:
    for base in search_folders():
        if (path := base / PROGRAM).is_file():
            refuse_stale(path, "spm")
            return path
    raise not_built(f"{PROGRAM} is in none of {', '.join(map(str, search_folders()))}", "spm")


def command_line(qemu: Qemu, subject: PsaSubject, folder: Path, priority: int, parameters_at: int = 0) -> tuple[str, ...]:
    """Standard output is the first serial port. The program and its parameters lie in `folder`, where the second port's log goes; the
    parameters go to the start of the non-secure RAM, or `parameters_at` bytes behind it."""
    check_priority(priority)
    elves = [file for file, address in subject.images if address is None]
    raw = [(file, address) for file, address in subject.images if address is not None]
    raw += [(folder / FLAT_PROGRAM, subject.code), (folder / PARAMETERS, subject.ram + parameters_at)]
    options = [
        ("-M", subject.machine),
        clock(ICOUNT_SHIFT),
        *((("-kernel", str(elves[0])),) if elves else ()),
        *map(loaded, elves[1:]),
        *(loaded(file, address) for file, address in raw),
        *HEADLESS,
        *serial_ports(folder / SECURE_LOG),
        SEMIHOSTING,
        NO_NETWORK,
    ]
    return line(qemu.path, options, "-no-reboot")


def attack_command_line(qemu: Qemu, subject: PsaSubject, folder: Path, parameters_at: int) -> tuple[str, ...]:
    """The same with both serial ports on the standard output, in their order, and a machine that starts again after a reset."""
    command = command_line(qemu, subject, folder, 0, parameters_at)
    words = ["chardev:consoles" if before == "-serial" else word for before, word in zip(("", *command), command, strict=False)]
    return (*(word for word in words if word != "-no-reboot"), "-chardev", "stdio,id=consoles,mux=on,signal=off")


def _veneers(path: Path, file: Path, names: str) -> tuple[int, ...]:
    """The first is the one that every such firmware has, and by which calls are marked."""
    symbols = addresses_of(file)
    addresses = tuple(symbols.get(names.format(veneer), 0) for veneer in VENEERS)
    if not addresses[0]:
        raise DataError(
            f"{file.name} has no symbol {names.format(VENEERS[0])}",
            'name the import library of the secure image, and the names of its veneers as names = "tfm_psa_{}_veneer"',
            place=path,
        )
    return tuple(address | 1 if address else 0 for address in addresses)


def _calls(path: Path, file_fields: _File) -> tuple[PsaCall, ...]:
    """What every firmware can be asked, then what the file lists. The first call that needs a connection is what is connected to."""
    own_calls = [_call(path, entry) for entry in file_fields.call]
    calls = [
        PsaCall("nothing", CallKind.NOTHING),
        PsaCall("framework_version", CallKind.FRAMEWORK_VERSION, expected=0x0101),
        PsaCall("version", CallKind.VERSION, file_fields.version.sid, expected=file_fields.version.expect),
        PsaCall("refused", CallKind.ON_HANDLE, expected=PROGRAMMER_ERROR),
    ]
    connected = next((call for call in own_calls if call.kind is CallKind.ON_CONNECTION), None)
    if connected is not None:
        blank = replace(connected, inputs=(), outputs=(), expected=0)
        calls += [replace(blank, name=name, kind=kind) for name, kind in (("connect", CallKind.CONNECT), ("close", CallKind.CLOSE))]
    names = [call.name for call in (*calls, *own_calls)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise DataError(f"two calls are named {twice!r}", value=twice, place=path)
    return (*calls, *own_calls)


def _call(path: Path, entry: _Call) -> PsaCall:
    if not _NAME.fullmatch(entry.name):
        raise DataError(f"name = {entry.name!r}: a call's name has small letters, digits and _", value=entry.name, place=path)
    if (entry.handle is None) == (entry.sid is None):
        raise DataError(f"the call {entry.name} is on one of handle = or sid =", place=path)
    if len(entry.inputs) + len(entry.outputs) > MOST_VECTORS:
        raise DataError(f"the call {entry.name} has more than {MOST_VECTORS} vectors; PSA allows no more", place=path)
    for size in entry.outputs:
        if not 0 <= size <= MOST_BYTES:
            raise DataError(f"the call {entry.name} has an output of {size} bytes", f"name 0 to {MOST_BYTES}", place=path)
    kind = CallKind.ON_CONNECTION if entry.handle is None else CallKind.ON_HANDLE
    service = entry.sid if entry.handle is None else entry.handle
    assert service is not None
    inputs = tuple(_input(path, entry.name, input_value) for input_value in entry.inputs)
    return PsaCall(
        entry.name, kind, service, entry.version, entry.type, inputs, tuple(entry.outputs), entry.expect, entry.sweep, entry.alone
    )


def _input(path: Path, name: str, value: int | str) -> bytes:
    """So many bytes of a pattern, or the bytes themselves in hexadecimal."""
    if isinstance(value, int):
        if not 0 <= value <= MOST_BYTES:
            raise DataError(f"the call {name} has an input of {value} bytes", f"name 0 to {MOST_BYTES}", place=path)
        return bytes(i * 7 & 0xFF for i in range(value))
    try:
        return bytes.fromhex(value)
    except ValueError as error:
        raise DataError(f"the call {name} has an input {value!r}", "write its size, or its bytes in hexadecimal", place=path) from error
