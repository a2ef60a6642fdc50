# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as a file; the suffix says of which kind."""

from __future__ import annotations

from pathlib import Path

from latlab.core.errors import UsageError
from latlab.core.report.renderers import rst
from latlab.virtual.pages.whatif import Sweep, as_csv, as_json, tables

SUFFIXES = (".html", ".csv", ".json", ".rst")


def check_output(path: Path) -> None:
    """Before a long sweep, so that its figures are not lost at the end."""
    if path.suffix not in SUFFIXES:
        raise UsageError(f"-o {path}: the name says what to write", f"let it end in {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise UsageError(f"-o {path}: there is no folder {path.parent}", "make it first")


def text_of(sweep: Sweep, suffix: str) -> str:
    if suffix == ".html":
        from latlab.core.report.renderers import html
        from latlab.virtual.pages.whatif_web import page

        return html.document(page(sweep))
    if suffix == ".rst":
        return rst.tables(tables(sweep))
    return as_csv(sweep) if suffix == ".csv" else as_json(sweep)
