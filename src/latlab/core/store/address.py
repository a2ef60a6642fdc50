# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of stores, and command lines that may hold one: shown without the password, in whatever form it was written, malformed too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

HIDDEN = "***"
LATEST = "latest:"
"""In front of a label: the newest complete run that has it."""
SHORTEST = 4
"""Shorter passwords are hidden in their address alone: elsewhere they are as likely part of a word."""
_SCHEME = re.compile(r"(?:[A-Za-z][\w+.-]*)?://")
_NAME = r"(?:[\w-]*[_-])?(?:ssl|pg)?(?:pass(?:word|wd|phrase)?|pwd|secret|token)"
_NAMED = re.compile(rf"(?i)((?<![\w-]){_NAME}(?:[_-][\w-]*)?\s*=\s*)('[^']*'|\"[^\"]*\"|[^\s&;]*)")
_OPTION = re.compile(rf"(?i)-{_NAME}")
_GIVEN = re.compile(rf"(?i)((?<!\S)-{_NAME}\s+)('[^']*'|\"[^\"]*\"|\S+)")


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
        return shown_address(self._typed)

    def __repr__(self) -> str:
        return f"StoreAddress({str(self)!r})"


Place = str | StoreAddress
"""What callers may write for an address: a text as a user types it is one."""


def address_of(place: Place) -> StoreAddress:
    return place if isinstance(place, StoreAddress) else StoreAddress(place)


def shown_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a command line, each as `shown_address` shows it; the word behind an option such as `--password` is hidden too."""
    shown: list[str] = []
    is_secret = False
    for word in words:
        shown.append(HIDDEN if is_secret else shown_address(word))
        is_secret = bool(_OPTION.fullmatch(word))
    return tuple(shown)


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
    scheme = _SCHEME.search(word)
    user, colon, _ = _user_part(word[scheme.end() :]) if scheme else ("", "", "")
    if scheme is None or not colon:
        return word
    _, at, host = word[scheme.end() :].rpartition("@")
    return f"{word[: scheme.end()]}{user}:{HIDDEN}{at}{host}"


def _user_part(behind_scheme: str) -> tuple[str, str, str]:
    """User, colon and password of what stands behind `scheme://`. A password that was not quoted may have each sign, `@` and `/` too."""
    user_part, at, _ = behind_scheme.rpartition("@")
    return user_part.partition(":") if at else ("", "", "")


def _passwords(address: str) -> set[str]:
    passwords = {match[2].strip("'\"") for match in _NAMED.finditer(address)}
    if scheme := _SCHEME.search(address):
        passwords.add(_user_part(address[scheme.end() :])[2])
    return passwords - {""}
