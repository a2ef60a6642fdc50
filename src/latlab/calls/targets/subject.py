# SPDX-License-Identifier: BSD-3-Clause
"""Firmware of somebody else: its images, where they go, the machine they are for, and the command line that runs a program on it."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from latlab.calls.readers.fip import with_bl33
from latlab.calls.readers.firmware_files import gic_of
from latlab.calls.targets.boards import PSCI_PROGRAM, EmulatedBoard, board_of
from latlab.calls.targets.subject_file import no_image, subject_file
from latlab.core.errors import DataError, UsageError
from latlab.core.targets.qemu.command import HEADLESS, clock, line, loaded, serial_ports, words
from latlab.core.targets.qemu.images import FIRMWARE_BIN, FIRMWARE_ELF, PLATFORM, search_folders
from latlab.core.targets.qemu.qemu import ICOUNT_SHIFT, PARAMS_MAGIC, Qemu
from latlab.core.targets.qemu.toml_file import Address, Name, Text, read_toml
from latlab.core.targets.tools import not_built, refuse_stale

T = TypeVar("T")

CORES_STAY_ON = 1
ELF_MAGIC = b"\x7fELF"
ERASED = b"\xff"
LDR_X4_BEHIND, BR_X4 = 0x58000044, 0xD61F0080


@dataclass(frozen=True, slots=True)
class FirmwareImage:
    """Goes into the flash at `flash`, or into memory at `address`. `takes_program`: it is a package whose BL33 becomes the program."""

    file: Path
    flash: int | None = None
    address: int | None = None
    takes_program: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """`provenance` is what is known of the build that the images are of, by key; `made_by` the command that builds
    them, where one is known."""

    name: str
    board: EmulatedBoard
    images: tuple[FirmwareImage, ...]
    options: str
    cpu: str | None
    cores: int
    symbols: tuple[Path, ...] = ()
    cores_stay_on: bool = False
    is_deterministic: bool = True
    provenance: tuple[tuple[str, str], ...] = ()
    made_by: str = ""


def own_subject(board_name: str) -> Subject:
    """Our own firmware, as the build folder or the package has it."""
    board = board_of(board_name)
    firmware = _built((board.own_build,), FIRMWARE_BIN)
    images = (_where_it_starts(board, firmware),)
    return Subject(board.own_build, board, images, board.options, board.cpu, board.cores, (_built((board.own_build,), FIRMWARE_ELF),))


def subject_of_file(firmware: Path, board_name: str) -> Subject:
    """One image, where its machine starts."""
    board = board_of(board_name)
    image, stays, turns = _where_it_starts(board, firmware), board.cores_stay_on, board.is_deterministic
    return Subject(firmware.name, board, (image,), board.options, board.cpu, board.cores, (), stays, turns)


def placed(subject: Subject, folder: Path = Path(), named_in: Path | None = None) -> Subject:
    """The subject with the files in this folder that have no absolute path; a file may have named them. Raises UsageError where an image
    is not there, DataError where it cannot be code as it stands in memory."""
    images = tuple(replace(image, file=folder / image.file) for image in subject.images)
    where = f"{named_in}: " if named_in else ""
    for image in images:
        if not image.file.is_file():
            raise no_image(where, image.file, subject.made_by)
        with image.file.open("rb") as file:
            start = file.read(len(ELF_MAGIC))
        if not start:
            raise DataError(f"{where}{image.file}: an empty file, 0 bytes", "build the firmware again")
        if start == ELF_MAGIC:
            raise DataError(f"{where}{image.file}: an ELF file, which no machine starts", "name the flat image (`objcopy -O binary`)")
    options = _with_controller(subject, images)
    return replace(subject, images=images, options=options, symbols=tuple(folder / path for path in subject.symbols))


def _with_controller(subject: Subject, images: Sequence[FirmwareImage]) -> str:
    """The machine's options, with the interrupt controller that the package drives where the subject names no options of its own."""
    package = next((image for image in images if image.takes_program), None)
    if package is None or subject.options != subject.board.options:
        return subject.options
    return subject.options.replace("gic-version=2", f"gic-version={gic_of(package.file.read_bytes())}")


