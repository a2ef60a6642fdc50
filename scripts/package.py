# SPDX-License-Identifier: BSD-3-Clause
"""Builds a wheel that carries the programs of every verb and the manual pages: where it is installed, `latlab` needs no compiler."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import man
from latlab.campaigns import psci, sbi
from latlab.errors import UsageError
from latlab.targets.guest.guest import HOLD_SUFFIX
from latlab.targets.linux.recorder_binary import COMPILERS, meter_for, recorder_for
from latlab.targets.qemu import attack_params, attack_subject, boards, images, mps2, probe, psa_subject
from latlab.virtual import exploration, program

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
STAGED = BUILD / "wheel"
PLACE = "LATLAB_STAGED"  # scripts/wheel_hook.py takes what is there into the wheel
EL3, M_PROFILE, RISC_V = "aarch64-linux-gnu-strip", "arm-none-eabi-strip", "riscv64-linux-gnu-strip"


@dataclass(frozen=True, slots=True)
class Carried:
    """A file that latlab looks for, by its place in a build folder and in the package. `strip`: its debug information stays behind."""

    place: Path
    strip: str | None = None
    made_by: str = "make firmware"
    is_needed: bool = True


def inventory() -> Iterator[Carried]:
    """By the names that the code itself looks for them with."""
    own = {board.own for board in boards.BOARDS.values() if board.own}
    presets = json.loads((ROOT / "CMakePresets.json").read_text("utf-8"))["configurePresets"]
    chosen = {preset["name"] for preset in presets if preset["name"].startswith(f"{images.PLATFORM}-")}  # `run psci --build`
    for build in sorted({*own, images.PLATFORM + HOLD_SUFFIX, *chosen}):
        yield Carried(Path(build, images.FIRMWARE_BIN))
        yield Carried(Path(build, images.FIRMWARE_ELF), EL3)
        if build.startswith(images.PLATFORM):
            yield Carried(Path(build, f"{psci.PAYLOAD}.elf"), EL3)
    for board in boards.BOARDS.values():
        yield Carried(Path(images.PLATFORM, f"{board.program}.elf"), EL3)
    for place in sorted({Path(board.images, build) for board in mps2.BOARDS.values() for build in board.builds}):
        for name in (mps2.SECURE_ELF, mps2.BENCH_ELF):
            yield Carried(place / name, M_PROFILE)
    for spm in attack_subject.BUILDS:
        yield Carried(Path("spm", f"{spm}_test", mps2.SECURE_ELF), M_PROFILE)
    yield Carried(psa_subject.PROGRAM, M_PROFILE)
    yield Carried(attack_params.PROGRAM, M_PROFILE)
    for plugin in (probe.PLUGIN, attack_params.PLUGIN):
        yield Carried(probe.PLACES[0] / plugin)
    yield Carried(sbi.PROGRAM, RISC_V, "make sbi", is_needed=False)
    for name in (program.PROGRAM, exploration.PROGRAM):
        yield Carried(Path("virtual", name), "strip")


def stage() -> list[Path]:
    """Puts it all into one folder, and says what was left out. Raises UsageError for what has not been built."""
    shutil.rmtree(STAGED, ignore_errors=True)
    staged = []
    for carried in inventory():
        found, target = BUILD / carried.place, STAGED / "images" / carried.place
        if not found.is_file() and not carried.is_needed:
            print(f"without {carried.place}: {carried.made_by} has not built it", file=sys.stderr)
            continue
        if not found.is_file():
            raise UsageError(f"{found}: not built; run `{carried.made_by}` first")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(found, target)
        if carried.strip:
            subprocess.run([carried.strip, "--strip-debug", target], check=True)
        staged.append(carried.place)
    for machine in COMPILERS:
        for name, built in (("recorder", recorder_for(machine)), ("steal-meter", meter_for(machine))):
            staged.append(Path(f"{name}-{machine}"))
            shutil.copy(built, STAGED / "images" / staged[-1])
    (STAGED / "man1").mkdir()
    for name, text in man.pages():
        (STAGED / "man1" / f"{name}.1").write_text(text, "utf-8")
    return staged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist", help="where the wheel goes")
    folder: Path = parser.parse_args().folder
    try:
        staged = stage()
    except UsageError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    words = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    subprocess.run((sys.executable, *words), check=True, env=dict(os.environ, **{PLACE: str(STAGED)}))
    for wheel in sorted(folder.glob("*.whl")):
        print(f"{wheel}: {len(staged)} programs, {len(list((STAGED / 'man1').iterdir()))} manual pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
