# SPDX-License-Identifier: BSD-3-Clause
"""The guest with a kernel module of tests/prove/guest in it, built against the headers that were fetched with its kernel."""

from __future__ import annotations

import gzip
import shutil
from dataclasses import replace
from pathlib import Path

from latlab.targets.guest.cpio import archive, file
from latlab.targets.guest.debian import unpack
from latlab.targets.guest.guest_image import CROSS, GuestImage
from latlab.targets.linux.recorder_binary import cache_folder
from latlab.targets.tools import run
from support.places import TESTS


def with_module(image: GuestImage, name: str, folder: Path) -> GuestImage:
    """In `folder`, which is empty; the module is /modules/NAME.ko there."""
    (folder / "Image").symlink_to(image.kernel)
    own = archive([file(f"modules/{name}.ko", _built(name, folder))])
    (folder / "initrd.gz").write_bytes(_padded(image.initrd.read_bytes()) + gzip.compress(own, mtime=0))
    return replace(image, folder=folder)


def _built(name: str, folder: Path) -> bytes:
    source, root = folder / name, folder / "root"
    shutil.copytree(TESTS / "prove" / "guest" / name, source)
    for package in (cache_folder() / "guest/apt/archives").glob("linux-[hk]*.deb"):
        unpack(package, root)
    (headers,) = (root / "usr/src").glob("linux-headers-*-rt-arm64")
    (common,) = (root / "usr/src").glob("linux-headers-*-common-rt")
    run(("make", "-s", "-C", str(common), f"O={headers}", f"M={source}", "ARCH=arm64", f"CROSS_COMPILE={CROSS}", "modules"))
    return (source / f"{name}.ko").read_bytes()


def _padded(data: bytes) -> bytes:
    """The kernel looks for the next archive behind zeros, at a multiple of four."""
    return data + bytes(-len(data) % 512)
