# SPDX-License-Identifier: BSD-3-Clause
"""All files of a release: archives and wheels, a Debian package of each wheel, the manual pages, the container file, checksums of all.

Usage: python scripts/release.py [FOLDER].
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import shutil
import sys
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import debian_package
import man
import package
import sbom

ROOT = package.ROOT
SUMS = "SHA256SUMS"


def manual_archive(pages: Iterable[tuple[str, str]], when_s: int) -> bytes:
    """Pack the pages (name, roff) as a .tar.gz that has the same bytes on every machine. `when_s`: seconds since 1970."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in pages:
            data = text.encode()
            member = tarfile.TarInfo(f"man1/{name}.1")
            member.size, member.mtime = len(data), when_s
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=when_s)


def checksums(folder: Path) -> str:
    """List the checksum of each file of the folder, as `sha256sum -c` reads them."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist", help="where the files go, in place of an earlier release's")
    folder: Path = parser.parse_args(arguments).folder
    shutil.rmtree(folder, ignore_errors=True)
    for make in (package.main, debian_package.main):
        if code := make([str(folder)]):
            return code
    version = sbom.project_version()
    (folder / f"latlab-{version}-man.tar.gz").write_bytes(manual_archive(man.pages(version), int(package.epoch())))
    shutil.copy(ROOT / "Containerfile", folder)
    text = checksums(folder)
    (folder / SUMS).write_text(text, "utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
