# SPDX-License-Identifier: BSD-3-Clause
"""The scripts that draw charts in a page. Making them takes longer than the rest of a page, so they are made once and kept."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

ENTRY = "window.vegaEmbed = vegaEmbed;"


@cache
def script_bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script; kept in the user's cache folder where that can be written to."""
    kept = _place()
    with suppress(OSError, ValueError):
        digest, _, text = kept.read_text(encoding="utf-8").partition("\n")
        if digest == _digest(text):
            return text
    import vl_convert

    text = str(vl_convert.javascript_bundle(ENTRY))
    with suppress(OSError):
        _keep(kept, f"{_digest(text)}\n{text}")
    return text


def _place() -> Path:
    from platformdirs import user_cache_path

    made_of = hashlib.sha256(ENTRY.encode()).hexdigest()[:8]
    return user_cache_path("latlab", appauthor=False) / f"charts-{version('vl-convert-python')}-{made_of}.js"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _keep(place: Path, text: str) -> None:
    """Whole or not at all, whoever else writes it at the same time."""
    place.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(name).replace(place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
