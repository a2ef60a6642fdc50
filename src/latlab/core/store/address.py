# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of stores, and how they are shown: without the password, in whatever form it was written, malformed ones too."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

HIDDEN = "***"
SHORTEST = 4
"""Shorter passwords are hidden in their address alone: elsewhere they are as likely part of a word."""
_SCHEME = re.compile(r"(?:[A-Za-z][\w+.-]*)?://")
_NAME = r"(?<![\w-])(?:[\w-]*[_-])?(?:ssl|pg)?(?:pass(?:word|wd|phrase)?|pwd|secret|token)(?:[_-][\w-]*)?"
_NAMED = re.compile(rf"(?i)({_NAME}\s*=\s*)('[^']*'|\"[^\"]*\"|[^\s&;]*)")


def shown_address(text: str) -> str:
    """The text with each password of an address in it replaced: `scheme://user:PASSWORD@host`, `?password=`, libpq's `password=`."""
    return _NAMED.sub(rf"\1{HIDDEN}", " ".join(_shown_url(word) for word in text.split(" ")))


def hide_password(text: str, address: str) -> str:
    """The text, in which a library may have repeated parts of the address, without the passwords of the address."""
    for secret in sorted(_passwords(address), key=len, reverse=True):
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
