# SPDX-License-Identifier: BSD-3-Clause
"""What a firmware's file is, by its content: never by its name."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from typing import Any

from latlab.calls.readers.fip import package_at
from latlab.core.errors import DataError

ELF_MAGIC = b"\x7fELF"
FIRMWARE_VOLUME, FIRMWARE_VOLUME_AT = b"_FVH", 40
ARM64_KERNEL, RISCV_KERNEL, KERNEL_MAGIC_AT = b"ARM\x64", b"RSC\x05", 56
DEVICE_TREE = b"\xd0\x0d\xfe\xed"
GZIP = b"\x1f\x8b"
READS_MHARTID = re.compile(rb"[\x73\xf3][\x20-\x2f]\x40\xf1")  # csrr, which M-mode alone may
WRITES_ICC_SRE_EL3 = re.compile(rb"[\xa0-\xbf]\xcc\x1e\xd5")  # a debug build for a GICv2 reads it, to print it
TFA_VERSION = re.compile(rb"v\d+\.\d+[\w.\-]*\((?:release|debug)\)")
OPENSBI_VERSION = b"OpenSBI v%d.%d"
XEN_GREETING, LINUX_GREETING = b"Xen version %d.%d", b"Linux version "
UBOOT_VERSION = re.compile(rb"U-Boot (?:SPL )?20\d\d\.\d\d[^\s\0]*")
UBOOT_ARCH = re.compile(rb"\0arch=(\w+)\0")
RUSTSBI_GREETING = b"Hello RustSBI!"
ELF_ARCHES = {"EM_AARCH64": "aarch64", "EM_ARM": "arm", "EM_RISCV": "riscv"}
OWN_BUILD = re.compile(rb"latlab EL3 firmware: latlab-psci-([\w.]+);(\w+)")
OWN_BOARDS = {"qemu_virt": "virt", "raspi4": "raspi4b", "sbsa_ref": "sbsa-ref"}
OPTION_ROM, EFI_PROGRAM, PE_AT = b"\x55\xaa", b"MZ", 60
PE_ARCHES = {0xAA64: "aarch64", 0x8664: "x86_64", 0x14C: "386", 0x5064: "riscv", 0x1C2: "arm"}
NOT_OURS = {b"SeaBIOS": ("SeaBIOS", "x86"), b"QBOOT": ("qboot", "x86"), b"SLOF": ("SLOF", "ppc")}
WRAPPED = {
    GZIP: "compressed by gzip; unpack it with gunzip",
    b"\xfd7zXZ\0": "compressed by xz; unpack it with unxz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd; unpack it with unzstd",
    b"S0": "S-records; make them flat with objcopy -I srec -O binary",
    b"!<arch>\n": "an archive, such as a package; unpack it",
}
"""What firmware comes in, by how it begins, and what to do first."""
M_PROFILE = ord("M")
RV64_ONLY = {0x03: (0x30,), 0x23: (0x30,), 0x1B: (0x00, 0x10, 0x50)}  # ld, sd; addiw, slliw and their like: opcode and bits 12 to 14


class FileKind(Enum):
    """What a file is for. A FLASH is BL1 with the package behind it."""

    BL1 = "TF-A's BL1"
    PACKAGE = "TF-A's firmware image package"
    FLASH = "TF-A's BL1 with its firmware image package"
    BL31 = "TF-A's BL31"
    EL3 = "latlab's EL3 firmware"
    OPENSBI = "OpenSBI"
    RUSTSBI = "RustSBI's prototyper"
    KERNEL = "Linux"
    XEN = "Xen"
    UBOOT = "U-Boot"
    UEFI = "a UEFI firmware volume"
    ELF = "an ELF file"
    EFI = "an EFI program"
    ROM = "an option ROM"
    FIT = "a FIT image"
    TREE = "a device tree"
    FOREIGN = ""
    OTHER = "not known"


@dataclass(frozen=True, slots=True)
class FirmwareFile:
    """`arch` is aarch64, arm, riscv, another name, or empty where nothing says it; `machine` is the board of QEMU that it says it is for,
    or empty; `version` as the file prints it, or the name of FOREIGN
    firmware; `gic` the version of the interrupt controller that its code drives. `is_machine_mode` is
    of U-Boot on RISC-V, `is_m_profile` of an ELF file for Arm's microcontrollers."""

    kind: FileKind
    arch: str = ""
    bits: int = 64
    machine: str = ""
    version: str = ""
    gic: int = 2
    is_elf: bool = False
    has_symbols: bool = False
    is_machine_mode: bool = False
    is_m_profile: bool = False

    def __str__(self) -> str:
        return " ".join(part for part in (self.kind.value, self.version, f"({self.arch})" if self.arch else "") if part)


