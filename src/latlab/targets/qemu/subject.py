# SPDX-License-Identifier: BSD-3-Clause
"""Firmware of somebody else: its images, where they go, the machine they are for, and the command line that runs a program on it."""

from __future__ import annotations

import struct
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from latlab.errors import DataError, UsageError
from latlab.formats.fip import with_bl33
from latlab.targets.qemu.boards import BOARDS, PROGRAM, Board, board_of
from latlab.targets.qemu.images import FIRMWARE_BIN, FIRMWARE_ELF, PLATFORM, search_folders
from latlab.targets.qemu.qemu import ICOUNT_SHIFT, PARAMS_MAGIC, Qemu

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
    """`provenance` is what is known of the build that the images are of, by key."""

    name: str
    board: Board
    images: tuple[FirmwareImage, ...]
    options: str
    cpu: str | None
    cores: int
    symbols: tuple[Path, ...] = ()
    cores_stay_on: bool = False
    is_deterministic: bool = True
    provenance: tuple[tuple[str, str], ...] = ()


def own_subject(board_name: str) -> Subject:
    """Our own firmware, as the build folder or the package has it. Raises UsageError where it does not run."""
    board = board_of(board_name)
    if board.own is None:
        others = " or ".join(f"--on {other.name}" for other in BOARDS.values() if other.own)
        raise UsageError(f"latlab's own firmware does not run on {board.name}; name another with --firmware or --subject, or use {others}")
    firmware = _built(board, FIRMWARE_BIN)
    images = (_where_it_starts(board, firmware),)
    return Subject(board.own, board, images, board.options, board.cpu, board.cores, (_built(board, FIRMWARE_ELF),))


def subject_of_file(firmware: Path, board_name: str) -> Subject:
    """One image, where its machine starts."""
    board = board_of(board_name)
    image, stays, turns = _where_it_starts(board, firmware), board.cores_stay_on, board.is_deterministic
    return Subject(firmware.name, board, (image,), board.options, board.cpu, board.cores, (), stays, turns)


def placed(subject: Subject, folder: Path = Path()) -> Subject:
    """The subject with the files in this folder that have no absolute path. Raises UsageError where an image is not there, DataError where
    it cannot be code as it stands in memory."""
    images = tuple(replace(image, file=folder / image.file) for image in subject.images)
    for image in images:
        if not image.file.is_file():
            raise UsageError(f"{image.file}: no such file; name an image of the firmware")
        with image.file.open("rb") as file:
            start = file.read(len(ELF_MAGIC))
        if not start:
            raise DataError(f"{image.file}: an empty file, 0 bytes; build the firmware again")
        if start == ELF_MAGIC:
            raise DataError(f"{image.file}: an ELF file, which no machine starts; name the flat image (`objcopy -O binary`)")
    return replace(subject, images=images, symbols=tuple(folder / path for path in subject.symbols))


def load_subject(path: Path, folder: Path | None = None) -> Subject:
    """A subject's TOML file; the files that it names stand beside it, or in `folder`."""
    folder = path.parent if folder is None else folder
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); name the subject's TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not TOML ({error})") from error
    known = {"name", "machine", "options", "cpu", "cores", "cores_stay_on", "takes_turns", "symbols", "image"}
    unknown = sorted(set(data) - known)
    if unknown:
        raise DataError(f"{path}: {unknown[0]!r} means nothing here; a subject has {', '.join(sorted(known))}")
    board = board_of(_text(path, data, "machine", "virt"))
    images = data.get("image")
    if not isinstance(images, list) or not images:
        raise DataError(f"{path}: it has no [[image]]; name at least one file with flash = or address =")
    cores = data.get("cores", board.cores)
    if not isinstance(cores, int) or not 1 <= cores <= board.most_cores:
        raise DataError(f"{path}: cores = {cores!r}; the program knows 1 to {board.most_cores} on {board.name}")
    symbols = data.get("symbols", [])
    if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
        raise DataError(f"{path}: symbols is a list of ELF files")
    return Subject(
        _text(path, data, "name", path.stem),
        board,
        tuple(_image(path, folder, each) for each in images),
        _text(path, data, "options", board.options),
        data.get("cpu", board.cpu),
        cores,
        tuple(folder / each for each in symbols),
        _flag(path, data, "cores_stay_on", board.cores_stay_on),
        _flag(path, data, "takes_turns", board.is_deterministic),
    )


