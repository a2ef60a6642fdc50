# SPDX-License-Identifier: BSD-3-Clause
"""What is made once for all tests of a run, in whichever worker they are: a boot, a store, a site. Tests read it and change nothing."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest


class Once:
    """Folders by name. The first test that asks for one makes it; others wait, then read it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, name: str, make: Callable[[Path], object]) -> Path:
        """The folder of that name, which `make` has filled. If `make` fails, the next test that asks tries again."""
        made = self.folder / name
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.is_dir():
                making = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=self.folder))
                make(making)
                making.rename(made)
        return made


@pytest.fixture(name="once", scope="session")
def fixture_once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    base = tmp_path_factory.getbasetemp()
    return Once((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once")
