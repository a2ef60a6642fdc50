# SPDX-License-Identifier: BSD-3-Clause
"""Makes the SPM's tables, the partitions' headers and the linker script fragment from partition manifests.

Usage: generate.py --backend sfn|ipc --level 1|2|3 --out DIRECTORY MANIFEST...

A manifest is JSON or YAML with the keys of PSA FF-M 1.1. The first line of trouble ends the build with one sentence.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import emit
from model import ManifestError, System, partition_from


def load(path: Path) -> dict[str, Any]:
    text = path.read_text()
    if path.suffix == ".json":
        data: dict[str, Any] = json.loads(text)
        return data
    import yaml

    data = yaml.safe_load(text)
    return data


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=("sfn", "ipc"), required=True)
    parser.add_argument("--level", type=int, choices=(1, 2, 3), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("manifests", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        partitions = [partition_from(load(path), str(path), index) for index, path in enumerate(options.manifests)]
        system = System.of(partitions, options.backend, options.level)
    except (ManifestError, json.JSONDecodeError) as error:
        sys.exit(f"manifest: {error}")
    out = options.out
    for partition in system.partitions:
        write(out / "include/psa_manifest" / f"{partition.name}.h", emit.partition_header(partition))
        write(out / f"{partition.name}_memory.c", emit.partition_memory(partition, system))
    write(out / "include/psa_manifest/sid.h", emit.sid_header(system))
    write(out / "include/psa_manifest/pid.h", emit.pid_header(system))
    write(out / "spm_tables.c", emit.tables(system))
    write(out / "partitions.ld", emit.linker_fragment(system))


main()
