# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the CSV export as a Parquet file, typed; what is known of the run stands in the file's metadata."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import msgspec

from latlab.core.errors import needs_packages
from latlab.core.kinds.kind import Line
from latlab.core.kinds.registry import kind_of
from latlab.core.model.run import Run
from latlab.core.report.run_data import run_head

WORDS = ("test", "metric", "name", "unit", "mode")
FLOATS = ("value", "low", "high", "over_s")


def render(run: Run) -> bytes:
    """Names are dictionaries, counts and cores 64-bit numbers, figures floats; what a line does not have is null."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise needs_packages("--format parquet", "pyarrow") from None
    columns, lines = kind_of(run).forms.lines(run)
    held: list[Line] = list(lines)
    arrays = {}
    for place, name in enumerate(columns):
        kind = pyarrow.dictionary(pyarrow.int32(), pyarrow.string()) if name in WORDS else _number(name, pyarrow)
        convert: Callable[[Any], Any] = str if name in WORDS else (float if name in FLOATS else int)
        values = [None if line[place] == "" and name not in WORDS else convert(line[place]) for line in held]
        arrays[name] = pyarrow.array(values, pyarrow.string()).cast(kind) if name in WORDS else pyarrow.array(values, kind)
    table = pyarrow.table(arrays).replace_schema_metadata({"latlab-run": msgspec.json.encode(run_head(run))})
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()


def _number(name: str, pyarrow: Any) -> Any:
    return pyarrow.float64() if name in FLOATS else pyarrow.int64()
