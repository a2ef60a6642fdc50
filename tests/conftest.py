# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from latlab.psci.targets.board import Board, load_board
from latlab.psci.targets.virtual_program import find_program
from latlab.virtual.campaign.exploration import find_explorer
from support import preloaded
from support.costs import Meter
from support.needs import found, may_be_real_time
from support.once import fixture_once  # noqa: F401 - the fixture is asked for by its name

# How long an example takes on a loaded machine is no property of what is tested.
settings.register_profile("latlab", deadline=None)
settings.load_profile("latlab")

Latlab = Callable[..., subprocess.CompletedProcess[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--test-costs", metavar="FILE", type=Path, help="write what each test and fixture cost to FILE, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    if (file := config.getoption("--test-costs")) is not None:
        config.pluginmanager.register(Meter(file))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("realtime") and not may_be_real_time():
        pytest.skip("this account may not have real-time priority; run as root or give it CAP_SYS_NICE")


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
