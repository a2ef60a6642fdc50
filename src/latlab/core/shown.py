# SPDX-License-Identifier: BSD-3-Clause
"""Names and numbers as they may be shown. A firmware, a board or a label may have any name, which must not act on a terminal, a page or a
sheet."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of Unicode: controls, formats with the overrides of direction, surrogates, private, unassigned, separators of lines."""
_NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?(?: ?%)?|-", re.ASCII)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
LINES = "\n\t"
"""What a whole document keeps."""


def shown(text: str, keep: str = "") -> str:
    """What cannot be seen is written as in a program, but for the characters of `keep`."""
    if text.translate(dict.fromkeys(map(ord, keep))).isprintable():
        return text
    return "".join(character if character in keep or not _is_hidden(character) else repr(character)[1:-1] for character in text)


def shown_json(document: str) -> str:
    """The same for JSON, as which it holds the same text."""
    if document.isascii() and "\x7f" not in document:
        return document
    return "".join(character if character == "\n" or not _is_hidden(character) else _json_escape(character) for character in document)


def shown_cell(text: str) -> str:
    """The same for a cell of a sheet, in which nothing is a formula; a number stays one, and so does the dash of a cell without a value."""
    visible = shown(text)
    return f"'{visible}" if visible.startswith(_FORMULA) and not _NUMBER.fullmatch(visible) else visible


def _is_hidden(character: str) -> bool:
    return not character.isprintable() and unicodedata.category(character) in _HIDDEN


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def significant(value: float, digits: int = 6, grouped: bool = False, sign: bool = False) -> str:
    """A number of so many significant digits, without zeros at its end and never with an exponent; `grouped`: with commas."""
    text = format(value, f"{'+' if sign else ''}{',' if grouped else ''}.{digits}g")
    if "e" not in text:
        return text
    return format(Decimal(text.replace(",", "")), f"{'+' if sign else ''}{',' if grouped else ''}f")
