# SPDX-License-Identifier: BSD-3-Clause
"""A release that is built twice, from two checkouts that differ in all that a builder may choose, is the same byte for byte."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.places import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.firmware]
TIMEOUT_S = 3600
SOMEBODY_ELSE = (
    *("unshare", "--map-root-user", "--uts", "sh", "-c"),
    *('hostname elsewhere && exec unshare --user --map-user=1234 --map-group=1234 "$@"', "sh"),
)


def clone(root: Path) -> Path:
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(root)), check=True)
    return root


def other_user() -> tuple[str, ...]:
    """Words before a command that give it another user's number and a host of another name; a chroot and some kernels refuse that."""
    can = subprocess.run((*SOMEBODY_ELSE, "true"), capture_output=True, check=False).returncode == 0
    return SOMEBODY_ELSE if can else ()


def release(root: Path, user: tuple[str, ...] = (), **chosen: str) -> dict[str, str]:
    """The files of a release by name, as SHA-256; built with an empty cache, which is not in the clone: it would go into the sdist."""
    # The tools are those of this environment, the sources those of the clone.
    variables = {**os.environ, "XDG_CACHE_HOME": str(root.with_name(f"{root.name}-cache")), "PYTHONPATH": str(root / "src"), **chosen}
    variables.pop("SOURCE_DATE_EPOCH", None)
    for command in (("make", "firmware", "sbi", "host-aarch64"), (sys.executable, "scripts/release.py")):
        done = subprocess.run((*user, *command), cwd=root, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((root / "dist").iterdir())}


def test_two_checkouts_of_a_commit_give_the_same_files(tmp_path: Path) -> None:
    roots = [clone(tmp_path / place) for place in ("one", "another/with/a-longer-name")]
    user = other_user()
    print("the second one by another user on a host of another name" if user else "both by the same user: this kernel lends no other")
    one = release(roots[0], TZ="UTC", LC_ALL="C.UTF-8")
    old = os.umask(0o077)
    try:
        other = release(roots[1], user, TZ="Asia/Tokyo", LC_ALL="C", USER="somebody", HOME=str(roots[1].parent))
    finally:
        os.umask(old)
    print(*(f"{digest}  {name}" for name, digest in one.items()), sep="\n")
    assert sorted(Path(name).suffix for name in one) == ["", "", ".deb", ".deb", ".gz", ".gz", ".json", ".json", ".whl", ".whl"]
    assert one == other
