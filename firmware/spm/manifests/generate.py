# SPDX-License-Identifier: BSD-3-Clause
"""Makes the SPM's tables, the partitions' headers and the linker script fragment from partition manifests.

Usage: generate.py --backend sfn|ipc --level 1|2|3 --out DIRECTORY [--platform FILE]... MANIFEST...

A manifest is JSON or YAML with the keys of PSA FF-M 1.0 or 1.1. The first line of trouble ends the build with one
sentence. A platform file gives names to devices and interrupt lines.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import emit
from model import System
from reading import read_partition, read_platform
from source import ManifestError


def write(path: Path, text: str) -> None:
    """Leaves a file alone that says the same already: whatever was built from it is still right."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=("sfn", "ipc"), required=True)
    parser.add_argument("--level", type=int, choices=(1, 2, 3), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--platform", type=Path, action="append", default=[])
    parser.add_argument("--archive", action="append", default=[], help="NAME=FILE: the partition's code comes from this archive")
    parser.add_argument("manifests", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        platform = read_platform(options.platform)
        partitions = [read_partition(path, index, platform) for index, path in enumerate(options.manifests)]
        system = System.of(partitions, options.backend, options.level, platform.ram)
    except ManifestError as error:
        sys.exit(f"manifest: {error}")
    out = options.out
    for partition in system.partitions:
        write(out / "include/psa_manifest" / f"{partition.header}.h", emit.partition_header(partition))
        write(out / f"{partition.name}_memory.c", emit.partition_memory(partition, system))
    write(out / "include/psa_manifest/sid.h", emit.sid_header(system))
    write(out / "include/psa_manifest/pid.h", emit.pid_header(system))
    write(out / "include/psa/framework_feature.h", emit.feature_header(system))
    write(out / "spm_tables.c", emit.tables(system))
    write(out / "partitions.ld", emit.linker_fragment(system, dict(archive.split("=", 1) for archive in options.archive)))


if __name__ == "__main__":
    main()
