# SPDX-License-Identifier: BSD-3-Clause
"""Which runs of a store may go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from latlab.core.comparison.conditions import Identity
from latlab.core.comparison.verdicts import Verdict
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.series import identity_of_head
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Head
from latlab.core.model.provenance import SHORT
from latlab.core.store.choice import Filter
from latlab.core.store.comparisons import runs_with_verdict
from latlab.core.store.listing import heads
from latlab.core.store.store import Store

COMMIT = re.compile(r"[0-9a-fA-F]{12,64}")
UNDER_WAY = (RunStatus.RUNNING, RunStatus.PLANNED)
CHANGED = (Verdict.REGRESSED.value, Verdict.IMPROVED.value)


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept of the chosen runs: the newest `newest` of all; and of each measured thing the newest run of a day, an ISO week or a
    month, for the newest so many of them that have runs."""

    newest: int = 0
    daily: int = 0
    weekly: int = 0
    monthly: int = 0


def prunable(store: Store, chosen: Filter, retention: Retention) -> list[Head]:
    """The chosen runs that no rule keeps. Runs under way, runs with a label while none is asked for, and both runs of a comparison that
    found a change are kept."""
    candidates = [head for head in heads(store, chosen) if head.status not in UNDER_WAY]
    kept_ids = {head.id for head in (candidates[-retention.newest :] if retention.newest else ())}
    kept_ids |= {head.id for head in candidates if head.label and not chosen.label}
    kept_ids |= runs_with_verdict(store, CHANGED) | _kept_by_period(candidates, retention)
    return [head for head in candidates if head.id not in kept_ids]


def _kept_by_period(candidates: Sequence[Head], retention: Retention) -> set[str]:
    kept_ids = set()
    for period, count in ((_day, retention.daily), (_week, retention.weekly), (_month, retention.monthly)):
        newest: dict[Identity, dict[str, str]] = {}
        for head in candidates if count else ():
            newest.setdefault(identity_of_head(head), {})[period(head)] = head.id
        for by_period in newest.values():
            kept_ids |= {by_period[name] for name in sorted(by_period)[-count:]}
    return kept_ids


def _day(head: Head) -> str:
    return head.started_utc[:10]


def _week(head: Head) -> str:
    """A run that does not say when it began is in none, and kept with the oldest."""
    try:
        year, week, _ = date.fromisoformat(head.started_utc[:10]).isocalendar()
    except ValueError:
        return ""
    return f"{year}-W{week:02}"


def _month(head: Head) -> str:
    return head.started_utc[:7]


def removed_ids(store: Store, ids: Sequence[str] | None) -> list[str]:
    """All removed runs, or these. Raises UsageError for one that is not among them."""
    removed = [head.id for head in heads(store, Filter(is_removed=True))]
    for run_id in ids or ():
        if run_id not in removed:
            raise UsageError(f"{run_id!r} is no removed run in {store.place}", "`latlab ls --removed` lists them", value=run_id)
    return list(ids) if ids else removed


def check_measured_from(store: Store, run_id: str, commit: str) -> None:
    """Raises DataError unless the run is known to be of this commit: its job said so, or a git tree that its files lay in stood there."""
    if not COMMIT.fullmatch(commit):
        raise UsageError(f"--measured-from {commit!r} is no commit", "write its hash, 12 digits at least", value=commit)
    provenance = store.load(run_id).provenance
    if provenance.commit and not _same_commit(provenance.commit, commit):
        raise DataError(f"{run_id} was measured from commit {provenance.commit[:SHORT]}, not from {commit[:SHORT]}; it gets no label")
    trees = [tree for tree in provenance.trees if _same_commit(tree.commit, commit)]
    if not provenance.commit and not trees:
        known_trees = "; ".join(map(str, provenance.trees)) or "its commit is unknown"
        raise DataError(
            f"{run_id} is not known to be measured from {commit[:SHORT]} ({known_trees})", "set LATLAB_COMMIT for the measurement"
        )
    if changed := next((tree for tree in trees if not tree.is_clean), None):
        raise DataError(f"{run_id} is of {changed}; it gets no label: measure it from the commit alone")


def _same_commit(recorded: str, requested: str) -> bool:
    """Either may be shortened."""
    return bool(recorded) and (recorded.lower().startswith(requested.lower()) or requested.lower().startswith(recorded.lower()))


def check_ended(store: Store, ids: Sequence[str]) -> None:
    """Raises UsageError for a run that is under way."""
    under_way = {life.run_id for life in store.unfinished_runs() if life.owner is not None}
    for run_id in ids:
        if run_id in under_way:
            raise UsageError(f"{run_id} is in progress", f"end it first, or `latlab runs recover {run_id}` if its latlab process has died")
