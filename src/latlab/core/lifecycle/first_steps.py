# SPDX-License-Identifier: BSD-3-Clause
"""What a user can do next on this machine: from what is installed and which runs are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from latlab.core.errors import LatlabError
from latlab.core.kinds.registry import is_sampled
from latlab.core.lifecycle.doctor import DoctorFinding, machine_findings
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Head
from latlab.core.store.address import Place
from latlab.core.store.choice import Filter
from latlab.core.store.listing import heads
from latlab.core.store.location import is_made, store_location
from latlab.core.store.store import open_to_read

COMPARE_PUBLISHED = (
    "latlab compare published:tf-a/juno/v2.9 published:tf-a/juno/v2.10",
    "Compare two published releases of TF-A, without a run of your own",
)
WITHOUT_RUNS = (
    ("latlab run psci", "Measure PSCI on latlab's firmware in QEMU"),
    ("latlab report last -o psci.html", "Write the run as a page with charts"),
    COMPARE_PUBLISHED,
)
WITHOUT_QEMU = (
    ("latlab import console.log", "Import a board's console log"),
    ("latlab import cyclictest.txt", "Import what another tool measured"),
    COMPARE_PUBLISHED,
)


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """`state` is a sentence about the store, `missing` what `latlab run psci` lacks, each of `commands` a command and its purpose."""

    state: str
    missing: tuple[DoctorFinding, ...]
    commands: tuple[tuple[str, str], ...]


def first_steps(place: Place | None = None) -> FirstSteps:
    """Looks at this machine and at the store. Never raises for a thing that is missing."""
    lacking = [finding for finding in machine_findings() if finding.needed and not finding.usable]
    try:
        newest = heads(open_to_read(place), Filter(limit=2)) if is_made(place) else ()
    except LatlabError as error:
        return next_steps(str(error), (), lacking)
    return next_steps(_state(str(store_location(place)), newest), newest, lacking)


def next_steps(state: str, newest: Sequence[Head], lacking: Sequence[DoctorFinding]) -> FirstSteps:
    """`newest`: the newest runs, the oldest first; at most two are looked at."""
    begin = WITHOUT_QEMU if lacking else WITHOUT_RUNS
    return FirstSteps(state, tuple(lacking), _with(newest) if newest else begin)


def _state(place: str, newest: Sequence[Head]) -> str:
    if not newest:
        return f"No runs yet in {place}."
    last = newest[-1]
    return f"The newest run in {place} is {last.id} ({last.campaign} on {last.platform}, {last.status}, {last.started_utc})."


def _with(newest: Sequence[Head]) -> tuple[tuple[str, str], ...]:
    last = newest[-1]
    commands = [("latlab show last", "Print its figures"), (f"latlab report last -o {last.id}.html", "Write it as a page with charts")]
    if last.status == RunStatus.COMPLETE.value and is_sampled(last.kind):
        commands.insert(1, ("latlab explain last", "Print what its figures consist of"))
    if len(newest) > 1 and _alike(newest[-2], last):
        commands.append(("latlab compare last~1 last", "Print what changed since the run before"))
    return (*commands, ("latlab ls", "List all runs"))


def _alike(before: Head, last: Head) -> bool:
    """Whether a comparison of the two makes sense at first sight."""
    same = (before.campaign, before.kind, before.platform, before.topology, before.clock)
    return same == (last.campaign, last.kind, last.platform, last.topology, last.clock)
