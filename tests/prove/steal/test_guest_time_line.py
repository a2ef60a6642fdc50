# SPDX-License-Identifier: BSD-3-Clause
"""A real run on one time line, under a load of TRNG calls that the firmware holds: the probe, the ring and the cycle counters agree."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from latlab.rt.analysis.lateness_parts import TORN_CYCLES
from support.places import ROOT
from support.trace_tables import tables_of

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

READS = "while :; do dd if=/dev/hwrng of=/dev/null bs=64 count=1; sleep 0.01; done"
MEASURED = ("--target", "guest", "--causes", "--instrument", "recorder", "--load", READS, "--hold", "50", "-D", "1s", "--threshold", "40")
STOLEN = """
SELECT EXTRACT_ARG(taken.arg_set_id, 'debug.stolen_ns'), SUM(world.dur), SUM(world.dur > 10000)
FROM slice AS taken JOIN slice AS world ON world.ts + world.dur / 2 BETWEEN taken.ts AND taken.ts + taken.dur
WHERE taken.category = 'stolen' AND world.category = 'worlds' AND world.name = 'EL3' GROUP BY taken.id
"""


def latlab(store: Path, *arguments: str) -> str:
    command = (sys.executable, "-m", "latlab", *arguments, "--store", str(store))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, sqlite3.Connection]:
    folder = tmp_path_factory.mktemp("time-line")
    store = folder / "runs.sqlite"
    latlab(store, "run", "rt", *MEASURED)
    latlab(store, "run", "rt", *MEASURED, "--worlds")
    latlab(store, "export", "last", "--format", "perfetto", "-o", str(folder / "a.pftrace"))
    return store, tables_of((folder / "a.pftrace").read_bytes())


def test_the_probe_changes_no_sample(runs: tuple[Path, sqlite3.Connection]) -> None:
    assert "the samples are all identical" in latlab(runs[0], "compare", "last~1", "last")


def test_every_stolen_wake_up_is_listed_with_its_cause_and_adds_up(runs: tuple[Path, sqlite3.Connection]) -> None:
    query = re.search(r"```sql\n(.*?)```", (ROOT / "docs" / "reference" / "time-line.md").read_text(), re.DOTALL)
    assert query is not None
    rows = runs[1].execute(query[1]).fetchall()
    print(len(rows), {row[2] for row in rows}, sum(row[5] is not None for row in rows))
    assert len(rows) > 25 and sum(row[2].startswith("TRNG_RND, called by") for row in rows) >= 0.95 * len(rows)
    assert all(row[4] == row[1] for row in rows)
    assert all(row[5] is not None and 0 < row[5] <= row[1] for row in rows)


def test_every_theft_that_the_counters_show_is_what_the_probe_saw_in_el3(runs: tuple[Path, sqlite3.Connection]) -> None:
    """The counters are the same few ns off for each call, either way by the rate that was found, where no reading of them was behind."""
    rows = runs[1].execute(STOLEN).fetchall()
    beside = Counter((stolen - el3) / calls for stolen, el3, calls in rows)
    print(len(rows), beside)
    assert len(rows) > 25 and all(abs(stolen - el3) <= TORN_CYCLES for stolen, el3, _ in rows)
    (usual, times), *_ = beside.most_common(1)
    assert abs(usual) <= 8 and times >= 0.9 * len(rows)
