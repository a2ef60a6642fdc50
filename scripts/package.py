# SPDX-License-Identifier: BSD-3-Clause
"""Builds a wheel that carries the firmware images, so that `latlab run` needs no cross compiler where it is installed."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CARRIED = ROOT / "src" / "latlab" / "catalog" / "images"
IMAGES = ("firmware.bin", "firmware.elf", "psci_bench.elf")
STRIP = "aarch64-linux-gnu-strip"
SPM_IMAGES = ("secure.elf", "bench.elf")
SPM_STRIP = "arm-none-eabi-strip"


def carry(build: Path) -> None:
    """Debug information stays behind; the note and the symbols come along."""
    target = CARRIED / build.name
    target.mkdir(parents=True)
    for name in IMAGES:
        shutil.copy(build / name, target)
        if name.endswith(".elf"):
            subprocess.run([STRIP, "--strip-debug", target / name], check=True)


def carry_spm(build: Path) -> None:
    """One build of the SPM with its bench."""
    target = CARRIED / "spm" / build.name
    target.mkdir(parents=True)
    for name in SPM_IMAGES:
        shutil.copy(build / name, target)
        subprocess.run([SPM_STRIP, "--strip-debug", target / name], check=True)


def main() -> None:
    builds = sorted(path.parent for path in (ROOT / "build").glob("qemu_virt*/firmware.bin"))
    if not builds:
        sys.exit("no firmware images in build/; run `make firmware` first")
    spm_builds = sorted(path.parent for path in (ROOT / "build" / "spm").glob("*/bench.elf"))
    shutil.rmtree(CARRIED, ignore_errors=True)
    try:
        for build in builds:
            carry(build)
        for build in spm_builds:
            carry_spm(build)
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", ROOT / "dist", ROOT], check=True)
    finally:
        shutil.rmtree(CARRIED, ignore_errors=True)
    for wheel in sorted((ROOT / "dist").glob("*.whl")):
        print(f"{wheel.relative_to(ROOT)}: images of {', '.join(build.name for build in [*builds, *spm_builds])}")


main()
