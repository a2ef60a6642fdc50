# SPDX-License-Identifier: BSD-3-Clause
"""A run that `latlab export --format json` wrote, kept as a run again. Its raw files are elsewhere, so its figures are the export's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from latlab.core.errors import DataError
from latlab.core.kinds.registry import kind_of
from latlab.core.lifecycle.material import EXPORT_LOG
from latlab.core.model.run import Run
from latlab.core.store import run_json
from latlab.core.store.function_files import FUNCTIONS_LOG, render_functions
from latlab.core.store.store import Store


def is_export(data: bytes) -> bool:
    """Whether the file says that it is one, whole or not."""
    return data.lstrip().startswith(b"{") and f'"{run_json.SCHEMA}"'.encode() in data


def import_export(store: Store, data: bytes, name: str, run_id: str = "") -> str:
    """The run's id, which is a new one unless it is given. Raises DataError for a file that is damaged, or of a kind without figures."""
    run = parsed(data, name)
    if kind_of(run).codec.unreadable:
        raise DataError("an export has no power cycles", f"import the console log of {run.id} instead", place=name)
    imported = replace(run, source=name, facts=(*run.facts, ("exported from", run.id)))
    begun = store.begin(imported, run_id=run_id)
    logs = {EXPORT_LOG: data}
    if run.functions:
        logs[FUNCTIONS_LOG] = render_functions(run.functions)
    store.add(begun, run.samples, run.traces, run.problems, logs)
    store.finish(begun, run.status)
    return begun


def with_export(run: Run, files: Mapping[str, bytes]) -> Run:
    """The run with what its export holds."""
    exported_run = parsed(files[EXPORT_LOG], run.source)
    return replace(run, contents=exported_run.contents)


def parsed(data: bytes, name: str) -> Run:
    """Raises DataError with one sentence where it is no whole export."""
    try:
        return run_json.parse(data.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start} is no UTF-8 ({error.reason})", "export the run again", place=name) from None
