# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a user may name as a run, as a run: a published reference, a file, a stored run with its figures, several joined by `+`."""

from __future__ import annotations

from pathlib import Path

from latlab.core.comparison.joining import join_boots
from latlab.core.errors import UsageError
from latlab.core.kinds.registry import kind_of, kind_of_pair
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.store.address import LATEST, Place
from latlab.core.store.references import PREFIX, load

MOST_EARLIER = 20
UNITS = ("ns", "us", "ms", "s")
TABLES = (".rst", ".csv")


def load_reference(reference: str, unit: str = "", store: Place | None = None) -> Run:
    """`unit` is used for tables that name none; `store` is where runs are kept, None for the user's own. Raises UsageError if the unit is
    none."""
    _refuse_unknown(unit)
    return join_boots([load(name, unit, lambda stored: _stored(stored, store)) for name in _names(reference)])


def check_unit(unit: str, *references: str) -> None:
    """Raises UsageError if the unit is none, or if no reference is a file of tables: all others name their unit."""
    _refuse_unknown(unit)
    if unit and not any(Path(name.partition("#")[0]).suffix in TABLES for reference in references for name in _names(reference)):
        raise UsageError(
            f"--unit {unit} is for tables of a file (.rst or .csv); {' and '.join(references)} has a unit, leave it out", value=unit
        )


def _refuse_unknown(unit: str) -> None:
    if unit and unit not in UNITS:
        raise UsageError(f"--unit {unit!r} is not a unit", "use ns, us, ms or s", value=unit)


def load_base(reference: str, unit: str = "", store: Place | None = None) -> tuple[Run, tuple[Run, ...]]:
    """A run, and further ones of the same thing that are named with it by `+`: of wake-ups, which say what runs scatter by. The boots of
    other kinds are joined."""
    names = _names(reference)
    base = load_reference(names[0], unit, store)
    pairs = kind_of(base).pairs
    if len(names) == 1 or pairs is None or pairs.repeats is None:
        return (base if len(names) == 1 else load_reference(reference, unit, store)), ()
    return base, pairs.repeats(base, [load_reference(name, unit, store) for name in names[1:]])


def latest_beside(before: str, after: str, store: Place | None = None) -> str:
    """The run that `latest:LABEL` names beside a stored run: of the complete runs with the label the newest of the same series, or the
    newest of all if none is of it, whose comparison then says what differs. Any other reference stays as it is."""
    if not before.startswith(LATEST):
        return before
    from latlab.core.lifecycle.series import identity_of_head, newest_of_series
    from latlab.core.store.choice import Filter
    from latlab.core.store.listing import heads
    from latlab.core.store.store import open_to_read

    opened = open_to_read(store)
    candidates = heads(opened, Filter(ids=(opened.resolve(after),))) if is_stored(after) else ()
    if not candidates:
        return before
    label = before.removeprefix(LATEST)
    labelled = [head for head in heads(opened, Filter(label=label, status=RunStatus.COMPLETE.value)) if head != candidates[0]]
    base = newest_of_series(labelled, identity_of_head(candidates[0]))
    return base.id if base else before


def is_stored(reference: str) -> bool:
    """Whether it names one run of the store, and no file, no published table and no sum of runs."""
    return not (reference.startswith(PREFIX) or "+" in reference or Path(reference.partition("#")[0]).is_file())


def load_earlier(a: Run, b: Run, store: Place | None = None) -> tuple[Run, ...]:
    """The newest stored runs of wake-ups that measured what `a` did before `b` was made, with their figures; none of other kinds."""
    pairs = kind_of_pair(a, b).pairs
    if pairs is None or pairs.earlier is None:
        return ()
    from latlab.core.lifecycle.material import load_run
    from latlab.core.store.choice import Filter
    from latlab.core.store.listing import heads
    from latlab.core.store.location import is_made
    from latlab.core.store.store import open_to_read

    if not is_made(store):
        return ()
    opened = open_to_read(store)
    if not (opened.has(a.id) or opened.has(b.id)):
        return ()
    likely = heads(opened, Filter(kind=a.kind, platform=a.platform, campaign=a.campaign))
    ids = tuple(head.id for head in sorted(likely, key=lambda head: head.started_utc)[-MOST_EARLIER:])
    newest = sorted(opened.runs(Filter(ids=ids)), key=lambda run: run.started_utc) if ids else []
    return pairs.earlier((load_run(opened, run.id) for run in newest if run.id not in (a.id, b.id)), a, b)


def _stored(run: str, store: Place | None) -> Run:
    """Published tables and documents need no store, which takes a quarter of a second to load."""
    from latlab.core.lifecycle.material import load_run
    from latlab.core.store.store import open_to_read

    opened = open_to_read(store)
    return load_run(opened, run)


def _names(reference: str) -> list[str]:
    """`A+B` names the boots of both; a file of that very name is one run."""
    path, _, release = reference.partition("#")
    is_file = Path(reference).is_file() or ("+" not in release and Path(path).is_file())
    names = [reference] if is_file else reference.split("+")
    if len(names) > 1 and not all(names):
        raise UsageError(f"{reference!r} lacks a name beside a +", "name every run, as in A1+A2", value=reference)
    return names
