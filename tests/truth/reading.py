# SPDX-License-Identifier: BSD-3-Clause
"""A case as the two runs that the product makes of its files."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from latlab.core.lifecycle.loading import load_reference
from latlab.core.model.conditions import NO_CONDITIONS
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.readers.dump import console_log
from latlab.core.store import run_json
from latlab.rt.campaign.results import CAMPAIGN, IMPORT_LOG, new_run
from latlab.rt.campaign.samples import with_distributions
from truth.spans import Pair
from truth.wakeups import Tool, WakeupPair, Wakeups, printed
from truth.written import Form, written

NAMES = ("run1", "run2")


def runs_of_spans(pair: Pair, form: Form) -> tuple[Run, Run]:
    tables = zip(NAMES, (pair.machine, pair.machine_after), (pair.before, pair.after), strict=True)
    first, second = (_run(form, written(form, machine, table, name), name) for name, machine, table in tables)
    return first, second


def _run(form: Form, text: str, name: str) -> Run:
    if form is Form.JSON:
        return run_json.parse(text, name)
    if form is Form.LOG:
        return console_log.parse(text.encode(), name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.{form}"
        path.write_text(text, encoding="utf-8")
        return replace(load_reference(str(path)), id=name)


def runs_of_wakeups(pair: WakeupPair, tool: Tool) -> tuple[Run, Run]:
    first, second = (_imported(tool, values, name) for name, values in zip(NAMES, (pair.before, pair.after), strict=True))
    return first, second


def _imported(tool: Tool, values: Wakeups, name: str) -> Run:
    run = new_run(CAMPAIGN, "import", "bench", len(values), NO_CONDITIONS, source=name)
    return replace(with_distributions(run, {IMPORT_LOG: printed(tool, values)}), id=name, status=RunStatus.COMPLETE)
