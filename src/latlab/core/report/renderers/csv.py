# SPDX-License-Identifier: BSD-3-Clause
"""Rows as CSV for spreadsheets and other programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from latlab.core.report.table import Table, text_of
from latlab.core.shown import shown_cell

GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)


def tables(tables_given: Iterable[Table]) -> str:
    """Each table as a line of headings and its rows, one table after the other."""
    return "".join(
        lines((column.heading for column in table.columns), ((text_of(value) for value in row) for row in table.rows))
        for table in tables_given
    )


def lines(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A header and rows of values, each written as its text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(_cell, header))
    writer.writerows(map(_cell, row) for row in rows)
    return stream.getvalue()


def _cell(value: Any) -> Any:
    """A number has no separators: a program would take it for a text."""
    if not isinstance(value, str):
        return value
    return value.replace(",", "") if GROUPED.fullmatch(value) else shown_cell(value)
