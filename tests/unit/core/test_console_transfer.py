# SPDX-License-Identifier: BSD-3-Clause
"""A file for a board arrives whole or is refused, whatever labgrid says of the transfer."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from latlab.core.errors import LatlabError
from latlab.core.targets.linux.labgrid_board import LINE_BYTES, LabgridBoard


@dataclass
class Console:
    """A driver whose commands run here, and whose transfers lose all behind the first `kept` bytes without a word."""

    kept: int
    path: str = os.environ["PATH"]
    puts: int = 0

    def run(self, text: str, timeout: float, decodeerrors: str) -> tuple[list[str], list[str], int]:
        done = subprocess.run(
            ("/bin/sh", "-c", text), capture_output=True, text=True, env={"PATH": self.path}, timeout=timeout, check=False
        )
        return done.stdout.splitlines(), done.stderr.splitlines(), done.returncode

    def put(self, local: str, remote: str) -> None:
        self.puts += 1
        Path(remote).write_bytes(Path(local).read_bytes()[: self.kept])


@dataclass
class Target:
    driver: Console
    name: str = "board"

    def get_active_driver(self, protocol: str) -> Any:
        return self.driver

    def deactivate(self, driver: Any) -> None:
        pass


@pytest.mark.parametrize("kept", [0, 100, 1 << 20])
@pytest.mark.parametrize("size", [0, 1, LINE_BYTES, LINE_BYTES + 1, 5 * LINE_BYTES - 1])
def test_a_file_arrives_whole_where_the_transfer_lost_it(tmp_path: Path, kept: int, size: int) -> None:
    local, remote = tmp_path / "local", tmp_path / "the remote"
    local.write_bytes(os.urandom(size))
    LabgridBoard(Target(Console(kept))).put(local, str(remote))
    assert remote.read_bytes() == local.read_bytes()
    assert os.access(remote, os.X_OK)


def test_a_file_that_cannot_arrive_is_refused_with_its_size(tmp_path: Path) -> None:
    """As on a board without base64."""
    for name in ("chmod", "wc"):
        (tmp_path / name).symlink_to(f"/bin/{name}" if Path(f"/bin/{name}").exists() else f"/usr/bin/{name}")
    local, remote = tmp_path / "local", tmp_path / "remote"
    local.write_bytes(bytes(300))
    with pytest.raises(LatlabError, match=r"board: .*remote.* (has 0 of 300 bytes|not found)"):
        LabgridBoard(Target(Console(0, path=str(tmp_path)))).put(local, str(remote))
