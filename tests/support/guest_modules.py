# SPDX-License-Identifier: BSD-3-Clause
"""The guest with more in it: a kernel module of tests/prove/guest, built against the headers that were fetched with its kernel, and the
rtla of a newer Debian, which says what it blames."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from latlab.core.targets.tools import run
from latlab.rt.targets.guest.cpio import ArchiveEntry, archive, file, folder
from latlab.rt.targets.guest.debian import unpack
from latlab.rt.targets.guest.guest_arch import ARCHES, GuestArch
from latlab.rt.targets.guest.guest_image import GuestImage, KernelPackages, make_modules
from latlab.rt.targets.recorder_binary import cache_folder
from support.debian_sources import package
from support.places import TESTS

NEWER = "trixie"
LOADER = "ld-linux-aarch64.so.1"
RTLA_LIBRARIES = {"libc6": (LOADER, "libc.so.6"), "libtraceevent1": ("libtraceevent.so.1",), "libtracefs1": ("libtracefs.so.1",)}
RTLA = f"/rtla/{LOADER} --library-path /rtla /rtla/rtla"
"""The command in a guest that has its entries."""


def with_module(image: GuestImage, name: str, work: Path, more: Iterable[ArchiveEntry] = ()) -> GuestImage:
    """In `work`, which is empty; the module is /modules/NAME.ko there."""
    (work / "Image").symlink_to(image.kernel)
    own = archive([file(f"modules/{name}.ko", _built(name, work, ARCHES[image.arch])), *more])
    (work / "initrd.gz").write_bytes(_padded(image.initrd.read_bytes()) + gzip.compress(own, mtime=0))
    return replace(image, folder=work)


def rtla_entries() -> list[ArchiveEntry]:
    """A folder of its own, with the libraries that it needs: those of the guest's own release are older."""
    entries = [folder("rtla"), file("rtla/rtla", (package("rtla", NEWER, "arm64") / "usr/bin/rtla").read_bytes(), executable=True)]
    for name, libraries in RTLA_LIBRARIES.items():
        root = package(name, NEWER, "arm64") / "usr/lib"
        for library in libraries:
            found = next(path for path in sorted(root.rglob(library)) if path.is_file())
            entries.append(file(f"rtla/{library}", found.read_bytes(), executable=True))
    return entries


def _built(name: str, work: Path, arch: GuestArch) -> bytes:
    source, root = work / name, work / "root"
    archives = sorted((cache_folder() / "guest" / arch.apt_folder / "archives").glob("linux-[hk]*.deb"))
    shutil.copytree(TESTS / "prove" / "guest" / name, source)
    for archived in archives:
        unpack(archived, root)
    sources = root / "usr/src"
    (headers,) = sources.glob(f"linux-headers-*-rt-{arch.debian}")
    shared = tuple(path.name for path in sources.glob("linux-headers-*") if path != headers)
    run(make_modules(sources, KernelPackages("", (), headers.name, shared, ()), source, arch))
    return (source / f"{name}.ko").read_bytes()


def _padded(data: bytes) -> bytes:
    """The kernel looks for the next archive behind zeros, at a multiple of four."""
    return data + bytes(-len(data) % 512)
