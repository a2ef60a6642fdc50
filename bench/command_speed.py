# SPDX-License-Identifier: BSD-3-Clause
"""How long the commands take that one types all day, in seconds of one processor, beside what they took before and what they should take.

The commands run on a store of 10,000 runs, one of which is a whole psci run on six cores. The middle of several turns counts; the least is
beside it, because other work on the machine makes a command slower and never faster.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from latlab.core.store.schema import runs_table
from latlab.core.store.store import open_store

RECORD = Path(__file__).parent / "commands.toml"
LISTED_RUNS = 10_000
AT_ONCE = 500


@dataclass(frozen=True)
class Command:
    """`before_s` is the record, `goal_s` what it should take at most."""

    name: str
    arguments: tuple[str, ...]
    goal_s: float
    before_s: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9, help="how often each command runs")
    parser.add_argument("--source", help="the src folder of another checkout, for a record of what came before")
    options = parser.parse_args()
    record = tomllib.loads(RECORD.read_text())
    commands = [Command(one["name"], tuple(one["arguments"]), float(one["goal_s"]), float(one["before_s"])) for one in record["command"]]
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder), options.source)
        _fill(Path(folder), environment)
        taken = [[_seconds(command, Path(folder), environment) for _ in range(options.turns + 1)][1:] for command in commands]
    table = _table(zip(commands, taken, strict=True), f"Commands, s of one processor, n = {options.turns}; before: {record['before']}")
    Console(width=120).print(table)
    return 0 if all(statistics.median(times) <= command.goal_s for command, times in zip(commands, taken, strict=True)) else 1


def _environment(folder: Path, source: str | None) -> dict[str, str]:
    """With compiled modules, as an installed latlab has them, though in a folder of the bench's own."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    variables |= {"LATLAB_STORE": str(folder / "store.sqlite"), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    return variables | ({"PYTHONPATH": source} if source else {})


def _fill(folder: Path, environment: dict[str, str]) -> None:
    """A run as a user makes it, and as many like it as a user has after some years, of which the list reads no more than a line."""
    own = environment | {"PYTHONPATH": ""}
    subprocess.run(
        [sys.executable, "-m", "latlab", "run", "psci"], env=own, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    store = open_store(str(folder / "store.sqlite"))
    with store.transaction() as connection:
        row = dict(connection.execute(sa.select(runs_table)).mappings().one())
        number = row.pop("number")
        rows = [row | {"number": number + 1 + place, "id": f"{row['campaign']}-{place:05x}"} for place in range(LISTED_RUNS - 1)]
        for start in range(0, len(rows), AT_ONCE):
            connection.execute(runs_table.insert(), rows[start : start + AT_ONCE])
    (folder / "run").write_text(row["id"])
    store.close()


def _seconds(command: Command, folder: Path, environment: dict[str, str]) -> float:
    """Of the command and its children, user and system."""
    named = {"RUN": (folder / "run").read_text(), "FILE": str(folder / "report.html")}
    arguments = [named.get(one, one) for one in command.arguments]
    before = os.times()
    done = subprocess.run([sys.executable, "-m", "latlab", *arguments], env=environment, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"latlab {' '.join(arguments)}: {done.stderr.strip()}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def _table(found: Iterable[tuple[Command, list[float]]], title: str) -> Table:
    table = Table("command", "before", "now", "least", "now / before", "goal", title=title, title_justify="left")
    for command, times in found:
        now = statistics.median(times)
        cells = f"{command.before_s:.2f}", f"{now:.2f}", f"{min(times):.2f}", f"{now / command.before_s:.2f}", f"<= {command.goal_s:.2f}"
        table.add_row(command.name, *cells)
    return table


if __name__ == "__main__":
    raise SystemExit(main())
