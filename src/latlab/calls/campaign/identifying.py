# SPDX-License-Identifier: BSD-3-Clause
"""What to run on files of somebody's firmware: found out from their contents, with every assumption said; and what is ready."""

from __future__ import annotations

import gzip
import lzma
import re
import tomllib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BufferedIOBase
from pathlib import Path

from latlab.calls.readers.firmware_files import FileKind, FirmwareFile, identified
from latlab.calls.targets.boards import BOARDS, EmulatedBoard, board_of
from latlab.calls.targets.subject import FirmwareImage, Subject
from latlab.calls.targets.subject_file import FOLDER as READY
from latlab.calls.targets.traces import is_snapshot
from latlab.core.errors import DataError, UsageError

PACKAGE_AT = 0x40000
OWN_CALLS = (FileKind.FLASH, FileKind.PACKAGE, FileKind.BL1, FileKind.BL31, FileKind.EL3, FileKind.OPENSBI, FileKind.RUSTSBI)
SBI = (FileKind.OPENSBI, FileKind.RUSTSBI)
CALLERS = (FileKind.KERNEL, FileKind.XEN, FileKind.UBOOT, FileKind.UEFI, FileKind.EFI)
HOLD_NONE = {
    FileKind.ROM: "which a PC's firmware or its UEFI runs, and which offers no calls; name the firmware",
    FileKind.TREE: "which describes a machine and has no code; name the firmware",
    FileKind.FIT: "which holds others; take the firmware out of it with dumpimage, and name that",
}
PROBED = ("aarch64", "arm", "riscv")
BEGIN_BYTES = 1 << 16
MOST_BYTES = 512 << 20
COMPRESSED: dict[bytes, Callable[[Path], BufferedIOBase]] = {b"\x1f\x8b": gzip.GzipFile, b"\xfd7zXZ": lzma.LZMAFile}
ZSTD = b"\x28\xb5\x2f\xfd"
TARMAC_LINE = re.compile(rb"^Tarmac Text Rev|^ *[\d.]+ ?(?:clk|ps|ns|us|cyc|tic|cs) +(?:\S+ +)?(?:IT|IS|ES|R) [ (A-Za-z\d]", re.MULTILINE)
KNOWN = (
    "TF-A (bl1.bin and fip.bin, both in one flash image, or bl31.bin of the Raspberry Pi 4), OpenSBI, RustSBI, "
    "and ELF files with their symbols"
)


@dataclass(frozen=True, slots=True)
class Named:
    """A file of the user's and what it is."""

    path: Path
    what: FirmwareFile

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


@dataclass(frozen=True, slots=True)
class Look:
    """What to measure: `subject` by the psci campaign, or `sbi`, an image of SBI, by the sbi campaign. `said` are the sentences on what
    the files are and what is assumed."""

    said: tuple[str, ...]
    symbols: tuple[Path, ...]
    subject: Subject | None = None
    sbi: Path | None = None


@dataclass(frozen=True, slots=True)
class ReadySubject:
    """`campaign` is what measures it; `made_by` the command that builds its images, in the folder that this runs in."""

    name: str
    campaign: str
    made_by: str


def ready_subjects() -> tuple[ReadySubject, ...]:
    return tuple(_ready(path) for path in sorted(READY.glob("*.toml")))


def _ready(path: Path) -> ReadySubject:
    keys = tomllib.loads(path.read_text("utf-8"))
    campaign = "psa" if "veneers" in keys else "sbi" if "firmware" in keys else "psci"
    return ReadySubject(path.stem, campaign, keys["made_by"])


def is_trace(path: Path) -> bool:
    """Whether its beginning has a line of Tarmac, or it is a snapshot folder of CoreSight."""
    if is_snapshot(path):
        return True
    if not path.is_file():
        return False
    begin = _begin_of(path)
    if begin.startswith(ZSTD):
        return ".tarmac" in path.name or path.name.startswith("tarmac")
    return TARMAC_LINE.search(begin) is not None


def _begin_of(path: Path) -> bytes:
    """The first bytes, of gzip and xz as they are inside; as they are where they are damaged."""
    with path.open("rb") as file:
        begin = file.read(BEGIN_BYTES)
    opened = next((open_inside for magic, open_inside in COMPRESSED.items() if begin.startswith(magic)), None)
    if opened is None:
        return begin
    try:
        with opened(path) as inside:
            return inside.read(BEGIN_BYTES)
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        return begin


