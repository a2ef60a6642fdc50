# SPDX-License-Identifier: BSD-3-Clause
"""The CSV form of a published experiment: a line for each run, with `test`, `run`, and a column for each factor and each figure in µs."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import msgspec

from latlab.core.errors import DataError
from latlab.core.model.experiment import Experiment, Factor, Trial, TrialFigure

NS_PER_US = 1000.0


class Described(msgspec.Struct):
    """What `sources.toml` says of it beside where it comes from: levels by factor, the first of them the one that others are held against;
    what a column of figures is, as METRIC/NAME; and the figure that it was made for."""

    factors: dict[str, list[str]]
    figures: dict[str, str]
    response: str


def parse(text: str, name: str, described: Described) -> Experiment:
    """Raises DataError with the file, the line and what is wrong there."""
    factors = tuple(Factor(factor, tuple(levels)) for factor, levels in described.factors.items())
    trials = [_trial(row, f"{name}:{line}", factors, described) for line, row in enumerate(csv.DictReader(io.StringIO(text)), 2)]
    return Experiment(factors, tuple(trials), described.response)


def _trial(row: Mapping[str, str | None], place: str, factors: tuple[Factor, ...], described: Described) -> Trial:
    for factor in factors:
        if row.get(factor.name) not in factor.levels:
            raise DataError(f"{factor.name} is {row.get(factor.name)!r}; its levels are {', '.join(factor.levels)}", place=place)
    test = row.get("test") or "test"
    try:
        figures = tuple(
            TrialFigure(f"{test}/{figure_name.replace(' ', '-')}", "ns", float(row[column] or "") * NS_PER_US)
            for column, figure_name in described.figures.items()
        )
    except (KeyError, ValueError) as error:
        raise DataError(f"a figure is missing or no number ({error})", place=place) from error
    return Trial(tuple(str(row[factor.name]) for factor in factors), 0, row.get("run") or "", figures)
