# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of stores."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from latlab.core.passwords import hide_passwords, shown_alone

LATEST = "latest:"
"""In front of a label: the newest complete run that has it."""
_SQLITE = re.compile(r"sqlite(?:\+\w+)?:///(?:file:)?([^?]+)")


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
    def file(self) -> Path | None:
        """The file of SQLite, also that of a URL; of a server there is none."""
        if not self.is_url:
            return Path(self._typed)
        match = _SQLITE.fullmatch(self._typed.partition("?")[0])
        return Path(match[1]) if match else None

    @property
    def absolute(self) -> StoreAddress:
        """The same from any folder of this machine."""
        return self if self.is_url else StoreAddress(str(Path(self._typed).absolute()))

    def __str__(self) -> str:
        return shown_alone(self._typed)

    def __repr__(self) -> str:
        return f"StoreAddress({str(self)!r})"


Place = str | StoreAddress
"""What callers may write for an address: a text as a user types it is one."""


def address_of(place: Place) -> StoreAddress:
    return place if isinstance(place, StoreAddress) else StoreAddress(place)


def hide_password(text: str, address: StoreAddress) -> str:
    """The text, in which a library may have repeated parts of the address, without the passwords of the address."""
    return hide_passwords(text, address.opened)
