# SPDX-License-Identifier: BSD-3-Clause
"""Gates the calls of our own firmware against pinned counts: `make gate`. `--pin` pins those of the build that is there.

A path that became longer fails with its function and figures; who means it pins anew and says why in the commit. Each compiler has counts
of its own, in a file with its name. Without one nothing can be gated, and the command ends with 3. The boot is left out: its length depends
on QEMU's device tree.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PINNED = Path(__file__).with_name("calls_pinned")
GCC = ("aarch64-linux-gnu-gcc", "-dumpfullversion")
LATLAB = (sys.executable, "-m", "latlab")
# What is of one day or one machine and has no part in a comparison.
OF_ONE_DAY = ("provenance", "code", "figures")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pin", action="store_true", help="pin the counts of this build")
    parser.add_argument("--firmware", type=Path, default=Path("build/qemu_virt"), help="folder of firmware.bin and firmware.elf")
    arguments = parser.parse_args()
    compiler = subprocess.run(GCC, capture_output=True, text=True, check=True).stdout.strip()
    pinned = PINNED / f"gcc-{compiler}.json"
    if not arguments.pin and not pinned.is_file():
        known = ", ".join(sorted(path.stem for path in PINNED.glob("*.json")))
        sys.stderr.write(f"nothing is gated: gcc-{compiler} has no pinned counts ({known} have); pin them with --pin and commit the file\n")
        return 3
    with tempfile.TemporaryDirectory() as folder:
        exported = measured(arguments.firmware, Path(folder))
        if arguments.pin:
            counts = without_boot(json.loads(exported.read_text("utf-8"))) | {"label": pinned.stem}
            pinned.write_text(json.dumps(counts) + "\n", "utf-8")
            return 0
        return subprocess.run(
            (*LATLAB, "gate", str(pinned), str(exported), "--store", str(Path(folder) / "runs.sqlite")), check=False
        ).returncode


def measured(firmware: Path, folder: Path) -> Path:
    """The calls of the firmware, as a file."""
    store, exported = ("--store", str(folder / "runs.sqlite")), folder / "calls.json"
    image = ("--machine", "virt", "--firmware", str(firmware / "firmware.bin"), "--symbols", str(firmware / "firmware.elf"))
    subprocess.run((*LATLAB, "run", "calls", "--iterations", "2", "--timeout", "60", *image, *store), stdout=subprocess.DEVNULL, check=True)
    subprocess.run((*LATLAB, "export", "last", "--format", "json", "-o", str(exported), *store), check=True)
    return exported


def without_boot(run: dict[str, Any]) -> dict[str, Any]:
    """The counts alone: what differs from machine to machine goes."""
    rows = {name: [row for row in run[name] if row[1] != "boot"] for name in ("samples", "functions")}
    return {name: value for name, value in (run | rows | {"command": []}).items() if name not in OF_ONE_DAY}


if __name__ == "__main__":
    sys.exit(main())
