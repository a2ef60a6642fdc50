# SPDX-License-Identifier: BSD-3-Clause
"""A site as files: what has changed since it was written is written again, and nothing is taken away, so that links stay.

What is interrupted goes on the next time: the list of what is there is made before the first page, and no file is ever half written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from latlab.core.errors import UsageError
from latlab.core.store.inside import path_inside, write_beside
from latlab.site.pages.site_pages import SiteFile, SitePage

MADE = "latlab-site.json"
LISTED_EVERY = 50
"""Pages: so many are made again at most after a kill; the list of a large site takes as long to write as a page."""


def write_site(folder: Path, pages: Iterable[SitePage | SiteFile], progress: Callable[[str], None]) -> tuple[int, int]:
    """How many pages were written and how many were there already. Raises UsageError where the folder holds something else, or may not
    be written."""
    digests = read_digests(folder)
    paths: set[str] = set()
    written: set[str] = set()
    _list(folder, digests)
    try:
        for page in pages:
            paths.add(page.path)
            if is_current(folder, digests, page):
                continue
            progress(page.path)
            _whole(folder, page.path, page.text().encode())
            written.add(page.path)
            digests[page.path] = _digest(page)
            if len(written) % LISTED_EVERY == 0:
                _list(folder, digests)
    finally:
        _list(folder, digests)
    return len(written), len(paths - written)


def is_current(folder: Path, digests: Mapping[str, str], page: SitePage | SiteFile) -> bool:
    """Whether the file of the page is there, made of the same by this version."""
    return digests.get(page.path) == _digest(page) and (folder / page.path).is_file()


def _digest(page: SitePage | SiteFile) -> str:
    return hashlib.sha256(f"{_version()} {page.made_of}".encode()).hexdigest()[:16]


@cache
def _version() -> str:
    return version("latlab")


def _list(folder: Path, digests: dict[str, str]) -> None:
    _whole(folder, MADE, msgspec.json.format(msgspec.json.encode(dict(sorted(digests.items())))))


def _whole(folder: Path, name: str, text: bytes) -> None:
    place = folder / name
    try:
        os.replace(write_beside(folder, name, text), place)
    except OSError as error:
        raise UsageError(f"{place} cannot be written: {error.strerror}", "name another folder, or make room in this one") from None


def read_digests(folder: Path) -> dict[str, str]:
    try:
        if not folder.exists() or not any(folder.iterdir()):
            return {}
        return msgspec.json.decode(path_inside(folder, MADE).read_bytes(), type=dict[str, str])
    except msgspec.MsgspecError:
        raise UsageError(
            f"{folder / MADE} is damaged, so latlab cannot find out which pages are new", "delete it and name an empty folder"
        ) from None
    except (FileNotFoundError, ValueError):
        raise UsageError(f"{folder} holds files and no site that latlab made", "name an empty folder, or a new one") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror}", "name a folder, or a new one") from None
