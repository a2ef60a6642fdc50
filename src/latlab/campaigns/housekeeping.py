# SPDX-License-Identifier: BSD-3-Clause
"""Which runs of a store may go, and since when runs are wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from latlab.campaigns.workloads import seconds_of
from latlab.errors import UsageError
from latlab.model.enums import RunStatus
from latlab.model.life import Head
from latlab.store.listing import Filter, heads
from latlab.store.store import Store

SINCE = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d:\d\d(:\d\dZ?)?)?)?")
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


def prunable(store: Store, wanted: Filter, keep: int) -> list[Head]:
    """What is wanted but for the newest `keep`, what is under way, and what has a label while none is asked for."""
    found = [head for head in heads(store, wanted) if head.status not in UNDER_WAY]
    return [head for head in (found[:-keep] if keep else found) if wanted.label or not head.label]


def check_ended(store: Store, ids: Sequence[str]) -> None:
    """Raises UsageError for a run that is under way."""
    under_way = {life.run_id for life in store.lives() if life.owner is not None}
    for run_id in ids:
        if run_id in under_way:
            raise UsageError(f"{run_id} is under way; end it first, or `latlab recover {run_id}` if its latlab is gone")
