# SPDX-License-Identifier: BSD-3-Clause
"""A designed experiment as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from latlab.core.model.experiment import Experiment


class ExperimentKeys(msgspec.Struct):
    experiment: Experiment | None = None


def to_json(contents: Experiment) -> Mapping[str, Any]:
    return {"experiment": contents}


def of_json(document: Mapping[str, Any]) -> Experiment:
    """Raises msgspec.ValidationError."""
    return msgspec.convert(document, ExperimentKeys).experiment or Experiment()
