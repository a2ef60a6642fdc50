# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment tells as JSON; docs/reference/export-schema.md has it key by key. An end of an interval that is not known is null."""

from __future__ import annotations

import msgspec

from latlab.core.model.run import Run
from latlab.experiments.analysis.result import Analysis

SCHEMA, VERSION = "latlab-design", 1


class _Document(msgspec.Struct):
    schema: str
    version: int
    run: str
    analysis: Analysis


def analysis_json(run: Run, analysis: Analysis) -> str:
    return msgspec.json.encode(_Document(SCHEMA, VERSION, run.id, analysis)).decode() + "\n"
