# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import gc
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from latlab.core.cli import ids
from latlab.psci.targets.board import Board, load_board
from latlab.psci.targets.virtual_program import find_program
from latlab.virtual.campaign.exploration import find_explorer
from support import preloaded
from support.costs import Meter
from support.drawn_once import keep_drawings_in
from support.examples import load_profile
from support.needs import found, may_be_real_time
from support.once import Once, fixture_once  # noqa: F401 - the fixture is asked for by its name
from support.order import dealt, shuffled
from support.products import PRODUCTS, product_of
from support.skips import Skips

load_profile()

Latlab = Callable[..., subprocess.CompletedProcess[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--test-costs", metavar="FILE", type=Path, help="write what each test and fixture cost to FILE, as JSON")
    parser.addoption(
        "--listed-skips", action="store_true", help="fail if a test is skipped for a reason that tests/skips.toml does not list"
    )
    parser.addoption("--shuffle", metavar="SEED", type=int, help="run files, and the tests of each, in the random order of this seed")
    parser.addoption("--product", choices=sorted(PRODUCTS), help="the unit and system tests of one product")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts what runs in its background with SIGINT ignored, and every process that a test interrupts would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if (file := config.getoption("--test-costs")) is not None:
        config.pluginmanager.register(Meter(file))
    if config.getoption("--listed-skips") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if (seed := config.getoption("--shuffle")) is not None:
        items[:] = shuffled(items, seed)
    elif (workers := getattr(config, "workerinput", {}).get("workercount", 1)) > 1:
        items[:] = dealt(items, workers)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the collector of garbage need not walk it again and again."""
    gc.collect()
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    product = config.getoption("--product")
    return True if product and product_of(collection_path) not in (None, product) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("realtime") and not may_be_real_time():
        pytest.skip("this account may not have real-time priority; run as root or give it CAP_SYS_NICE")


@pytest.fixture(scope="session", autouse=True)
def _no_store_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test that names no store finds an empty folder, whatever stands on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def _no_ids_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb that another test called in this process handed nothing over."""
    monkeypatch.setattr(ids, "_handing", ids._Handing())


@pytest.fixture(scope="session", autouse=True)
def _drawings(once: Once) -> None:
    preloaded.drawings = once.folder / "drawings"
    keep_drawings_in(preloaded.drawings)


@pytest.fixture
def latlab(tmp_path: Path) -> Latlab:
    """Run the command as a user does, with a store of its own."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "LATLAB_STORE": str(tmp_path / "store.sqlite"), "NO_COLOR": "1", **environment}
        command = [preloaded.command(), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


@pytest.fixture(name="program", scope="session")
def fixture_program() -> Path:
    """The psci core in virtual time."""
    return found(find_program)


@pytest.fixture(name="explorer", scope="session")
def fixture_explorer() -> Path:
    """The model checker of the psci core."""
    return found(find_explorer)


@pytest.fixture(name="juno", scope="session")
def fixture_juno() -> Board:
    return load_board("juno")
