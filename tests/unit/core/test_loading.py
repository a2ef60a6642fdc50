# SPDX-License-Identifier: BSD-3-Clause
"""Which libraries a command does without: most commands take less time than these take to load."""

import subprocess
import sys
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from support.ladder_model import Truth, make_run

PROGRAM = """
import sys
from latlab.core.cli.app import main
try:
    main()
except SystemExit as stop:
    print(stop.code or 0, *(name for name in {names} if name in sys.modules), file=sys.stderr)
"""
SLOW = (
    "altair",
    "asyncio.base_events",
    "numpy.f2py",
    "pydantic",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "sqlalchemy",
    "vl_convert",
)
PUBLISHED = ("published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10")


def loaded(store: Path, *arguments: str) -> tuple[int, set[str]]:
    """The exit code of a command and which of the slow libraries it loaded."""
    # A folder that a killed run left in the machine's own place would be looked at, which loads more.
    environment = {"LATLAB_STORE": str(store), "PATH": "/nowhere", "TMPDIR": str(store.parent)}
    command = [sys.executable, "-c", PROGRAM.format(names=(*SLOW, "numpy", "rich.table")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=300)
    code, *names = done.stderr.splitlines()[-1].split()
    return int(code), set(names)


@pytest.fixture(name="store", scope="module")
def fixture_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("loading") / "store.sqlite"
    opened = open_store(str(place))
    run = make_run(Truth(), seed=1)
    run_id = opened.begin(run)
    opened.add(run_id, run.samples)
    opened.finish(run_id, RunStatus.COMPLETE)
    opened.close()
    return place


def test_the_help_loads_none_of_them(store: Path) -> None:
    assert loaded(store, "--help") == (0, set())


def test_the_list_loads_the_database_alone(store: Path) -> None:
    code, names = loaded(store, "ls")
    assert code == 0 and names - {"asyncio.base_events"} == {"sqlalchemy"}


def test_a_run_is_shown_without_statistics_and_charts(store: Path) -> None:
    code, names = loaded(store, "show", "last")
    assert code == 0 and not names & {"altair", "pydantic", "scipy.optimize", "scipy.special", "scipy.stats", "vl_convert"}


def test_published_tables_are_compared_without_a_store(store: Path) -> None:
    code, names = loaded(store, "compare", *PUBLISHED)
    assert code == 1 and not names & {"altair", "pydantic", "scipy.optimize", "scipy.stats", "sqlalchemy", "vl_convert"}


def test_a_run_that_is_compared_comes_from_the_store(store: Path) -> None:
    assert "sqlalchemy" in loaded(store, "compare", "last", "last")[1]