class _Image(msgspec.Struct, forbid_unknown_fields=True):
    file: Name
    flash: Address | None = None
    address: Address | None = None
    payload: Literal["bl33"] | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    image: Annotated[list[_Image], msgspec.Meta(min_length=1)]
    name: Name | None = None
    machine: str = "virt"
    options: Text | None = None
    cpu: Name | None = None
    cores: int | None = None
    cores_stay_on: bool | None = None
    takes_turns: bool | None = None
    symbols: list[Name] = []
    made_by: Text = ""


def load_subject(reference: Path, folder: Path | None = None) -> Subject:
    """A subject's TOML file, or the name of one of latlab's own; the files that it names stand beside it, or in `folder`."""
    path, beside = subject_file(reference)
    folder = beside if folder is None or path != reference else folder
    file_fields = read_toml(path, _File, "docs/reference/subject-files.md")
    board = _board(path, file_fields.machine)
    cores = _or(file_fields.cores, board.cores)
    if not 1 <= cores <= board.most_cores:
        raise DataError(f"cores = {cores}; the program knows 1 to {board.most_cores} on {board.name}", place=path)
    return Subject(
        _or(file_fields.name, path.stem),
        board,
        tuple(_image(path, folder, entry) for entry in file_fields.image),
        _or(file_fields.options, board.options),
        _or(file_fields.cpu, board.cpu),
        cores,
        tuple(folder / symbol_file for symbol_file in file_fields.symbols),
        _or(file_fields.cores_stay_on, board.cores_stay_on),
        _or(file_fields.takes_turns, board.is_deterministic),
        made_by=file_fields.made_by,
    )


def rendered(subject: Subject, folder: Path) -> str:
    """The TOML file that says it all. Files below `folder`, in which it will be, are named from there, so that both may move together."""
    lines = [f"name = {_quoted(subject.name)}", f"machine = {_quoted(subject.board.name)}", f"options = {_quoted(subject.options)}"]
    lines += [f"cpu = {_quoted(subject.cpu)}"] if subject.cpu else []
    lines += [
        f"cores = {subject.cores}",
        f"cores_stay_on = {str(subject.cores_stay_on).lower()}",
        f"takes_turns = {str(subject.is_deterministic).lower()}",
        f"symbols = [{', '.join(_quoted(_below(folder, path)) for path in subject.symbols)}]",
    ]
    for image in subject.images:
        place = f"flash = {image.flash:#x}" if image.flash is not None else f"address = {image.address:#x}"
        lines += ["", "[[image]]", f"file = {_quoted(_below(folder, image.file))}", place]
        lines += ['payload = "bl33"'] if image.takes_program else []
    return "\n".join((*lines, ""))


def _below(folder: Path, file: Path) -> str:
    whole, top = file.absolute(), folder.absolute()
    return str(whole.relative_to(top) if whole.is_relative_to(top) else whole)


def _quoted(text: str) -> str:
    """A basic string of TOML, which is one of JSON."""
    return json.dumps(text, ensure_ascii=False)


def find_program(board: EmulatedBoard, name: str = PSCI_PROGRAM) -> Path:
    """That of this name for the board. Raises UsageError where it has not been built."""
    return _built((board.own_build, PLATFORM), f"{name}{board.suffix}.elf")


