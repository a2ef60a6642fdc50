# SPDX-License-Identifier: BSD-3-Clause
"""Which runs of a store may go, and since when runs are wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Head
from latlab.core.model.provenance import SHORT
from latlab.core.store.choice import Filter
from latlab.core.store.listing import heads
from latlab.core.store.store import Store
from latlab.rt.campaign.workloads import seconds_of

SINCE = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d:\d\d(:\d\dZ?)?)?)?")
COMMIT = re.compile(r"[0-9a-fA-F]{12,64}")
UNDER_WAY = (RunStatus.RUNNING, RunStatus.PLANNED)


def moment(option: str, text: str) -> str:
    """`2026-11-01`, or `7d`: so long ago, as runs note their start. Raises UsageError in the name of the option."""
    if not text or SINCE.fullmatch(text):
        return text
    try:
        ago = timedelta(seconds=seconds_of(text))
    except UsageError:
        raise UsageError(f"--{option} {text!r} is no date and no duration; write it as 2026-11-01 or 7d") from None
    return (datetime.now(UTC) - ago).strftime("%Y-%m-%dT%H:%M:%SZ")


def prunable(store: Store, chosen: Filter, keep: int) -> list[Head]:
    """What is wanted but for the newest `keep`, what is under way, and what has a label while none is asked for."""
    candidates = [head for head in heads(store, chosen) if head.status not in UNDER_WAY]
    return [head for head in (candidates[:-keep] if keep else candidates) if chosen.label or not head.label]


def check_measured_from(store: Store, run_id: str, commit: str) -> None:
    """Raises DataError unless the run is known to be of this commit: its job said so, or a git tree that its files lay in stood there."""
    if not COMMIT.fullmatch(commit):
        raise UsageError(f"--measured-from {commit!r} is no commit; write its hash, 12 digits at least")
    provenance = store.load(run_id).provenance
    if provenance.commit and not _same_commit(provenance.commit, commit):
        raise DataError(f"{run_id} was measured from commit {provenance.commit[:SHORT]}, not from {commit[:SHORT]}; it gets no label")
    trees = [tree for tree in provenance.trees if _same_commit(tree.commit, commit)]
    if not provenance.commit and not trees:
        known_trees = "; ".join(map(str, provenance.trees)) or "its commit is unknown"
        raise DataError(
            f"{run_id} is not known to be measured from {commit[:SHORT]} ({known_trees}); set LATLAB_COMMIT for the measurement"
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
            raise UsageError(f"{run_id} is in progress; end it first, or `latlab runs recover {run_id}` if its latlab process has died")
