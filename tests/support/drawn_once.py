# SPDX-License-Identifier: BSD-3-Clause
"""Each chart is drawn once in a run of the tests: vl-convert takes the longest of a page, and draws the same of the same specification."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import vl_convert

DRAWS = ("vegalite_to_svg", "vegalite_to_png")


def keep_drawings_in(folder: Path) -> None:
    """From here on in this process, and in what it forks. The folder is of this run alone: a newer vl-convert draws again."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in DRAWS:
        setattr(vl_convert, name, _kept(getattr(vl_convert, name), folder))


def _kept(draw: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    @wraps(draw)
    def drawn(spec: Any, *rest: Any, **options: Any) -> Any:
        key = json.dumps((draw.__name__, spec, rest, options), sort_keys=True, default=repr)
        place = folder / hashlib.sha256(key.encode()).hexdigest()
        try:
            return pickle.loads(place.read_bytes())
        except FileNotFoundError:
            picture = draw(spec, *rest, **options)
        handle, unfinished = tempfile.mkstemp(dir=folder)
        with open(handle, "wb") as file:
            file.write(pickle.dumps(picture))
        os.replace(unfinished, place)
        return picture

    return drawn
