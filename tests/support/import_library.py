# SPDX-License-Identifier: BSD-3-Clause
"""The file of a secure build that says where its veneers are."""

import struct

LABEL, FUNCTION = 0x10, 0x12


def import_library(symbols: dict[str, int], kind: int = LABEL) -> bytes:
    """An ELF file that has nothing but these absolute symbols."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in symbols)
    table, at = struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0), 1
    for name, address in symbols.items():
        table += struct.pack("<IIIBBH", at, address, 0, kind, 0, 0xFFF1)
        at += len(name) + 1
    names = b"\0.symtab\0.strtab\0.shstrtab\0"
    strings_at, names_at = 52 + len(table), 52 + len(table) + len(strings)
    sections_at = names_at + len(names)
    head = b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 1, 40, 1, 0, 0, sections_at, 0x5000000, 52, 0, 0, 40, 4, 3)
    rows: tuple[tuple[int, ...], ...] = ((0,) * 10, (1, 2, 0, 0, 52, len(table), 2, 1, 4, 16))
    rows += ((9, 3, 0, 0, strings_at, len(strings), 0, 0, 1, 0),)
    rows += ((17, 3, 0, 0, names_at, len(names), 0, 0, 1, 0),)
    return head + table + strings + names + b"".join(struct.pack("<10I", *row) for row in rows)
