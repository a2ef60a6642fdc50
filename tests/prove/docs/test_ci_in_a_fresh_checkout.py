# SPDX-License-Identifier: BSD-3-Clause
"""Slow: what ci/install.sh makes in a checkout that has built nothing is all that the commands of docs/howto/ci.md need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from latlab.core.targets.qemu.images import search_folders
from support.places import ROOT
from support.psa_subjects import own_text

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

TIMEOUT_S = 3600
BUILT = search_folders()[0]
THEIRS = 'name = "firmware"\nsymbols = ["{built}/firmware.elf"]\n[[image]]\nfile = "{built}/firmware.bin"\nflash = 0\n'


@pytest.fixture(name="checkout", scope="module")
def fixture_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its packages are those of this environment, its modules and its programs its own."""
    folder = tmp_path_factory.mktemp("ci") / "latlab"
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(folder)), check=True)
    (folder / ".venv").mkdir()
    (folder / ".venv/bin").symlink_to(Path(sys.prefix) / "bin", target_is_directory=True)
    (folder / ".venv/.installed").touch()  # else it would install itself into this environment
    os.utime(folder / "pyproject.toml", (0, 0))
    done = subprocess.run(("sh", "ci/install.sh"), cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def job(checkout: Path, folder: Path, run: str, branch: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": str(checkout / "src"),
        "LATLAB_RUN": run,
        "LATLAB_BRANCH": branch,
        "LATLAB_COMMIT": "0" * 40,
    }
    variables.pop("LATLAB_STORE", None)
    command = (sys.executable, str(checkout / "ci/gate.py"))
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


def test_a_change_of_a_firmware_is_judged_by_what_was_just_installed(checkout: Path, tmp_path: Path) -> None:
    for variant, branch, code in (("qemu_virt", "main", 0), ("qemu_virt", "good", 0), ("qemu_virt-debug", "bad", 1)):
        (tmp_path / "firmware.toml").write_text(THEIRS.format(built=BUILT / variant))
        done = job(checkout, tmp_path, "run psci --subject firmware.toml --iterations 2", branch)
        assert done.returncode == code, done.stdout + done.stderr
        assert str(ROOT / "src") not in done.stderr
    comment = (tmp_path / "latlab-out/comment.md").read_text()
    assert "by function" in comment and len(comment.splitlines()) <= 30


def test_a_secure_partition_manager_is_called_by_what_was_just_installed(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "firmware.toml").write_text(own_text("sfn_l1"))
    done = job(checkout, tmp_path, "run psa --subject firmware.toml --iterations 1", "main")
    assert done.returncode == 0, done.stderr
