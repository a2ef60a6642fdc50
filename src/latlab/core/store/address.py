# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of stores, and command lines that may hold one: shown without the password, in whatever form it was written, malformed too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

HIDDEN = "***"
STORE_OPTION = "--store"
LATEST = "latest:"
"""In front of a label: the newest complete run that has it."""
SHORTEST = 4
"""Shorter passwords are hidden in their address alone: elsewhere they are as likely part of a word."""
_SCHEME = re.compile(r"(?:[A-Za-z][\w+.-]*)?://")
_NAME = r"(?:[\w-]*[_-])?(?:ssl|pg)?(?:pass(?:word|wd|phrase)?|pwd|secret|token)"
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_BEFORE = rf"(?i)((?<![\w-]){_NAME}(?:[_-][\w-]*)?\s*=\s*)"
_NAMED = re.compile(rf"{_BEFORE}({_QUOTED}|(?:\\.|[^\s&\\])*)")
_NAMED_IN_URL = re.compile(rf"{_BEFORE}([^&]*)")
_OPTION = re.compile(rf"(?i)-{_NAME}")
_GIVEN = re.compile(rf"(?i)((?<!\S)-{_NAME}\s+)({_QUOTED}|\S+)")
_ADDRESS_WORD = re.compile(rf"({STORE_OPTION}=(?=.)|(?:--?[\w-]+=)?(?=[A-Za-z][\w+.-]*://))(.*)", re.DOTALL)
"""A word that is an address alone, behind an option maybe."""
_MISSPELT = re.compile(r"((?:[A-Za-z][\w+.-]*(?://|:/|:(?=[^/]*:)))?\s*[^/:@]*:)(.*)(@.*)", re.DOTALL)
"""An address whose scheme is misspelt or missing: up to the password, the password, from the last `@` on."""
_PORT = re.compile(r"([A-Za-z][\w+.-]*://[^/:@\[\]]*:)([^/?]*[^/?\d][^/?]*)(.*)", re.DOTALL)
"""A port that is no number: a password whose `@` and host are missing."""


@dataclass(frozen=True, slots=True, repr=False)
class StoreAddress:
    """The place where runs are kept: a path, or a URL as SQLAlchemy takes it. Its text never has the password, whatever prints it. Only
    `opened` has it, for what opens a database."""

    _typed: str

    @property
    def opened(self) -> str:
        """The text that was typed, with its password."""
        return self._typed

    @property
    def is_url(self) -> bool:
        return "://" in self._typed

    @property
    def absolute(self) -> StoreAddress:
        """The same from any folder of this machine."""
        return self if self.is_url else StoreAddress(str(Path(self._typed).absolute()))

    def __str__(self) -> str:
        return _shown_alone(self._typed)

    def __repr__(self) -> str:
        return f"StoreAddress({str(self)!r})"


Place = str | StoreAddress
"""What callers may write for an address: a text as a user types it is one."""


def address_of(place: Place) -> StoreAddress:
    return place if isinstance(place, StoreAddress) else StoreAddress(place)


def shown_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a command line, each as `shown_address` shows it; the word behind an option such as `--password` is hidden too."""
    shown: list[str] = []
    before = ""
    for word in words:
        is_secret = bool(_OPTION.fullmatch(before))
        shown.append(HIDDEN if is_secret else _shown_alone(word) if before == STORE_OPTION else _shown_word(word))
        before = word
    return tuple(shown)


def _shown_word(word: str) -> str:
    address = _ADDRESS_WORD.fullmatch(word)
    return f"{address[1]}{_shown_alone(address[2])}" if address else shown_address(word)


def _shown_alone(text: str) -> str:
    """An address with nothing before or behind it, so that its password may have blanks in it and its scheme may be misspelt."""
    before, _, behind = _parts(text)
    text = f"{before}{HIDDEN}{behind}" if before else text
    return shown_address(_NAMED_IN_URL.sub(rf"\1{HIDDEN}", text) if "://" in text else text)


def shown_address(text: str) -> str:
    """The text with each password in it replaced: `scheme://user:PASSWORD@host`, `?password=`, libpq's `password=`, `--password WORD`."""
    return _GIVEN.sub(rf"\1{HIDDEN}", _NAMED.sub(rf"\1{HIDDEN}", " ".join(_shown_url(word) for word in text.split(" "))))


def hide_password(text: str, address: StoreAddress) -> str:
    """The text, in which a library may have repeated parts of the address, without the passwords of the address."""
    for secret in sorted(_passwords(address.opened), key=len, reverse=True):
        for form in (secret, unquote(secret), quote(secret, safe="")):
            text = text.replace(form, HIDDEN) if len(form) >= SHORTEST else text
    return shown_address(text)


def _shown_url(word: str) -> str:
    before, _, behind = _parts_of_url(word)
    return f"{before}{HIDDEN}{behind}" if before else word


def _parts(address: str) -> tuple[str, str, str]:
    """What stands before the password of an address, the password, and what stands behind it; empty where there is none."""
    if "://" in address and (parts := _parts_of_url(address))[0]:
        return parts
    parts_match = (_PORT if "://" in address else _MISSPELT).fullmatch(address)
    return (parts_match[1], parts_match[2], parts_match[3]) if parts_match else ("", "", "")


def _parts_of_url(text: str) -> tuple[str, str, str]:
    """The same of a URL. A password that was not quoted may have each sign, `@` and `/` too."""
    scheme = _SCHEME.search(text)
    if scheme is None:
        return "", "", ""
    user_part, _, host = text[scheme.end() :].rpartition("@")
    user, colon, password = user_part.partition(":")
    return (f"{text[: scheme.end()]}{user}:", password, f"@{host}") if colon else ("", "", "")


def _passwords(address: str) -> set[str]:
    named = _NAMED_IN_URL if "://" in address else _NAMED
    passwords = {match[2].strip("'\"") for match in named.finditer(address)}
    return (passwords | {_parts(address)[1]}) - {""}