def identified(data: bytes) -> FirmwareFile:
    """Raises DataError where it says what it is and is damaged, or has to be unpacked first."""
    if data.startswith(ELF_MAGIC):
        return _elf(data)
    wrapped = next((format_name for begin, format_name in WRAPPED.items() if data.startswith(begin)), None)
    if wrapped:
        raise DataError(wrapped)
    if data.count(data[:1]) == len(data):
        raise DataError(f"nothing but bytes of {data[0]:#04x}", "build the firmware again")
    if data.startswith(DEVICE_TREE):
        return FirmwareFile(FileKind.FIT if b"configurations" in data else FileKind.TREE)
    package = package_at(data)
    if package is not None:
        return _with_package(data, package)
    own_build = OWN_BUILD.search(data)
    if own_build:
        return FirmwareFile(FileKind.EL3, "aarch64", machine=OWN_BOARDS.get(own_build[2].decode(), ""), version=own_build[1].decode())
    if b"Booting Trusted Firmware" in data and b"BL1: " in data:
        return FirmwareFile(FileKind.BL1, "aarch64", machine=_machine_of(data), version=_version(TFA_VERSION, data))
    if b"BL31: " in data:
        return FirmwareFile(FileKind.BL31, "aarch64", machine=_machine_of(data), version=_version(TFA_VERSION, data))
    sbi = _sbi(data)
    if sbi:
        return FirmwareFile(sbi, "riscv", 64 if _is_rv64(data) else 32)
    return _normal_world(data)


def _sbi(data: bytes) -> FileKind | None:
    if OPENSBI_VERSION in data:
        return FileKind.OPENSBI
    return FileKind.RUSTSBI if RUSTSBI_GREETING in data else None


def _normal_world(data: bytes) -> FirmwareFile:
    magic = data[KERNEL_MAGIC_AT : KERNEL_MAGIC_AT + 4]
    if magic in (ARM64_KERNEL, RISCV_KERNEL) and (kind := _under_kernel_header(data)):
        return FirmwareFile(kind, "aarch64" if magic == ARM64_KERNEL else "riscv")
    if data[FIRMWARE_VOLUME_AT : FIRMWARE_VOLUME_AT + 4] == FIRMWARE_VOLUME or FIRMWARE_VOLUME in data[: 1 << 16]:
        return FirmwareFile(FileKind.UEFI)
    if data.startswith(EFI_PROGRAM):
        return FirmwareFile(FileKind.EFI, _arch_of_pe(data))
    if data.startswith(OPTION_ROM):
        return FirmwareFile(FileKind.ROM)
    if UBOOT_VERSION.search(data):
        arch = UBOOT_ARCH.search(data)
        name = {"arm": "aarch64" if b"\0cpu=armv8\0" in data else "arm"}.get(_text(arch), _text(arch))
        is_machine = name == "riscv" and READS_MHARTID.search(data) is not None
        return FirmwareFile(FileKind.UBOOT, name, version=_version(UBOOT_VERSION, data), is_machine_mode=is_machine)
    foreign = next((owner for word, owner in NOT_OURS.items() if word in data), None)
    return FirmwareFile(FileKind.FOREIGN, foreign[1], version=foreign[0]) if foreign else FirmwareFile(FileKind.OTHER)


