# SPDX-License-Identifier: BSD-3-Clause
"""Which programs and headers the tests took that set-up does not install: what a new machine may lack. On Debian, as root.

Usage: outside_setup.py mark; make test; outside_setup.py list. `mark` gives each program and header of other packages an old access time,
`list` names those that were read since, by package, and ends with 1 if there are any. A package is set-up's if `scripts/setup.sh --packages
dev` prints it, or such a package depends on it. Essential packages, and those that README asks for, are on every machine.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
STAMP = ROOT / "build" / "outside-setup.stamp"
README_ASKS_FOR = ("git", "make", "ca-certificates")
TAKEN = re.compile(r"/(usr/)?(s?bin|lib/[^/]+|lib/postgresql/[^/]+/bin|games)/[^/]+$|/include/.+|\.(h|a|pc)$")
OLD_S = 3 * 24 * 3600
DEPENDS = (
    *("apt-cache", "depends", "--recurse", "--installed", "--no-recommends", "--no-suggests"),
    *("--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("step", choices=("mark", "list"))
    step = parser.parse_args().step
    if not has_access_times(ROOT):
        sys.stderr.write(f"{ROOT}: its file system keeps no access times, so nobody can say what was read; mount it with relatime\n")
        return 3
    files = {path: package for package in others() for path in files_of(package)}
    if step == "mark":
        for path in files:
            set_access_time(path, time.time() - OLD_S)
        STAMP.parent.mkdir(exist_ok=True)
        STAMP.touch()
        return 0
    if not STAMP.is_file():
        sys.stderr.write("nothing was marked; run `outside_setup.py mark` before the tests\n")
        return 2
    lines = read_since(files, STAMP.stat().st_mtime)
    print("\n".join(lines) or "the tests took nothing that set-up does not install")
    return int(bool(lines))


def has_access_times(folder: Path) -> bool:
    """Whether reading a file with an old access time gives it a new one."""
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        path = Path(file.name)
        path.write_text("x")
        set_access_time(path, time.time() - OLD_S)
        before = path.stat().st_atime
        path.read_text()
        return path.stat().st_atime > before


def set_access_time(path: Path, when: float) -> None:
    found = path.stat()
    os.utime(path, ns=(int(when * 1e9), found.st_mtime_ns))


def others() -> list[str]:
    """The packages of this machine that are neither essential nor set-up's nor needed by one of these."""
    installed = said("dpkg-query", "--show", "--showformat", "${Package} ${Essential} ${db:Status-Status}\n").splitlines()
    rows = [line.split() for line in installed]
    essential = [name for name, is_essential, _ in rows if is_essential == "yes"]
    asked = said(str(ROOT / "scripts" / "setup.sh"), "--packages", "dev").split()
    known = needed([*README_ASKS_FOR, *asked, *essential])
    return [name for name, _, status in rows if status == "installed" and name not in known]


def needed(packages: Sequence[str]) -> frozenset[str]:
    """They and all that they depend on."""
    lines = said(*DEPENDS, *packages).splitlines()
    return frozenset(packages) | {line.partition(":")[0] for line in lines if line and not line[0].isspace() and line[0] != "<"}


def files_of(package: str) -> list[Path]:
    """Its programs, headers and static libraries."""
    paths = (Path(line) for line in said("dpkg-query", "--listfiles", package).splitlines() if TAKEN.search(line))
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def read_since(files: dict[Path, str], when: float) -> list[str]:
    """A line for each package with what was read of it."""
    found: dict[str, list[str]] = {}
    for path, package in files.items():
        if path.stat().st_atime > when:
            found.setdefault(package, []).append(str(path))
    return [f"{package}: {short(paths)}" for package, paths in sorted(found.items())]


def short(paths: Iterable[str], most: int = 3) -> str:
    names = sorted(paths)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
