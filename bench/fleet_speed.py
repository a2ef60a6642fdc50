# SPDX-License-Identifier: BSD-3-Clause
"""What each daily verb costs in stores of different sizes: seconds of one processor and peak memory of its process, and how both grow.
The runs are those of a generated fleet, of 2,160 samples each. A database URL instead of a folder keeps them in PostgreSQL."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from latlab.core.model.enums import RunStatus
from latlab.core.store.choice import Filter
from latlab.core.store.listing import heads
from latlab.core.store.store import open_store
from support.fleets import Fleet, write

BOARDS = 500
NOWHERE = "2100-01-01"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[1, 1_000, 10_000], help="runs of each store")
    parser.add_argument("--store", nargs="+", default=[], help="stores that exist, in place of generated ones")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = options.store or [_fleet(Path(folder) / f"{runs}.sqlite", runs) for runs in options.runs]
        costs = {place: _costs(place) for place in places}
        counts = [open_store(place).count() for place in places]
    table = Table("verb", *(f"{count:,} runs" for count in counts), title_justify="left")
    table.title = "s of one processor, MiB at the peak; n = 1"
    for verb in costs[places[-1]]:
        table.add_row(verb, *(_text(costs[place].get(verb)) for place in places))
    Console(width=120).print(table)
    return 0


def _fleet(place: Path, runs: int) -> str:
    boards = min(BOARDS, runs)
    write(Fleet(boards, runs // boards, boots=5, iterations=6), str(place)).close()
    return str(place)


def _costs(place: str) -> dict[str, tuple[float, float]]:
    store = open_store(place)
    (last,) = heads(store, Filter(limit=1))
    alike = [head.id for head in heads(store, Filter(platform=last.platform, status=RunStatus.COMPLETE.value, limit=10))]
    verbs = {
        "ls": ("ls",),
        "ls --newest 20": ("ls", "--newest", "20"),
        "ls --platform": ("ls", "--platform", last.platform),
        "ls --format json": ("ls", "--format", "json"),
        "ls --condition": ("ls", "--condition", "priority=1"),
        "show": ("show", last.id),
        "report": ("report", last.id, "-o", os.devnull),
        "doctor": ("doctor",),
        "runs prune --keep-weekly 52": ("runs", "prune", "--keep-weekly", "52"),
        "runs prune, nothing chosen": ("runs", "prune", "--since", NOWHERE),
        "regressions, nothing new": ("regressions", "--since", NOWHERE),
    }
    if len(alike) > 1:
        verbs |= {
            "compare of two": ("compare", *alike[-2:]),
            "history of ten": ("history", "susp_deep_serial/wakeup", *alike),
        }
    return {name: _cost(verb, place) for name, verb in verbs.items()}


def _cost(verb: tuple[str, ...], place: str) -> tuple[float, float]:
    """Of the process and its children: user and system time, and its peak."""
    command = (sys.executable, "-m", "latlab", *verb, "--store", place)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _text(cost: tuple[float, float] | None) -> str:
    return f"{cost[0]:.2f} s, {cost[1]:.0f} MiB" if cost else "-"


if __name__ == "__main__":
    raise SystemExit(main())
