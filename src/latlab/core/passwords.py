# SPDX-License-Identifier: BSD-3-Clause
"""Passwords in texts: an address of a database, a command line or a sentence is shown without them, in whatever form they were written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, unquote, unquote_plus

HIDDEN = "***"
STORE_OPTION = "--store"
SHORTEST = 4
"""Shorter passwords are hidden in their address alone: elsewhere they are as likely part of a word."""
_SCHEME = re.compile(r"(?:[A-Za-z][\w+.-]*)?://|[A-Za-z][\w+.-]*:/")
"""The begin of an address. Where a path was made of it, one of its two slashes is left."""
_NAME = r"(?:[\w-]*[_-])?(?:ssl|pg)?(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|(?:api|access|pragma)[_-]?key)"
_COLON = re.compile(r":|%3[Aa]")
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_BEFORE = rf"(?i)((?<![\w-]){_NAME}(?:[_-][\w-]*)?\s*=\s*)"
_NAMED = re.compile(rf"{_BEFORE}({_QUOTED}|(?:\\.|[^\s&\\])*)")
_NAMED_IN_URL = re.compile(rf"{_BEFORE}([^&]*)")
_PARAMETER = re.compile(r"([?&])([^=&\s]*)=([^&\s]*)")
"""One of a URL, each part of which may be quoted with percent signs."""
_OPTION = re.compile(rf"(?i)-{_NAME}")
_GIVEN = re.compile(rf"(?i)((?<!\S)-{_NAME}\s+)({_QUOTED}|\S+)")
_ADDRESS_WORD = re.compile(rf"({STORE_OPTION}[= ](?=.)|(?:--?[\w-]+=)?(?=[A-Za-z][\w+.-]*://))(.*)", re.DOTALL)
"""A word that is an address alone, behind an option maybe."""
_MISSPELT = re.compile(r"((?:[A-Za-z][\w+.-]*(?://|:/|:(?=[^/]*:)))?\s*[^/:@]*:)(.*)(@.*)", re.DOTALL)
"""An address whose scheme is misspelt or missing: up to the password, the password, from the last `@` on."""
_SLASH = re.compile(r"((?!https?:|git:|ssh:|file:|sqlite)[A-Za-z][\w+.-]*://[^/;:@]+[/;])(.*)(@.*)", re.DOTALL)
"""An address with a user, a slash and the password, which is the form of Oracle."""
_PORT = re.compile(r"([A-Za-z][\w+.-]*://[^/:\[\]]*:)([^/?]*[^/?\d][^/?]*)(.*)", re.DOTALL)
"""A port that is no number: a password whose `@` and host are missing."""


def shown_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a command line, each as `shown_address` shows it; the word behind an option such as `--password` is hidden too."""
    shown: list[str] = []
    before = ""
    for word in words:
        is_secret = bool(_OPTION.fullmatch(before))
        shown.append(HIDDEN if is_secret else shown_alone(word) if before == STORE_OPTION else _shown_word(word))
        before = word
    return tuple(shown)


def _shown_word(word: str) -> str:
    address = _ADDRESS_WORD.fullmatch(word)
    return f"{address[1]}{shown_alone(address[2])}" if address else shown_address(word)


def hide_words(text: str, words: Iterable[str]) -> str:
    """A sentence about a command line, which may repeat any of its words, without the passwords of those that are addresses."""
    before = ""
    for word in words:
        address = _ADDRESS_WORD.fullmatch(word)
        typed = word if before == STORE_OPTION else address[2] if address else ""
        text = hide_passwords(text, typed) if typed else text
        before = word
    return shown_address(text)


def hide_passwords(text: str, typed: str) -> str:
    """The text, in which a library may have repeated parts of the address that was typed, without the passwords of the address."""
    for secret in sorted(_passwords(typed), key=len, reverse=True):
        for form in (secret, unquote(secret), quote(secret, safe="")):
            text = text.replace(form, HIDDEN) if len(form) >= SHORTEST else text
    return shown_address(text)


def shown_alone(text: str) -> str:
    """An address with nothing before or behind it, so that its password may have blanks in it and its scheme may be misspelt."""
    before, _, behind = _parts(text)
    text = f"{before}{HIDDEN}{behind}" if before else text
    return shown_address(_NAMED_IN_URL.sub(rf"\1{HIDDEN}", text) if "://" in text else text)


def shown_address(text: str) -> str:
    """The text with each password in it replaced: `scheme://user:PASSWORD@host`, `?password=`, libpq's `password=`, `--password WORD`."""
    text = _PARAMETER.sub(_shown_parameter, " ".join(_shown_url(word) for word in text.split(" ")))
    return _GIVEN.sub(rf"\1{HIDDEN}", _NAMED.sub(rf"\1{HIDDEN}", text))


def _shown_parameter(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}={HIDDEN}" if _is_secret(match) else match[0]


def _is_secret(parameter: re.Match[str]) -> bool:
    """Whether its name is one of a password, or its value has one, as the connection string of ODBC has."""
    name, value = unquote_plus(parameter[2]), unquote_plus(parameter[3])
    return (name, value) != (parameter[2], parameter[3]) and bool(_NAMED.search(f"{name}=") or _NAMED.search(value))


def _shown_url(word: str) -> str:
    before, _, behind = _parts_of_url(word)
    return f"{before}{HIDDEN}{behind}" if before else word


def _parts(address: str) -> tuple[str, str, str]:
    """What stands before the password of an address, the password, and what stands behind it; empty where there is none."""
    if "://" in address and (parts := _parts_of_url(address))[0]:
        return parts
    forms = (_PORT, _SLASH) if "://" in address else (_MISSPELT,)
    parts_match = next(filter(None, (form.fullmatch(address) for form in forms)), None)
    return (parts_match[1], parts_match[2], parts_match[3]) if parts_match else ("", "", "")


def _parts_of_url(text: str) -> tuple[str, str, str]:
    """Divide a URL as `_parts` does. A password that was not quoted may have each sign, `@` and `/` too."""
    scheme = _SCHEME.search(text)
    if scheme is None:
        return "", "", ""
    user_part, _, host = text[scheme.end() :].rpartition("@")
    colon = _COLON.search(user_part)
    return (f"{text[: scheme.end()]}{user_part[: colon.end()]}", user_part[colon.end() :], f"@{host}") if colon else ("", "", "")


def _passwords(address: str) -> set[str]:
    named = _NAMED_IN_URL if "://" in address else _NAMED
    passwords = {match[2].strip("'\"") for match in named.finditer(address)}
    for parameter in filter(_is_secret, _PARAMETER.finditer(address)):
        value = unquote_plus(parameter[3])
        passwords.update((parameter[3], *(match[2].partition(";")[0] for match in _NAMED.finditer(value))))
    return (passwords | {_parts(address)[1]}) - {""}
