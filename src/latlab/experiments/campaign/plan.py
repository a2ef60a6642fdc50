# SPDX-License-Identifier: BSD-3-Clause
"""What a user writes of an experiment: the command that measures, the figure that is asked for, the factors, and what sets each level."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import msgspec

from latlab.core.errors import DataError
from latlab.core.model.enums import Clock
from latlab.core.model.experiment import Factor
from latlab.core.targets.qemu.toml_file import Name, Text, read_toml

EXAMPLE = "docs/howto/experiments.md"
MOST_RUNS = 10_000
FIRST_REPLICATES = 2


class FactorLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`before` is run by the shell before each run at this level, `options` go to the command that measures."""

    name: Name
    before: str = ""
    options: tuple[Text, ...] = ()


class PlannedFactor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    level: tuple[FactorLevel, ...]


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`run` is the command behind `latlab`. `smallest_percent` is the smallest effect that matters, `replicates` how often each
    combination is run before the noise says how often it takes (None: twice, and once on the instruction clock, which has no noise),
    `most_runs` how many runs there may be."""

    name: Name
    run: tuple[Text, ...]
    response: Name
    factor: tuple[PlannedFactor, ...]
    smallest_percent: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 10.0
    replicates: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    most_runs: Annotated[int, msgspec.Meta(ge=2, le=MOST_RUNS)] = 64

    @property
    def factors(self) -> tuple[Factor, ...]:
        return tuple(Factor(factor.name, tuple(level.name for level in factor.level)) for factor in self.factor)

    @property
    def combinations(self) -> int:
        count = 1
        for factor in self.factor:
            count *= len(factor.level)
        return count

    @property
    def digest(self) -> str:
        """The same for the same experiment, whatever its file is called and looks like."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    def first_replicates(self, clock: Clock) -> int:
        replicates = self.replicates or (1 if clock is Clock.INSTRUCTIONS else FIRST_REPLICATES)
        return min(replicates, self.most_runs // self.combinations)

    def levels(self, names: tuple[str, ...]) -> tuple[FactorLevel, ...]:
        return tuple(next(level for level in factor.level if level.name == name) for factor, name in zip(self.factor, names, strict=True))


def load_plan(path: Path) -> Plan:
    """Raises UsageError where the file cannot be read, DataError where it is no experiment."""
    plan = read_toml(path, Plan, EXAMPLE)
    fault = _fault(plan)
    if fault:
        raise DataError(f"{fault}; {EXAMPLE} has an example", place=path)
    return plan


def _fault(plan: Plan) -> str:
    """What the schema cannot say; empty where nothing is wrong."""
    if not plan.run or plan.run[0] != "run":
        return f'run = {list(plan.run)!r}: it begins with "run", as a command after `latlab` that measures'
    options = [
        word.partition("=")[0]
        for word in (*plan.run, *(option for plan_factor in plan.factor for level in plan_factor.level for option in level.options))
    ]
    refused = {"--store", "--boots"} if plan.run[1:2] == ("rt",) else {"--store"}
    if misplaced := [word for word in options if word in refused]:
        return f"a run has {misplaced[0]}: the experiment sets the store, and one run of it is one boot"
    if not plan.factor:
        return "it has no [[factor]]"
    names = [plan_factor.name for plan_factor in plan.factor]
    if len(set(names)) < len(names):
        return f"two factors are named {next(name for name in names if names.count(name) > 1)!r}"
    for factor in plan.factor:
        levels = [level.name for level in factor.level]
        if len(levels) < 2 or len(set(levels)) < len(levels):
            return (
                f"the factor {factor.name} has the levels {', '.join(levels) or 'none'}; it takes two or more, each with a name of its own"
            )
    if plan.combinations > plan.most_runs:
        return f"its factors have {plan.combinations} combinations and most_runs is {plan.most_runs}; leave out a level, or allow more"
    return ""
