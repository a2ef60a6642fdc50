# SPDX-License-Identifier: BSD-3-Clause
"""How long a site of many runs takes, in seconds of one processor: written for the first time, again with nothing new, and with one run
more of each campaign. The runs are generated, of all campaigns on several boards over two years; the processes are those of a user."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from latlab.core.model.enums import RunStatus
from latlab.core.store.schema import runs_table
from support.many_runs import more, years

FIRST_S, ONE_MORE_S = 60.0, 2.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000, help="runs of the store")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, site = Path(folder) / "store.sqlite", Path(folder) / "site"
        store = years(place, options.runs)
        first = _seconds(place, site)
        taken = [("first", first, FIRST_S), ("nothing new", _seconds(place, site), ONE_MORE_S)]
        with store.transaction() as connection:
            columns = (runs_table.c.campaign, sa.func.max(runs_table.c.number))
            newest = connection.execute(
                sa.select(*columns).where(runs_table.c.status == RunStatus.COMPLETE.value).group_by(columns[0])
            ).all()
        for campaign, number in newest:
            more(store, number)
            taken.append((f"one more of {campaign}", _seconds(place, site), ONE_MORE_S))
    table = Table("site", "s", "goal", title=f"A site of {options.runs:,} runs, s of one processor, n = 1", title_justify="left")
    for name, seconds, goal in taken:
        table.add_row(name, f"{seconds:.2f}", f"<= {goal:.0f}")
    Console(width=100).print(table)
    return 0 if all(seconds <= goal for _, seconds, goal in taken) else 1


def _seconds(place: Path, site: Path) -> float:
    """Of the command and its children, user and system."""
    command = (sys.executable, "-m", "latlab", "publish", "site", str(site), "--store", str(place))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = os.times()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=environment | {"PYTHONPYCACHEPREFIX": str(site.parent / "compiled")})
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    raise SystemExit(main())