def _under_kernel_header(data: bytes) -> FileKind | None:
    """Others begin with the header of Linux, so that its loaders start them; what they print sets them apart. None: U-Boot."""
    if XEN_GREETING in data:
        return FileKind.XEN
    if UBOOT_VERSION.search(data) and LINUX_GREETING not in data:
        return None
    return FileKind.KERNEL


def _arch_of_pe(data: bytes) -> str:
    at = int.from_bytes(data[PE_AT : PE_AT + 4], "little")
    return PE_ARCHES.get(int.from_bytes(data[at + 4 : at + 6], "little"), "") if data[at : at + 2] == b"PE" else ""


def _text(match: re.Match[bytes] | None) -> str:
    return match[1].decode("ascii", "replace") if match else ""


def _version(pattern: re.Pattern[bytes], data: bytes) -> str:
    match = pattern.search(data)
    return match[0].decode("ascii", "replace").removeprefix("U-Boot ") if match else ""


def _with_package(data: bytes, package: int) -> FirmwareFile:
    kind = FileKind.FLASH if package else FileKind.PACKAGE
    return FirmwareFile(kind, "aarch64", machine=_machine_of(data), version=_version(TFA_VERSION, data), gic=gic_of(data))


def gic_of(data: bytes) -> int:
    """The version of the interrupt controller that this package's code drives."""
    return 3 if WRITES_ICC_SRE_EL3.search(data) else 2


def _machine_of(data: bytes) -> str:
    """The board of QEMU that TF-A's own messages tell."""
    if b"QEMU System Power off" in data:
        return "virt"
    is_raspberry = b"rpi3: Interrupt routed to EL3" in data and b"advertise PSCI" in data
    return "raspi4b" if is_raspberry and b"cortex_a72" in data and b"cortex_a76" not in data else ""


def _is_rv64(data: bytes) -> bool:
    """Whether code at the beginning has instructions that 32-bit harts lack."""
    code = data[: 1 << 14]
    wide_opcodes = sum(1 for at in range(0, len(code) - 1, 2) if code[at + 1] & 0x70 in RV64_ONLY.get(code[at] & 0x7F, ()))
    return wide_opcodes > len(code) // 512


def _elf(data: bytes) -> FirmwareFile:
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        elf = ELFFile(BytesIO(data))
        machine, bits = str(elf["e_machine"]), int(elf.elfclass)
        end = elf["e_shoff"] + elf["e_shnum"] * elf["e_shentsize"]
        if end > len(data):
            raise DataError(f"an ELF file that is cut off: its table ends at byte {end:,}, it has {len(data):,}", "copy or build it again")
    except (ELFError, UnicodeDecodeError, ValueError) as error:
        raise DataError(f"a damaged ELF file ({error})", "build the firmware again") from error
    has_symbols, is_m_profile = False, False
    with suppress(ELFError, UnicodeDecodeError, ValueError, KeyError, IndexError):
        has_symbols = elf.get_section_by_name(".symtab") is not None
        is_m_profile = machine == "EM_ARM" and _has_m_profile(elf)
    arch = ELF_ARCHES.get(machine, machine.removeprefix("EM_").lower())
    kind = (_sbi(data) if arch == "riscv" else None) or (FileKind.UBOOT if UBOOT_VERSION.search(data) else FileKind.ELF)
    version = _version(UBOOT_VERSION, data) if kind is FileKind.UBOOT else ""
    is_machine = arch == "riscv" and READS_MHARTID.search(data) is not None
    return FirmwareFile(kind, arch, bits, "", version, 2, True, has_symbols, is_machine, is_m_profile)


def _has_m_profile(elf: Any) -> bool:
    section = elf.get_section_by_name(".ARM.attributes")
    groups = (group for part in section.iter_subsections() for group in part.iter_subsubsections()) if section else ()
    return any(
        attribute.tag == "TAG_CPU_ARCH_PROFILE" and attribute.value == M_PROFILE
        for group in groups
        for attribute in group.iter_attributes()
    )
