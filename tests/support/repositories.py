# SPDX-License-Identifier: BSD-3-Clause
"""Git repositories made for a test."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from latlab.commits.targets import clean


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(("git", "-C", str(folder), *identity, *words), capture_output=True, text=True, check=True, env=clean())
    return done.stdout.strip()


def new_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    return folder


def commit(folder: Path, subject: str, files: Mapping[str, str]) -> str:
    """The commit's hash."""
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def state(folder: Path) -> tuple[str, ...]:
    """What must not change: files, branches, work trees, and everything in the folder of git itself."""
    inside = "\n".join(sorted(f"{path.relative_to(folder)} {path.stat().st_mtime_ns}" for path in folder.rglob("*") if path.is_file()))
    return git(folder, "for-each-ref"), git(folder, "rev-parse", "HEAD"), git(folder, "worktree", "list"), inside
