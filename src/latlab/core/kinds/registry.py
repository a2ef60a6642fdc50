# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of runs: those of latlab, and those of installed packages, which name theirs as an entry point of the group `latlab.kinds`.

A row is loaded when a run of its kind is asked for. Packages are looked at only for a kind that is not one of latlab's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from latlab.core.errors import DataError
from latlab.core.kinds.file_format import FileFormat
from latlab.core.kinds.kind import Pairs, RunKind
from latlab.core.model.run import Contents, Run

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison

GROUP = "latlab.kinds"
FORMATS = "latlab.formats"
BUILT_IN: Mapping[str, str] = {
    "attacks": "latlab.runs.kinds.attacks",
    "design": "latlab.runs.kinds.experiments",
    "amounts": "latlab.runs.kinds.benchmarks",
    "wakeups": "latlab.runs.kinds.rt",
    "power": "latlab.runs.kinds.power",
    "spans": "latlab.runs.kinds.psci",
}
"""By kind, the module whose `KIND` is its row. Two runs of different kinds are compared by the first of these."""
CAMPAIGNS: Mapping[str, str] = {"psa": "latlab.runs.kinds.psa", "steal": "latlab.runs.kinds.steal"}
"""Campaigns whose runs have more than others of their kind."""

AnyKind = RunKind[Any, Any]
Record = TypeVar("Record")


class UnknownKind(DataError, ValueError):
    """A run is of a kind that no installed package has. Whoever reads rows or files takes it for a value that is not allowed there."""


def kinds() -> tuple[AnyKind, ...]:
    """The kinds of latlab, then those of installed packages."""
    return (*(kind_named(name) for name in BUILT_IN), *(_plugin(name) for name in _entry_points()))


@cache
def kind_named(name: str) -> AnyKind:
    """Raises UnknownKind if neither latlab nor an installed package has it."""
    if name in BUILT_IN:
        return _row(BUILT_IN[name])
    if name not in _entry_points():
        raise UnknownKind(f"no installed package reads runs of the kind {name!r}", "install the one that made them", value=name)
    return _plugin(name)


def is_sampled(name: str) -> bool:
    """Whether runs of a kind have samples in the store; no for a kind that no installed package has."""
    return (name in BUILT_IN or name in _entry_points()) and kind_named(name).is_sampled


@cache
def has_figures(name: str) -> bool:
    """Whether runs of a kind have figures to follow; no for a kind that no installed package has."""
    return (name in BUILT_IN or name in _entry_points()) and not kind_named(name).analysis.without_figures


def kind_of(run: Run) -> AnyKind:
    return kind_named(run.kind)


def row_of(run: Run) -> AnyKind:
    """What the campaign of a run has of its own, or else its kind."""
    return _campaign_row(run.campaign) if run.campaign in CAMPAIGNS else kind_of(run)


def kind_of_pair(a: Run, b: Run) -> AnyKind:
    """The kind by which two runs are compared."""
    names = (a.kind, b.kind)
    return kind_named(next((name for name in BUILT_IN if name in names), a.kind))


def pairs_of(comparison: Comparison) -> Pairs[Any]:
    """What reports say of a comparison. The comparison was made by these pairs, so there are some."""
    pairs = kind_of_pair(comparison.a, comparison.b).pairs
    assert pairs is not None
    return pairs


def empty_contents(name: str) -> Contents:
    """The contents of a run before they are read."""
    contents: Contents = kind_named(name).contents()
    return contents


@cache
def _row(module: str) -> AnyKind:
    row: AnyKind = import_module(module).KIND
    return row


def _campaign_row(campaign: str) -> AnyKind:
    return _row(CAMPAIGNS[campaign])


def file_formats() -> tuple[FileFormat, ...]:
    """The formats of installed packages. latlab asks them about files that it does not know itself."""
    return tuple(_loaded(point, FileFormat) for point in _points(FORMATS).values())


@cache
def _entry_points() -> Mapping[str, Any]:
    return {name: point for name, point in _points(GROUP).items() if name not in BUILT_IN}


@cache
def _points(group: str) -> Mapping[str, Any]:
    from importlib.metadata import entry_points

    points: Iterable[Any] = entry_points(group=group)
    return {point.name: point for point in points}


@cache
def _plugin(name: str) -> AnyKind:
    row: AnyKind = _loaded(_entry_points()[name], RunKind)
    return row


def _loaded(point: Any, record: type[Record]) -> Record:
    """Raises DataError if the package fails to load, or names something else."""
    package = point.dist.name if point.dist else point.value
    cure = "update or uninstall the package"
    try:
        row = point.load()
    except Exception as error:  # a package can fail in any way
        raise DataError(f"{point.name!r} in {point.group} of {package} cannot be loaded ({error}); {cure}", value=point.name) from error
    if not isinstance(row, record) or row.name != point.name:  # type: ignore[attr-defined]
        raise DataError(f"{point.name!r} in {point.group} of {package} is no {record.__name__} of that name; {cure}", value=point.name)
    return row
