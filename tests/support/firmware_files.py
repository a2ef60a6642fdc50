# SPDX-License-Identifier: BSD-3-Clause
"""Files that say what they are as firmware does, and hold nothing else."""

from __future__ import annotations

import struct

from latlab.calls.readers.fip import BL33, ENTRY, HEADER, LAST, NAME

PAGE = 4096
VERSION = b"v2.12.1(release):abc\0"
FOR_VIRT = b"QEMU System Power off: with GPIO.\n\0"
FOR_RASPBERRY_4 = b"rpi3: Interrupt routed to EL3.\0Changed device tree to advertise PSCI.\0cortex_a72\0"
WRITE_SRE_EL3 = struct.pack("<I", 0xD51ECCA0)
BL1 = b"Booting Trusted Firmware\n\0BL1: %s\n\0" + VERSION
BL31 = b"BL31: %s\n\0" + VERSION
OPENSBI = struct.pack("<2I", 0x0000059B, 0x0005069B) * 64 + b"OpenSBI v%d.%d\n\0"
OPENSBI_32 = struct.pack("<I", 0x00B50533) * 128 + b"OpenSBI v%d.%d\n\0"
RUSTSBI = struct.pack("<3I", 0x0005B603, 0x00C53023, 0x00B50533) * 64 + b"Hello RustSBI!"  # ld, sd
KERNEL = bytes(56) + b"ARM\x64" + bytes(100)
XEN = b"Xen version %d.%d%s (%s %s) (%s@%s) (%s) %s %s\n\0xen_changeset\0"
UBOOT = b"\0U-Boot 2023.01 (Jan 01 2024)\0arch=riscv\0cpu=generic\0"
READ_MHARTID = struct.pack("<I", 0xF1402573)
EFI = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", 0xAA64) + bytes(100)
UEFI = bytes(40) + b"_FVH" + bytes(100)


def package(bl31: bytes) -> bytes:
    """A firmware image package of this and of a BL33."""
    parts = ((bytes(range(16)), bl31), (BL33, b"boot loader"))
    at = HEADER.size + ENTRY.size * (len(parts) + 1)
    table, data = HEADER.pack(NAME, 0x12345678, 0), b""
    for uuid, content in parts:
        table += ENTRY.pack(uuid, at + len(data), len(content), 0)
        data += content
    return table + ENTRY.pack(LAST, at + len(data), 0, 0) + data


def elf(machine: int, is_64: bool = True) -> bytes:
    """A header and no section."""
    head = b"\x7fELF" + bytes([2 if is_64 else 1, 1, 1]) + bytes(9)
    rest = struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 0, 0, 0, 64, 0, 0, 64, 0, 0)
    rest_32 = struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0, 0, 0, 0, 52, 0, 0, 40, 0, 0)
    return head + (rest if is_64 else rest_32)