def read_files(paths: Sequence[Path]) -> tuple[Named, ...]:
    """Raises UsageError for what is no file, DataError for what is empty or damaged."""
    return tuple(Named(path, _read(path)) for path in paths)


def _read(path: Path) -> FirmwareFile:
    if path.is_dir():
        raise UsageError(f"{path} is a folder without snapshot.ini", "name its files")
    if not path.is_file():
        raise UsageError("no such file", "name the images of a firmware and their ELF files", place=path)
    if path.stat().st_size > MOST_BYTES:
        raise UsageError(f"more than {MOST_BYTES >> 20} MiB, and no firmware is so large", "name its images and ELF files", place=path)
    data = path.read_bytes()
    if not data:
        raise DataError("an empty file, 0 bytes", "build the firmware again", place=path)
    try:
        return identified(data)
    except DataError as error:
        raise DataError(str(error), place=path) from error


def look(files: Sequence[Named], on: str | None = None) -> Look:
    """Raises UsageError with one sentence for what the files do not tell or what cannot be measured."""
    unknown = next((firmware_file for firmware_file in files if firmware_file.what.kind is FileKind.OTHER), None)
    if unknown:
        raise UsageError(f"its content is unknown; latlab recognises {KNOWN}", place=unknown.path)
    firmware = [firmware_file for firmware_file in files if firmware_file.what.kind in OWN_CALLS]
    if not firmware:
        raise UsageError(_no_firmware(files[0]))
    _check_one(firmware)
    symbols = tuple(
        firmware_file.path for firmware_file in files if firmware_file.what.has_symbols and firmware_file.what.arch == firmware[0].what.arch
    )
    descriptions = tuple(str(firmware_file) for firmware_file in files)
    if firmware[0].what.kind in SBI:
        return _sbi(firmware, descriptions, symbols, on)
    subject, assumed = _subject(firmware, on)
    return Look((*descriptions, *assumed), symbols, replace(subject, symbols=symbols))


def _check_one(firmware: Sequence[Named]) -> None:
    """One firmware: an image, BL1 and its package, or the image of an SBI and its ELF file."""
    kinds = [firmware_file.what.kind for firmware_file in firmware]
    is_pair = len(kinds) == 2 and (set(kinds) == {FileKind.BL1, FileKind.PACKAGE} or set(kinds) in ({kind} for kind in SBI))
    if len(kinds) > 1 and not is_pair:
        raise UsageError(f"{firmware[0]}, and {firmware[1]}: they are different firmware", "name one at a time")


def _no_firmware(firmware_file: Named) -> str:
    if firmware_file.what.arch not in ("", *PROBED):
        return f"{firmware_file}, a processor that the probe does not support; it supports AArch64, Armv8-M and RISC-V"
    if firmware_file.what.kind in HOLD_NONE:
        return f"{firmware_file}, {HOLD_NONE[firmware_file.what.kind]}"
    if firmware_file.what.arch == "arm" and not firmware_file.what.is_m_profile:
        return f"{firmware_file}, and it is not marked for an M-profile core; the probe does not support AArch32 otherwise"
    if firmware_file.what.kind is FileKind.ELF:
        return _alone(firmware_file)
    if firmware_file.what.kind in CALLERS and not firmware_file.what.is_machine_mode:
        emulator = {"aarch64": "qemu-system-aarch64", "riscv": "qemu-system-riscv64"}.get(firmware_file.what.arch, "qemu-system-...")
        return f"{firmware_file}, which calls firmware; name the firmware, or record the calls with `latlab watch -- {emulator} ...`"
    return f"{firmware_file} in M-mode, where it offers no calls; name a firmware that does, such as OpenSBI"


def _alone(firmware_file: Named) -> str:
    if firmware_file.what.arch == "arm":
        return (
            f"{firmware_file}; the secure partition manager of an M-profile "
            f"core has its "
            f"entries in its "
            f"import library. "
            f"Write a subject file "
            "with both (docs/reference/campaign-psa.md) for `latlab run psa --subject`"
        )
    has = "symbols" if firmware_file.what.has_symbols else "no symbols"
    example = "fw_dynamic.bin" if firmware_file.what.arch == "riscv" else "bl1.bin with fip.bin"
    return f"{firmware_file} with {has}, which a machine cannot start; name the flat image too (such as {example})"


