# SPDX-License-Identifier: BSD-3-Clause
"""Output of a tool or a console as people keep it, brought back to what was printed: encodings, colours, LAVA's YAML, stamps and quotes.

Every line stays in its place, so that a problem still names the line of the file.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from itertools import islice

_LAVA_ENTRY = b'- {"'
_CONSOLE = ("target", "feedback")
_SAMPLE = 4096
_CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|c)|\r")
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_DATE = r"\d{4}-\d\d-\d\d"
_PROGRAM = r"\S{1,64} (?:\S{1,64}\[\d+\]|kernel): "
PREFIXES = (
    ("quoting", re.compile(r"[>|] ?")),
    ("time stamps", re.compile(rf"(?:[^\t]{{1,120}}\t){{2}}{_DATE}T{_CLOCK}Z ")),
    ("time stamps", re.compile(rf"{_DATE}T{_CLOCK}Z \d\d[OE][ +]")),
    ("time stamps", re.compile(rf"\[? *(?:{_DATE}[T ])?{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?\]?(?: std(?:out|err) [FP])? (?:{_PROGRAM})?")),
    ("time stamps", re.compile(rf"[A-Z][a-z]{{2}} [ \d]\d {_CLOCK} (?:{_PROGRAM})?")),
    ("time stamps", re.compile(r"\[ *\d{1,10}\.\d{1,9}(?: +\d{1,10}\.\d{1,9})?\] ")),
    ("the container's name", re.compile(r"(?=[\w.-]*[A-Za-z])[\w.-]{1,64} +\| ")),
    ("twister's prefix", re.compile(r"(?:DEBUG|INFO) +- DEVICE: ?")),
)
"""What loggers put before each line. A rule holds for a whole file: see `_common`."""
OBJECT = re.compile(r" *\{")
MOST = 0.8
LOOKED_AT = 2000


@dataclass(frozen=True, slots=True)
class ConsoleText:
    """`removed` names what was taken off, in the order in which it was."""

    text: str
    removed: tuple[str, ...] = ()


def console_text(data: bytes) -> ConsoleText:
    """The text without what a logger, a mail or a terminal put around each line. The number of lines stays."""
    plain = as_printed(data)
    removed = [] if plain == data else ["the encoding or the lab's frame of each line"]
    text = plain.decode("utf-8", "replace")
    if _CONTROL.search(text):
        text = _CONTROL.sub("", text)
    lines = text.split("\n")
    while (frame := _common(lines)) is not None:
        name, rule = frame
        lines = [line if (match := rule.match(line)) is None else line[match.end() :] for line in lines]
        removed.append(name)
    return ConsoleText("\n".join(_dedented(lines)), tuple(dict.fromkeys(removed)))


def _common(lines: list[str]) -> tuple[str, re.Pattern[str]] | None:
    """A rule that most of the first lines follow: one line that looks like it is no prefix, unless an object begins behind it."""
    written = list(islice((line for line in lines if line.strip()), LOOKED_AT))
    for name, rule in PREFIXES:
        is_enough = len(written) > 1 or any(OBJECT.match(line, match.end()) for line in written if (match := rule.match(line)))
        if is_enough and sum(rule.match(line) is not None for line in written) >= MOST * len(written):
            return name, rule
    return None


def _dedented(lines: list[str]) -> list[str]:
    """Without the blanks that each line begins with: a paste is indented as a whole."""
    depth = 1 << 16
    for line in lines:
        if line.strip():
            depth = min(depth, len(line) - len(line.lstrip(" ")))
        if depth == 0:
            return lines
    return [line[depth:] for line in lines]


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
    """By its mark, or by the zeros beside every letter of ASCII."""
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
