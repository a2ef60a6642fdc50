# SPDX-License-Identifier: BSD-3-Clause
"""One quantity of a run that can be followed over time, and how a user names it.

METRIC, TEST/METRIC or TEST/METRIC/NAME; `*` and `?` match.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

import numpy as np

from latlab.core.errors import UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId

FORM = "METRIC, TEST/METRIC or TEST/METRIC/NAME"
CORE = "core-"
MOST_NAMED = 4
LEAST_ALIKE = 0.4


@dataclass(frozen=True, slots=True)
class FigureName:
    """The name of one figure, and the names that select it together with others."""

    test: str
    metric: str
    name: str

    @property
    def path(self) -> str:
        """`susp_deep_parallel/powerdown/step`: no blanks, so that other tools take it as a name."""
        return "/".join((self.test, self.metric, self.name.replace(" ", "-")))

    @property
    def all(self) -> tuple[str, ...]:
        """The names that select the figure, its own first. The word `core` may be left out."""
        name = self.name.replace(" ", "-")
        short = (f"{self.test}/{self.metric}/{name.removeprefix(CORE)}",) if name.startswith(CORE) else ()
        return (self.path, *short, f"{self.test}/{self.metric}", self.metric)

    def asked_by(self, text: str) -> str | None:
        """Which of its names the text selects: its path, or a name that it shares with others. None if the text does not select it."""
        matching = next((name for name in self.all if name.count("/") == text.count("/") and fnmatchcase(name, text)), None)
        return self.path if matching and matching in self.all[:-2] else matching


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity of a run: a value for each boot, in `unit` (ns or insns).

    `core` or `cluster` is its owner, if the cells of a comparison have one. `judged_as` is the result row that judges it, if that has
    another name. A source that rounds or cuts off its figures leaves them up to `below` and `above` off, in the same unit.
    """

    test: str
    metric: Metric
    name: str
    unit: str
    values: tuple[float, ...]
    core: CoreId | None = None
    cluster: int | None = None
    judged_as: str = ""
    below: float = 0.0
    above: float = 0.0

    @property
    def value(self) -> float:
        return float(np.median(self.values))

    @property
    def called(self) -> FigureName:
        return FigureName(self.test, self.metric.value, self.name)

    @property
    def path(self) -> str:
        return self.called.path


def refusal(text: str, names: Iterable[FigureName], where: str) -> UsageError:
    """A UsageError that no figure has this name, with the most similar names."""
    paths = list(dict.fromkeys(path for name in names for path in name.all))
    alike = [path for path in paths if path.count("/") == text.count("/")] or paths
    longer = sorted((path for path in paths if path.startswith(f"{text}/")), key=lambda path: path.count("/"))
    near = [*longer, *get_close_matches(text, alike, MOST_NAMED, LEAST_ALIKE)][:MOST_NAMED] or alike[:MOST_NAMED]
    nearest = f"; nearest are {', '.join(near)}" if near else ""
    return UsageError(f"no figure of {where} matches {text!r}; a figure is named {FORM}{nearest}")