def command_line(
    qemu: Qemu, subject: Subject, program: Path, iterations: int, folder: Path, seed: int = 1, flags: int = 0
) -> tuple[str, ...]:
    """Standard output is the first serial port; the second goes to `secure.log` in `folder`, where the flash is put together as well.

    `flags` are those of the program, beside what the subject says.
    """
    board = subject.board
    params = (PARAMS_MAGIC, iterations, seed, subject.cores, 0, flags | (CORES_STAY_ON if subject.cores_stay_on else 0))
    memory = [image for image in subject.images if image.address is not None]
    is_packed = any(image.takes_program for image in subject.images)
    machine = ",".join(part for part in (board.name, subject.options) if part)
    options = [
        ("-M", machine),
        *((("-cpu", subject.cpu),) if subject.cpu else ()),
        ("-smp", str(subject.cores)),
        *((("-m", str(board.memory_mib)),) if board.memory_mib else ()),
        *(loaded(image.file, image.address) for image in memory),
        *(() if is_packed else _loaded(board, program, folder)),
        *words(board.params, params),
        *HEADLESS,
        *serial_ports(folder / "secure.log"),
        clock(ICOUNT_SHIFT if subject.is_deterministic else None),
    ]
    if any(image.flash is not None for image in subject.images):
        flash = folder / "flash.bin"
        flash.write_bytes(flash_of(subject, program))
        options.append(("-bios", str(flash)))
    return line(qemu.path, options, *board.words, "-no-reboot")


def _loaded(board: EmulatedBoard, program: Path, folder: Path) -> tuple[tuple[str, str], ...]:
    """The program in memory, and where its machine enters the normal world elsewhere, a jump to it. That place is flash, which only
    takes files."""
    in_memory = loaded(program)
    if board.entered_at is None:
        return (in_memory,)
    jump = folder / "jump.bin"
    jump.write_bytes(struct.pack("<2IQ", LDR_X4_BEHIND, BR_X4, _entry_of(program)))
    return (in_memory, loaded(jump, board.entered_at))


def _entry_of(program: Path) -> int:
    from elftools.elf.elffile import ELFFile

    with program.open("rb") as stream:
        return int(ELFFile(stream)["e_entry"])


def flash_of(subject: Subject, program: Path) -> bytes:
    """The images in flash, each at its place. Raises DataError where two overlap."""
    flash = bytearray()
    for image in sorted(
        (image_entry for image_entry in subject.images if image_entry.flash is not None), key=lambda image_entry: image_entry.flash or 0
    ):
        assert image.flash is not None
        data = image.file.read_bytes()
        if image.takes_program:
            data = with_bl33(data, flat_program(program), str(image.file))
        if image.flash < len(flash):
            raise DataError(f"at {image.flash:#x} of the flash it overlaps the image that ends at {len(flash):#x}", place=image.file)
        flash += ERASED * (image.flash - len(flash)) + data
    return bytes(flash)


def flat_program(program: Path) -> bytes:
    """What an ELF file puts into memory, from its first byte on, without its zeros."""
    from elftools.elf.elffile import ELFFile

    with program.open("rb") as stream:
        parts = [(part["p_paddr"], part.data()) for part in ELFFile(stream).iter_segments("PT_LOAD") if part["p_filesz"]]
    base = min(address for address, _ in parts)
    flat = bytearray(max(address + len(data) for address, data in parts) - base)
    for address, data in parts:
        flat[address - base : address - base + len(data)] = data
    return bytes(flat)


def _board(path: Path, machine: str) -> EmulatedBoard:
    try:
        return board_of(machine)
    except UsageError as error:
        raise UsageError(str(error), place=path) from error


def _image(path: Path, folder: Path, entry: _Image) -> FirmwareImage:
    if (entry.flash is None) == (entry.address is None):
        raise DataError(f"the image {entry.file} has one address: flash = OFFSET or address = ADDRESS", place=path)
    return FirmwareImage(folder / entry.file, entry.flash, entry.address, entry.payload is not None)


def _or(value: T | None, usual: T) -> T:
    return usual if value is None else value


def _built(builds: tuple[str, ...], name: str) -> Path:
    """A file of the first of these builds that has it; programs are in every build."""
    for base in search_folders():
        for build in builds:
            if (path := base / build / name).is_file():
                refuse_stale(path, build)
                return path
    raise not_built(f"{builds[0]}/{name} is in none of {', '.join(map(str, search_folders()))}", builds[0])


def _where_it_starts(board: EmulatedBoard, firmware: Path) -> FirmwareImage:
    return FirmwareImage(firmware, flash=0) if board.is_flashed else FirmwareImage(firmware, address=0)
