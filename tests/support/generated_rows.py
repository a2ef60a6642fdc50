# SPDX-License-Identifier: BSD-3-Clause
"""Stores of which one cell, one row or one table holds what nobody wrote, and every verb that reads a store."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from latlab.core.store.schema import lives_table, logs_table, problems_table, runs_table, samples_table, traces_table
from support.nothing_starts import Answer, fault_of
from support.sealed_rows import reseal

TABLES = (runs_table, runs_table, runs_table, lives_table, samples_table, traces_table, problems_table, logs_table, logs_table)
KEYS = ("number", "run")
TEXTS = (
    *(
        "",
        " ",
        "x",
        "{}",
        "[]",
        "[1]",
        "[[]]",
        "null",
        "true",
        "0",
        "-1",
        "1e400",
        "nan",
        '{"a":1}',
        '[["a","b"]]',
        '[["a",1]]',
        '"x"',
        "{",
        "x,y",
    ),
    *(
        "1,,2",
        "2,4",
        "0",
        "99999999999",
        "0.x",
        "0.0",
        "9.9",
        "1.2.3",
        "spans",
        "wakeups",
        "design",
        "power",
        "running",
        "complete",
        "planned",
    ),
    *(
        "time",
        "instructions",
        "last",
        "published:x",
        "a\nb",
        "\x00",
        "\x1b[31m",
        "ü",
        "😀",
        "\u202e",
        "x" * 5000,
        "[" * 5000,
        "9" * 5000,
        "2026",
    ),
)
NUMBERS = (0, 1, -1, 2, 255, 1 << 31, (1 << 63) - 1, -(1 << 63), 0.5, -0.0, 1e308, float("inf"), float("-inf"))
BLOBS = (b"", b"\0", b"\xff", b"text", zlib.compress(b""), zlib.compress(b"\xff\xfe"), zlib.compress(b"[]"), zlib.compress(b"[[1,2]]"))
VALUES: tuple[object, ...] = (None, *TEXTS, *NUMBERS, *BLOBS)
DATE = "2026-01-01"
# {run} is the damaged run, {other} another one; those without either go through the whole store.
VERBS: tuple[tuple[str, ...], ...] = (
    ("ls",),
    ("ls", "--format", "json"),
    ("ls", "--format", "csv"),
    ("ls", "--status", "complete", "--since", DATE, "--newest", "5"),
    ("show", "{run}"),
    ("show", "{run}", "--format", "json"),
    ("show", "{run}", "--format", "csv"),
    ("show", "{run}", "--format", "rst"),
    ("show", "{run}", "--log", "console"),
    ("show", "{run}", "--class", "all"),
    ("show", "{run}", "--span", "cpu_off_serial/powerdown"),
    ("show", "{other}"),
    ("report", "{run}", "--format", "md"),
    ("report", "{run}", "--format", "rst"),
    ("report", "{run}", "{other}", "--format", "md"),
    ("export", "{run}"),
    *(
        ("export", "{run}", "--format", name)
        for name in ("csv", "junit", "benchmark", "squad", "kcidb", "chrome", "bmf", "lava", "openmetrics")
    ),
    ("compare", "{run}", "{other}"),
    ("compare", "{other}", "{run}", "--format", "json"),
    ("compare", "{other}", "{other}"),
    ("explain", "{run}"),
    ("explain", "{other}", "{run}"),
    ("explain", "{run}", "--calls", "{other}"),
    ("gate", "{run}", "{other}"),
    ("gate", "{run}", "--max-masked", "9"),
    ("history", "*/powerdown", "{other}", "{run}"),
    ("extremes", "{run}"),
    ("design", "show", "{run}"),
    ("design", "show", "design"),
    ("predict", "{run}"),
    ("runs", "label", "{run}", "kept"),
    ("runs", "label", "{other}", "kept"),
    ("runs", "rm", "{run}"),
    ("runs", "rm", "{other}"),
    ("runs", "prune", "--before", "1d"),
    ("runs", "prune", "--campaign", "psci", "--keep", "1", "--yes"),
    ("runs", "recover"),
    ("runs", "recover", "{run}"),
    ("doctor",),
    ("run", "psci"),
    ("run", "rt", "--boots", "2"),
    ("import", "rt.txt"),
    ("publish", "site", "site", "--newest", "1"),
)
OFTEN = VERBS[:-1]  # a site takes a minute, once, and a second when it is there
WHOLE = (("ls",), ("runs", "prune"), ("runs", "recover"), ("doctor",), ("publish",))


@dataclass(frozen=True, slots=True)
class Damage:
    """A cell of a run, or a whole row of it that is gone."""

    run: str
    other: str
    table: str
    column: str
    value: object
    verb: tuple[str, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        return tuple(word.format(run=self.run, other=self.other) for word in self.verb)

    @property
    def is_of_the_store(self) -> bool:
        return any(self.verb[: len(words)] == words for words in WHOLE) and "{run}" not in self.verb


def without_rules(place: Path) -> bytes:
    """The same store without what would refuse a NULL or the same id twice."""
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
        connection.commit()
    return place.read_bytes()


def ids_of(place: Path) -> list[str]:
    with closing(sqlite3.connect(place)) as connection:
        return [one for (one,) in connection.execute("SELECT id FROM runs ORDER BY number")]


def damage(random: Random, ids: Sequence[str], verbs: Sequence[tuple[str, ...]] = OFTEN) -> Damage:
    table = random.choice(TABLES)
    column = random.choice([one.name for one in table.columns if one.name not in (*KEYS, "id")])
    at = random.randrange(len(ids))
    run, other = ids[at], ids[at - 1]
    return Damage(run, other, table.name, column, random.choice(VALUES), random.choice(verbs))


def inflict(place: Path, found: Damage, random: Random) -> None:
    """A run without such a row stays as it is."""
    value = found.value.encode() if isinstance(found.value, str) and not random.randrange(6) else found.value
    put(place, found.run, found.table, found.column, value, random)


def put(place: Path, run: str, table: str, column: str, value: object, random: Random | None = None) -> None:
    """Set a cell in one row of the run, the first one where none is drawn, with the checksum that a program which wrote it would add."""
    owner = "number" if table == "runs" else "run"
    of_run = f"{owner} = (SELECT number FROM runs WHERE id = ?)"
    with closing(sqlite3.connect(place)) as connection:
        rows = [row for (row,) in connection.execute(f"SELECT number FROM {table} WHERE {of_run}", (run,))]
        if rows:
            chosen = random.choice(rows) if random else rows[0]
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE number = ?", (value, chosen))
            connection.commit()
    if column not in ("facts_checksum", "checksum", "parts"):
        reseal(place)


def fault_of_damage(case: Damage, found: Answer, undamaged: Callable[[tuple[str, ...]], Answer]) -> str:
    """Besides what every answer has to be: a refusal names the run, and what is of another run is as it would be without the damage."""
    lines = found.err.split("\n")
    warned = [line for line in lines if line.startswith("run ") and " is damaged (" in line]
    rest = Answer(found.code, found.out, "\n".join(line for line in lines if line not in warned), found.started, found.trace)
    if fault := fault_of(rest):
        return fault
    if any(not line.isprintable() for line in warned):
        return "a warning that is no line"
    if case.is_of_the_store and found.code and found.code != undamaged(case.arguments).code:
        return f"one damaged row ends the whole verb: {found.err}"
    is_of_others = "{run}" not in case.verb and not case.run.startswith(case.verb[0])
    if not is_of_others and (case.run in found.err or found.code < 2 or found.started):
        return ""
    before = undamaged(case.arguments)
    if before.code == found.code or not found.sentences or (is_of_others and case.is_of_the_store):
        return ""
    return f"{case.run} is damaged, and it ends with {found.code} where it was {before.code}: {found.err}"
