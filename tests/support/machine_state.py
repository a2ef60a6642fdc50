# SPDX-License-Identifier: BSD-3-Clause
"""What every core, its interrupt interface and its redistributor hold in a stopped QEMU: from a stream of its state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.monitored import Monitored

SECTION_FULL, SUBSECTION, DESCRIPTION = 4, 5, 6
NUMBERS = re.compile(r"u?int\d+( equal)?|bool")


class _Stream:
    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]


def _unfolded(fields: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for field in fields:
        yield from [field] * field.get("array_len", 1)


def _read(description: dict[str, Any], stream: _Stream) -> dict[str, list[Any]]:
    """Each field by its name, always a list: QEMU describes an array by its first element or by every one."""
    values: dict[str, list[Any]] = {}
    for field in _unfolded(description["fields"]):
        if field["type"] == "struct":
            value: Any = _read(field["struct"], stream)
        else:
            raw = stream.take(field["size"])
            value = int.from_bytes(raw, "big") if NUMBERS.fullmatch(field["type"]) else raw
        values.setdefault(field["name"], []).append(value)
    for subsection in description.get("subsections", ()):
        assert stream.take(1)[0] == SUBSECTION
        stream.take(stream.take(1)[0] + 4)
        values |= _read(subsection, stream)
    return values


def device_state(saved: bytes, name: str) -> dict[str, list[Any]]:
    """The fields of the first device of this name in a stream that QEMU has saved."""
    start = saved.rindex(b'{"configuration"') if b'{"configuration"' in saved else saved.rindex(b'{"page_size"')
    description = json.loads(saved[start:].decode())
    device = next(each for each in description["devices"] if each["name"] == name)
    key = re.escape(bytes((len(name),)) + name.encode())
    header = re.search(bytes((SECTION_FULL,)) + rb"[\s\S]{4}" + key + rb"[\s\S]{8}", saved)
    assert header, f"no section {name}"
    return _read(device, _Stream(saved, header.end()))


def save(qemu: Monitored, folder: Path) -> bytes:
    """All that the machine holds but its memory's contents; it stops for good."""
    qemu.tell("stop")
    target = folder / "machine.state"
    qemu.tell("migrate", uri=f"exec:cat > {target}")
    while (status := qemu.tell("query-migrate").get("status")) not in ("completed", "failed"):
        pass
    assert status == "completed"
    return target.read_bytes()
