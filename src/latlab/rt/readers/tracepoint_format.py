# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's description of a tracepoint's record, as it stands in tracefs' `format`, and what stands in a record by it."""

from __future__ import annotations

import re
from dataclasses import dataclass

NAME = re.compile(r"^name: (\w{1,100})$", re.MULTILINE | re.ASCII)
ID = re.compile(r"^ID: (\d{1,5})$", re.MULTILINE | re.ASCII)
FIELD = re.compile(r"^\tfield:([^;]{1,200});\toffset:(\d{1,5});\tsize:(\d{1,5});\tsigned:([01]);$", re.MULTILINE | re.ASCII)
DECLARED = re.compile(r"(\w+)(?:\[\w*\])?$", re.ASCII)
ELSEWHERE = "__data_loc "
FLAGS = "common_flags"
IRQS_OFF = 1


@dataclass(frozen=True, slots=True)
class Field:
    offset: int
    size: int
    signed: bool
    is_elsewhere: bool


@dataclass(frozen=True, slots=True)
class TracepointFormat:
    name: str
    id: int
    fields: dict[str, Field]

    def number(self, record: bytes, name: str) -> int:
        """0 where the record has no such field."""
        field = self.fields.get(name)
        return 0 if field is None else int.from_bytes(record[field.offset : field.offset + field.size], "little", signed=field.signed)

    def text(self, record: bytes, name: str) -> str:
        """Empty where the record has no such field. Some stand elsewhere in the record, which then says where and how long."""
        field = self.fields.get(name)
        if field is None:
            return ""
        start, size = field.offset, field.size
        if field.is_elsewhere:
            place = int.from_bytes(record[start : start + size], "little")
            start, size = place & 0xFFFF, place >> 16
        return record[start : start + size].partition(b"\0")[0].decode("utf-8", "replace")

    def interrupts_off(self, record: bytes) -> bool:
        return bool(self.number(record, FLAGS) & IRQS_OFF)


def read_format(text: str) -> TracepointFormat | None:
    """None where it is no such description."""
    name, number = NAME.search(text), ID.search(text)
    if name is None or number is None:
        return None
    fields = {}
    for declaration, offset, size, signed in FIELD.findall(text):
        declared = DECLARED.search(declaration)
        if declared is not None:
            is_elsewhere = declaration.startswith(ELSEWHERE)
            fields[declared[1]] = Field(int(offset), int(size), signed == "1", is_elsewhere)
    return TracepointFormat(name[1], int(number[1]), fields)
