# SPDX-License-Identifier: BSD-3-Clause
"""A Debian package of each wheel of a release, with its programs and manual pages. It depends on the Python packages that Debian 13 has;
the others go in.

Usage: python scripts/debian_package.py [FOLDER]. It needs scripts/package.py before, dpkg-dev, debhelper and the network.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import package
import sbom
from latlab.core.errors import UsageError

ROOT = package.ROOT
STAGE = package.BUILD / "debian"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
NOT_IN_DEBIAN = ("altair", "fdt", "narwhals", "pyderust", "vl-convert-python")
"""Debian 13 lacks these, or has older ones. Each is pure Python or has the stable ABI: it runs with any Python of a suite."""
NOTES_OF_PIP = ("direct_url.json", "RECORD", "REQUESTED")
"""What pip did on the machine that made the package, with the folder of the wheel."""
OLDEST_PYTHON = "3.11"
PLACE = Path("usr/lib/latlab")


def changelog(version: str, when_s: int, maintainer: str) -> str:
    """Debian's form of it has one entry; CHANGELOG.md has what changed. `when_s`: seconds since 1970."""
    date = datetime.fromtimestamp(when_s, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
    return f"latlab ({version}) unstable; urgency=medium\n\n  * Release {version}; see CHANGELOG.md.\n\n -- {maintainer}  {date}\n"


def maintainer_of(control: str) -> str:
    return next(line.partition(": ")[2] for line in control.splitlines() if line.startswith("Maintainer: "))


def pip_platforms(machine: str, c_library: tuple[int, int]) -> list[str]:
    """The tags of wheels that run with this C library (PEP 600), with the older name of one of them."""
    return [f"manylinux2014_{machine}", *(f"manylinux_{c_library[0]}_{minor}_{machine}" for minor in range(5, c_library[1] + 1))]


def install(target: Path, machine: str, c_library: tuple[int, int], *packages: str) -> None:
    """Install with the pip of this environment into another one. Raises UsageError."""
    platforms = [word for name in pip_platforms(machine, c_library) for word in ("--platform", name)]
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    only = (
        "--no-deps",
        "--no-compile",
        "--only-binary=:all:",
        "--implementation=cp",
        f"--python-version={OLDEST_PYTHON}",
        "--abi=abi3",
        "--abi=none",
    )
    command = (*pip, *only, *platforms, "-c", str(ROOT / "constraints.txt"), "--target", str(target), *packages)
    run(command, ROOT, "pip installed nothing into the Debian package", "see to the network")


def run(command: Sequence[str], folder: Path, failure: str, next_step: str, **variables: str) -> None:
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **variables), check=False, capture_output=True, text=True)
    if done.returncode:
        raise UsageError(f"{failure}: {(done.stderr or done.stdout).strip()[-2000:]}", next_step)


def c_library_of(wheel: Path) -> tuple[int, int]:
    major, minor = wheel.stem.partition("manylinux_")[2].split("_")[:2]
    return int(major), int(minor)


def stage(wheel: Path, machine: str, version: str, when_s: int) -> Path:
    """The folder that dpkg-buildpackage takes: the packaging, and `root` with what goes into the package."""
    folder = STAGE / machine / f"latlab-{version}"
    shutil.rmtree(folder.parent, ignore_errors=True)
    shutil.copytree(ROOT / "debian", folder / "debian")
    control = (folder / "debian/control").read_text("utf-8")
    (folder / "debian/changelog").write_text(changelog(version, when_s, maintainer_of(control)), "utf-8")
    c_library = c_library_of(wheel)
    (folder / "c-library").write_text(f"{c_library[0]}.{c_library[1]}\n", "utf-8")
    target = folder / "root" / PLACE
    install(target, machine, c_library, str(wheel), *NOT_IN_DEBIAN)
    shutil.move(target / "share/man", folder / "root/usr/share/man")
    for left in ("bin", "share"):
        shutil.rmtree(target / left, ignore_errors=True)
    for notes in (path for pattern in NOTES_OF_PIP for path in target.glob(f"*.dist-info/{pattern}")):
        notes.unlink()
    command = folder / "root/usr/bin/latlab"
    command.parent.mkdir(parents=True)
    shutil.copy(folder / "debian/latlab.sh", command)
    command.chmod(0o755)
    shutil.copy(wheel.with_suffix(".cdx.json"), folder / sbom.NAME)
    return folder


def build(wheel: Path, folder: Path, when: str) -> Path:
    """The package of a wheel, in `folder`. Raises UsageError."""
    machine = next(name for name in ARCHITECTURES if wheel.stem.endswith(name))
    architecture = ARCHITECTURES[machine]
    version = sbom.project_version()
    staged = stage(wheel, machine, version, int(when))
    # The package takes the wheel's programs as they are: build-essential, for which every package is checked, would compile nothing.
    command = ("dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps", f"--host-arch={architecture}")
    run(command, staged, f"dpkg-buildpackage built no package of {wheel.name}", "run `scripts/setup.sh release`", SOURCE_DATE_EPOCH=when)
    return Path(shutil.copy(staged.parent / f"latlab_{version}_{architecture}.deb", folder))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist", help="where the wheels are and the packages go")
    folder: Path = parser.parse_args(arguments).folder
    try:
        for wheel in sorted(folder.glob("latlab-*.whl")):
            print(build(wheel, folder, package.epoch()))
    except UsageError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
