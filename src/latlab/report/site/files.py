# SPDX-License-Identifier: BSD-3-Clause
"""A site as files: what has changed since it was written is written again, and nothing is taken away, so that links stay."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

import msgspec

from latlab.errors import UsageError
from latlab.report.renderers import html
from latlab.report.site.site_pages import SitePage

MADE = "latlab-site.json"


def write_site(folder: Path, pages: Iterable[SitePage], said: Callable[[str], None]) -> tuple[int, int]:
    """How many pages were written and how many were there already. Raises UsageError where the folder holds something else."""
    made = _made(folder)
    written = kept = 0
    for page in pages:
        digest = hashlib.sha256(f"{version('latlab')} {page.made_of}".encode()).hexdigest()[:16]
        place = folder / page.path
        if made.get(page.path) == digest and place.is_file():
            kept += 1
            continue
        said(page.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(html.document(page.page()), "utf-8")
        written += 1
        made[page.path] = digest
        (folder / MADE).write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(made.items())))))
    return written, kept


def _made(folder: Path) -> dict[str, str]:
    if not folder.exists() or not any(folder.iterdir()):
        return {}
    try:
        return msgspec.json.decode((folder / MADE).read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        raise UsageError(f"{folder} holds files and no site that latlab made; name an empty folder, or a new one") from None
    except msgspec.MsgspecError:
        raise UsageError(f"{folder / MADE} is damaged, so that what is new cannot be told; remove it and name an empty folder") from None
