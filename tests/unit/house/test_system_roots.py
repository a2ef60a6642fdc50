# SPDX-License-Identifier: BSD-3-Clause
"""The scripts that try the newest tools in a root: a machine that can make none says why, and that is no failure; any other end is one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support import minimal_roots
from support.places import ROOT


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def run(script: Path, *arguments: str, path: Path, roots: Path, **more: str) -> subprocess.CompletedProcess[str]:
    variables = {"PATH": f"{path}:{os.environ['PATH']}", "LATLAB_ROOTS": str(roots), **more}
    return subprocess.run(("sh", str(script), *arguments), env=variables, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("fakes", "why"),
    [
        ({"id": "echo 1000\n"}, "this needs the account root"),
        ({"unshare": "exit 1\n"}, "this account may not have mounts of its own (unshare)"),
        ({"debootstrap": "echo E: no network\nexit 1\n"}, "debootstrap failed (E: no network)"),
        ({"apt-get": ""}, "apt has no entry of Debian"),
    ],
)
def test_a_machine_that_can_make_no_root_says_why_and_nothing_has_failed(tmp_path: Path, fakes: dict[str, str], why: str) -> None:
    usual = {"id": "echo 0\n", "unshare": "", "debootstrap": "", "apt-get": "echo place Debian\n"}
    for name, text in (usual | fakes).items():
        put(tmp_path / "bin" / name, text)
    done = run(ROOT / "scripts" / "root_of.sh", "sid", "true", path=tmp_path / "bin", roots=tmp_path / "roots")
    assert (done.returncode, done.stderr) == (77, f"No root of sid: {why}.\n")


@pytest.mark.parametrize(
    ("set_up", "built", "is_optional", "code"),
    [(0, 0, "", 0), (77, 1, "", 77), (77, 1, "1", 0), (1, 1, "", 77), (1, 1, "1", 0), (0, 1, "1", 1), (0, 2, "", 2)],
)
def test_what_was_not_tried_is_no_pass_unless_it_may_be_left_out(
    tmp_path: Path, set_up: int, built: int, is_optional: str, code: int
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "newest.sh", tmp_path / ".ci")
    put(tmp_path / "scripts" / "root_of.sh", f'case "$2" in *make*) exit {built} ;; esac\nexit {set_up}\n')
    optional = {"LATLAB_NEWEST_IS_OPTIONAL": is_optional}
    assert run(tmp_path / ".ci" / "newest.sh", path=tmp_path, roots=tmp_path, **optional).returncode == code


def test_a_command_that_fails_in_a_root_fails_its_proof_with_its_last_lines_and_no_root_skips(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimal_roots, "ROOT", tmp_path)
    put(
        tmp_path / "scripts" / "root_of.sh",
        "case $1 in old) echo error at last; exit 8 ;; none) echo No root of none: why. >&2; exit 77 ;; esac\n",
    )
    minimal_roots.passes_in_root("new", "make demo", "new-demo")
    with pytest.raises(AssertionError, match=r"(?s)make demo ended with 8 in old.*error at last"):
        minimal_roots.passes_in_root("old", "make demo", "old-demo")
    with pytest.raises(pytest.skip.Exception, match="No root of none: why"):
        minimal_roots.passes_in_root("none", "make demo", "none-demo")