def find_program(board: Board) -> Path:
    return _built(board, f"{board.program}.elf")


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
        *(("-device", f"loader,file={_escaped(image.file)},addr={image.address:#x},force-raw=on") for image in memory),
        *(() if is_packed else _loaded(board, program, folder)),
        *(("-device", f"loader,addr={board.params + 8 * i:#x},data={value:#x},data-len=8") for i, value in enumerate(params)),
        ("-display", "none"),
        ("-monitor", "none"),
        ("-serial", "stdio"),
        ("-serial", f"file:{_escaped(folder / 'secure.log')}"),
        ("-icount", f"shift={ICOUNT_SHIFT},sleep=off") if subject.is_deterministic else ("-accel", "tcg,thread=multi"),
    ]
    if any(image.flash is not None for image in subject.images):
        flash = folder / "flash.bin"
        flash.write_bytes(flash_of(subject, program))
        options.append(("-bios", str(flash)))
    return (str(qemu.path), *(part for option in options for part in option), *board.words, "-no-reboot")


def _loaded(board: Board, program: Path, folder: Path) -> tuple[tuple[str, str], ...]:
    """The program in memory, and where its machine enters the normal world elsewhere, a jump to it. That place is flash, which only
    takes files."""
    in_memory = ("-device", f"loader,file={_escaped(program)}")
    if board.entered_at is None:
        return (in_memory,)
    jump = folder / "jump.bin"
    jump.write_bytes(struct.pack("<2IQ", LDR_X4_BEHIND, BR_X4, _entry_of(program)))
    return (in_memory, ("-device", f"loader,file={_escaped(jump)},addr={board.entered_at:#x},force-raw=on"))


def _entry_of(program: Path) -> int:
    from elftools.elf.elffile import ELFFile

    with program.open("rb") as stream:
        return int(ELFFile(stream)["e_entry"])


def flash_of(subject: Subject, program: Path) -> bytes:
    """The images in flash, each at its place. Raises DataError where two overlap."""
    flash = bytearray()
    for image in sorted((each for each in subject.images if each.flash is not None), key=lambda each: each.flash or 0):
        assert image.flash is not None
        data = image.file.read_bytes()
        if image.takes_program:
            data = with_bl33(data, flat_program(program), str(image.file))
        if image.flash < len(flash):
            raise DataError(f"{image.file}: at {image.flash:#x} of the flash it overlaps the image that ends at {len(flash):#x}")
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


def _image(path: Path, folder: Path, entry: Any) -> FirmwareImage:
    known = {"file", "flash", "address", "payload"}
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str) or set(entry) - known:
        raise DataError(f'{path}: an [[image]] has a file, flash = or address =, and payload = "bl33" where the program takes its place')
    flash, address = entry.get("flash"), entry.get("address")
    if (flash is None) == (address is None) or not isinstance(flash if address is None else address, int):
        raise DataError(f"{path}: the image {entry['file']} goes to one place: flash = OFFSET or address = ADDRESS")
    if entry.get("payload", "bl33") != "bl33":
        raise DataError(f'{path}: payload = {entry["payload"]!r}; the program can take the place of "bl33" only')
    return FirmwareImage(folder / entry["file"], flash, address, "payload" in entry)


def _built(board: Board, name: str) -> Path:
    """A file of the board's own build; the programs are in every build."""
    builds = tuple(dict.fromkeys(each for each in (board.own, PLATFORM if name.startswith(PROGRAM) else None) if each))
    for base in search_folders():
        for build in builds:
            if (path := base / build / name).is_file():
                return path
    raise UsageError(f"{builds[0]}/{name} is in none of {', '.join(map(str, search_folders()))}; build it with `make firmware`")


def _where_it_starts(board: Board, firmware: Path) -> FirmwareImage:
    return FirmwareImage(firmware, flash=0) if board.is_flashed else FirmwareImage(firmware, address=0)


def _flag(path: Path, data: Mapping[str, Any], key: str, default: bool) -> bool:
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise DataError(f"{path}: {key} = {value!r} is neither true nor false")
    return value


def _text(path: Path, data: Mapping[str, Any], key: str, default: str) -> str:
    value = data.get(key, default)
    if not isinstance(value, str):
        raise DataError(f"{path}: {key} = {value!r} is no text")
    return value


def _escaped(path: Path) -> str:
    return str(path).replace(",", ",,")
