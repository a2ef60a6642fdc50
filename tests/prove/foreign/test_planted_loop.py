# SPDX-License-Identifier: BSD-3-Clause
"""Slow: a needless loop in one function of somebody else's firmware, in one of ten commits: found, named, and stopped by the gate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.debian_sources import copied, source
from support.foreign import SUBJECT, TFA_BUILD, with_loop
from support.repositories import commit, git, new_repository, state

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

TIMEOUT_S = 7200
LATLAB = Path(sys.executable).with_name("latlab")
COMMITS, GUILTY = 10, 4
SUSPEND = "lib/psci/psci_suspend.c"
FUNCTION = "psci_cpu_suspend_start"
TURNS = 25


def latlab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    command = (str(LATLAB), *words)
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL
    )


def history_of(folder: Path, guilty: int) -> tuple[Path, str]:
    """A repository of ten commits that each change a file; the hash of the one with the loop, the only one that changes the code."""
    repository = new_repository(folder)
    tree = copied(source("arm-trusted-firmware", "trixie"), folder.with_name("upstream"))
    for path in tree.iterdir():
        path.rename(repository / path.name)
    git(repository, "config", "core.autocrlf", "false")
    hashes = []
    for number in range(1, COMMITS + 1):
        suspend = (repository / SUSPEND).read_text("utf-8")
        text = with_loop(suspend, FUNCTION, TURNS) if number == guilty else suspend
        version = f"const unsigned int planted_release = {number}U;\n"
        (repository / "lib/psci/planted_release.c").write_text(version, "utf-8")
        hashes.append(commit(repository, f"step {number}", {SUSPEND: text, "subject.toml": SUBJECT}))
    return repository, hashes[guilty - 1]


def test_bisect_names_the_commit_and_the_function_and_the_gate_fails_with_both(tmp_path: Path) -> None:
    guilty = GUILTY
    repository, wanted = history_of(tmp_path / "theirs", guilty)
    before = state(repository)
    words = ("--repo", str(repository), "--subject", str(repository / "subject.toml"), "--figure", "cpu_susp_serial/powerdown")
    found = latlab(tmp_path, "bisect", f"HEAD~{COMMITS - 1}..HEAD", *words, "--build", TFA_BUILD)
    assert found.returncode == 0, found.stderr
    print(found.stdout, found.stderr)
    assert f'{wanted[:12]} "step {guilty}" changed cpu_susp_serial/powerdown: ' in found.stdout
    assert f"{FUNCTION} ({SUSPEND}:" in found.stdout
    assert found.stderr.count(": building") <= 6
    assert state(repository) == before
    gate = latlab(tmp_path, *next(line for line in found.stdout.splitlines() if "latlab gate" in line).split()[1:])
    print(gate.stdout)
    assert gate.returncode == 1
    assert f'commit {wanted[:12]} "step {guilty}"' in gate.stdout
    assert f"{FUNCTION} ({SUSPEND}:" in gate.stdout