def _sbi(firmware: Sequence[Named], descriptions: tuple[str, ...], symbols: tuple[Path, ...], on: str | None) -> Look:
    firmware_file = next((candidate for candidate in firmware if not candidate.what.is_elf), firmware[0])
    if firmware_file.what.is_elf and firmware_file.what.kind is FileKind.OPENSBI:
        raise UsageError(
            f"{firmware_file} as an ELF file, which QEMU does not load at its address", "name the flat image too (such as fw_dynamic.bin)"
        )
    if firmware_file.what.bits != 64:
        raise UsageError(
            f"{firmware_file} for harts of {firmware_file.what.bits} bits; the program that makes the calls is for 64, name that build"
        )
    if on not in (None, "virt"):
        raise UsageError(f"--machine {on}: SBI is measured on virt alone", "leave it out", value=on)
    return Look((*descriptions, "assumed: the machine virt of qemu-system-riscv64"), symbols, sbi=firmware_file.path)


def _subject(firmware: Sequence[Named], on: str | None) -> tuple[Subject, tuple[str, ...]]:
    by_kind = {image_file.what.kind: image_file for image_file in firmware}
    if FileKind.FLASH in by_kind:
        firmware_file = by_kind[FileKind.FLASH]
        return _of_package(firmware_file, firmware_file, (FirmwareImage(firmware_file.path, flash=0, takes_program=True),), on)
    if FileKind.BL1 in by_kind or FileKind.PACKAGE in by_kind:
        return _of_two(by_kind.get(FileKind.BL1), by_kind.get(FileKind.PACKAGE), on)
    firmware_file = firmware[0]
    board, assumed = _board(firmware_file, on)
    if firmware_file.what.kind is FileKind.BL31 and board.is_flashed:
        raise UsageError(f"{firmware_file}, which {board.name} does not start with", "name bl1.bin and fip.bin of the same build")
    image = FirmwareImage(firmware_file.path, flash=0) if board.is_flashed else FirmwareImage(firmware_file.path, address=0)
    return _subject_on(firmware_file, board, (image,), board.options), assumed


def _of_two(bl1: Named | None, package: Named | None, on: str | None) -> tuple[Subject, tuple[str, ...]]:
    if bl1 is None or package is None:
        given_file, missing = (package, "BL1 (bl1.bin)") if bl1 is None else (bl1, "the package (fip.bin)")
        raise UsageError(f"{given_file}; it does not start alone", f"name {missing} of the same build too")
    images = (FirmwareImage(bl1.path, flash=0), FirmwareImage(package.path, flash=PACKAGE_AT, takes_program=True))
    subject, assumed = _of_package(bl1, package, images, on)
    return subject, (*assumed, f"assumed: the package lies at {PACKAGE_AT:#x} of the flash, as TF-A's platform qemu has it")


def _of_package(firmware_file: Named, package: Named, images: tuple[FirmwareImage, ...], on: str | None) -> tuple[Subject, tuple[str, ...]]:
    identity = replace(firmware_file.what, machine=firmware_file.what.machine or package.what.machine)
    board, assumed = _board(replace(firmware_file, what=identity), on)
    options = board.options.replace("gic-version=2", f"gic-version={package.what.gic}")
    note = f"its code drives a GICv{package.what.gic}; the program that makes the calls replaces its BL33"
    return _subject_on(firmware_file, board, images, options), (*assumed, note)


def _subject_on(firmware_file: Named, board: EmulatedBoard, images: tuple[FirmwareImage, ...], options: str) -> Subject:
    name = " ".join(part for part in (firmware_file.path.name, firmware_file.what.version) if part)
    return Subject(name, board, images, options, board.cpu, board.cores, (), board.cores_stay_on, board.is_deterministic)


def _board(firmware_file: Named, on: str | None) -> tuple[EmulatedBoard, tuple[str, ...]]:
    if on is not None:
        return board_of(on), ()
    if not firmware_file.what.machine:
        advice = f"if it is one of {', '.join(BOARDS)}, name it with --machine, else it does not run here"
        raise UsageError(f"{firmware_file}; its machine is unknown; {advice}")
    board = board_of(firmware_file.what.machine)
    cpu = f", {board.cpu}" if board.cpu else ""
    return board, (f"it is for QEMU's {board.name}, by its messages; assumed: {board.cores} cores{cpu}",)
