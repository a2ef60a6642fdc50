# SPDX-License-Identifier: BSD-3-Clause
"""Tables as JSON for other programs; numbers stay numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from latlab.core.report.table import Table, Value, text_of
from latlab.core.report.text import plain
from latlab.core.shown import shown_json


def tables(tables_given: Iterable[Table]) -> str:
    """A list of objects with `caption`, `rows` (one object each, by heading) and `notes`."""
    return document([_table(table) for table in tables_given])


def document(value: Any) -> str:
    """A document of any schema, in the form in which all JSON is written."""
    return shown_json(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"


def _table(table: Table) -> dict[str, Any]:
    headings = [column.heading for column in table.columns]
    rows = [dict(zip(headings, map(_value, row), strict=True)) for row in table.rows]
    return {"caption": plain(table.caption), "rows": rows, "notes": list(table.notes)}


def _value(value: Value) -> str | int | float:
    return value if isinstance(value, int | float) else text_of(value)
