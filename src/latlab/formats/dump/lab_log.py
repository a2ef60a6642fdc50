# SPDX-License-Identifier: BSD-3-Clause
"""Console logs as labs keep them, brought back to what the board printed: LAVA's YAML, and the UTF-16 of a terminal on Windows.

Every line stays in its place, so that a problem still names the line of the file.
"""

from __future__ import annotations

import codecs
import json

_LAVA_ENTRY = b'- {"'
_CONSOLE = ("target", "feedback")
_SAMPLE = 4096


def as_printed(data: bytes) -> bytes:
    """The log as UTF-8 lines of a console; any other log comes back as it is."""
    text = _from_utf16(data)
    if not any(line.startswith(_LAVA_ENTRY) and b'"msg"' in line for line in text[:_SAMPLE].splitlines()):
        return text
    return b"".join(map(_lava_line, text.splitlines(keepends=True)))


def _from_utf16(data: bytes) -> bytes:
    encoding = _utf16_of(data)
    return data.decode(encoding, "replace").lstrip("\ufeff").encode("utf-8", "replace") if encoding else data


def _utf16_of(data: bytes) -> str:
    """By its mark, or by the zeros that stand beside every letter of ASCII."""
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if data.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    sample = data[:_SAMPLE]
    even, odd = sample[0::2], sample[1::2]
    if len(sample) >= 16 and odd.count(0) > 0.8 * len(odd) and not even.count(0):
        return "utf-16-le"
    if len(sample) >= 16 and even.count(0) > 0.8 * len(even) and not odd.count(0):
        return "utf-16-be"
    return ""


def _lava_line(line: bytes) -> bytes:
    """What the board printed, of an entry that has it; other entries are the lab's own words and say nothing of the board."""
    if not line.startswith(_LAVA_ENTRY):
        return line
    try:
        entry = json.loads(line[2:])
    except (ValueError, RecursionError):
        return line
    message = entry.get("msg") if isinstance(entry, dict) and entry.get("lvl") in _CONSOLE else None
    if not isinstance(message, str):
        return b"\n"
    return message.replace("\r", "").replace("\n", " ").encode("utf-8", "replace") + b"\n"
