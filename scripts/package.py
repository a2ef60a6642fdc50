# SPDX-License-Identifier: BSD-3-Clause
"""What a release consists of: the sdist, and for each kind of host a wheel that carries the programs of every verb, with its bill of
materials beside it. Two checkouts of one commit give the same files, whoever builds them."""

from __future__ import annotations

import argparse
import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import man
import sbom
from latlab.calls.campaign import sbi
from latlab.calls.targets import boards, traces
from latlab.core.errors import UsageError
from latlab.core.targets.qemu import images, probe
from latlab.psa.targets import attack_params, attack_subject, mps2, psa_subject
from latlab.psci.campaign import measure as psci
from latlab.psci.targets import virtual_program as program
from latlab.rt.targets.guest.guest import HOLD_SUFFIX
from latlab.rt.targets.recorder_binary import COMPILERS, meter_for, recorder_for, timed_write_for
from latlab.virtual.campaign import exploration

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
EPOCH = "SOURCE_DATE_EPOCH"
STAGED, TAG = "LATLAB_STAGED", "LATLAB_TAG"  # scripts/wheel_hook.py takes what is there into a wheel of that tag
EL3, M_PROFILE, RISC_V = "aarch64-linux-gnu-strip", "arm-none-eabi-strip", "riscv64-linux-gnu-strip"
HOSTS = {"x86_64": "x86_64-linux-gnu-strip", "aarch64": EL3}
LIBFDT, LIBGCC, NEWLIB = "device-tree-compiler", "gcc-arm-none-eabi", "libnewlib-arm-none-eabi"  # Debian's packages of what is linked in
C_LIBRARY_NAME = "GLIBC_"
C_LIBRARY = {"x86_64": "libc6-dev", "aarch64": "libc6-dev-arm64-cross"}


@dataclass(frozen=True, slots=True)
class Carried:
    """A file that latlab looks for, by its place in a build folder and in the package. `strip`: its debug information stays behind.
    `is_host`: it runs where latlab does. `linked`: the packages whose code is in it."""

    place: Path
    strip: str | None = None
    made_by: str = "make firmware"
    is_needed: bool = True
    is_host: bool = False
    linked: tuple[str, ...] = ()

    def built(self, machine: str) -> Path:
        is_foreign = self.is_host and machine != this_machine()
        return (BUILD / machine if is_foreign else BUILD) / self.place


def this_machine() -> str:
    return sysconfig.get_platform().removeprefix("linux-")


def inventory() -> Iterator[Carried]:
    """By the names that the code itself looks for them with."""
    own = {board.own_build for board in boards.BOARDS.values() if board.own_build}
    presets = json.loads((ROOT / "CMakePresets.json").read_text("utf-8"))["configurePresets"]
    chosen = {preset["name"] for preset in presets if preset["name"].startswith(f"{images.PLATFORM}-")}  # `run psci --build`
    for build in sorted({*own, images.PLATFORM + HOLD_SUFFIX, *chosen}):
        yield Carried(Path(build, images.FIRMWARE_BIN), linked=(LIBFDT,))
        yield Carried(Path(build, images.FIRMWARE_ELF), EL3, linked=(LIBFDT,))
        if build.startswith(images.PLATFORM):
            yield Carried(Path(build, f"{psci.PAYLOAD}.elf"), EL3)
    for board in boards.BOARDS.values():
        for name in (boards.PSCI_PROGRAM, boards.SMC_PROGRAM):
            yield Carried(Path(images.PLATFORM, f"{name}{board.suffix}.elf"), EL3)
    for place in sorted({Path(board.images, build) for board in mps2.BOARDS.values() for build in board.builds}):
        for name in (mps2.SECURE_ELF, mps2.BENCH_ELF):
            yield Carried(place / name, M_PROFILE, linked=(LIBGCC, NEWLIB))
    for spm in attack_subject.BUILDS:
        yield Carried(Path("spm", f"{spm}_test", mps2.SECURE_ELF), M_PROFILE, linked=(LIBGCC, NEWLIB))
    yield Carried(psa_subject.PROGRAM, M_PROFILE, linked=(LIBGCC, NEWLIB))
    yield Carried(attack_params.PROGRAM, M_PROFILE, linked=(LIBGCC, NEWLIB))
    for plugin, interface in itertools.product((probe.PROBE, attack_params.WITNESS), probe.INTERFACES):
        yield Carried(probe.PLACES[0] / probe.file_name(plugin, interface), is_host=True)
    yield Carried(traces.PLACES[0] / traces.TARMAC, made_by="make probe", is_host=True)
    yield Carried(sbi.PROGRAM, RISC_V, "make sbi", is_needed=False)
    for name in (program.PROGRAM, exploration.PROGRAM):
        yield Carried(Path("virtual", name), is_host=True)


def hosts() -> list[str]:
    """This machine, and the others that `make host-aarch64` or its like has built for."""
    return [machine for machine in HOSTS if machine == this_machine() or (BUILD / machine).is_dir()]


def stage(machine: str) -> list[sbom.Program]:
    """Puts it all into one folder, and says what was left out. Raises UsageError for what has not been built."""
    place = staged_for(machine)
    shutil.rmtree(place, ignore_errors=True)
    staged = []
    for carried in inventory():
        found, target = carried.built(machine), place / "images" / carried.place
        if not found.is_file() and not carried.is_needed:
            print(f"without {carried.place}: {carried.made_by} has not built it", file=sys.stderr)
            continue
        if not found.is_file():
            raise UsageError(f"{found}: not built; run `{carried.made_by}` first")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(found, target)
        target.chmod(0o755 if carried.is_host else 0o644)
        if strip := HOSTS[machine] if carried.is_host else carried.strip:
            subprocess.run([strip, "--strip-debug", target], check=True)
        staged.append(sbom.Program(carried.place, target, carried.linked))
    for target_machine in COMPILERS:
        for name, build in (("recorder", recorder_for), ("steal-meter", meter_for), ("timed-write", timed_write_for)):
            built, target = build(target_machine), place / "images" / f"{name}-{target_machine}"
            shutil.copy(built, target)
            staged.append(sbom.Program(Path(target.name), target, (C_LIBRARY[target_machine],)))
    (place / "man1").mkdir()
    for name, text in man.pages(sbom.project_version()):
        (place / "man1" / f"{name}.1").write_text(text, "utf-8")
    return staged


def staged_for(machine: str) -> Path:
    return BUILD / "wheel" / machine


def wheel_tag(machine: str) -> str:
    """For a C library that has every function which the host's programs ask for (PEP 600)."""
    needed = max(
        tuple(int(number) for number in version.split("."))
        for carried in inventory()
        if carried.is_host
        for version in c_library_versions(carried.built(machine))
    )
    return f"py3-none-manylinux_{needed[0]}_{needed[1]}_{machine}"


def c_library_versions(path: Path) -> Iterator[str]:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.gnuversions import GNUVerNeedSection

    with path.open("rb") as stream:
        needs = [section for section in ELFFile(stream).iter_sections() if isinstance(section, GNUVerNeedSection)]
        names = [name.name for need in needs for _, versions in need.iter_versions() for name in versions]
    return (name.removeprefix(C_LIBRARY_NAME) for name in names if name.startswith(C_LIBRARY_NAME))


def epoch() -> str:
    """The commit's time, which every file of the archives gets; that of an unpacked sdist is its files' own."""
    if given := os.environ.get(EPOCH):
        return given
    if (ROOT / ".git").exists():
        return subprocess.run(("git", "log", "-1", "--format=%ct"), cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    return str(int((ROOT / "pyproject.toml").stat().st_mtime))


def build(target: str, folder: Path, environment: dict[str, str]) -> None:
    """By this environment's hatchling, without a network."""
    command = (sys.executable, "-m", "hatchling", "build", "--directory", str(folder), "--target", target)
    done = subprocess.run(command, cwd=ROOT, check=False, env=dict(os.environ, **environment), capture_output=True, text=True)
    if done.returncode:
        raise UsageError(f"hatchling built no {target}: {done.stderr.strip()}")


def build_wheel(machine: str, folder: Path, when: str) -> str:
    staged, tag = stage(machine), wheel_tag(machine)
    bill = staged_for(machine) / sbom.NAME
    bill.write_text(sbom.bill(tag, staged, int(when)), "utf-8")
    build("wheel", folder, {EPOCH: when, STAGED: str(staged_for(machine)), TAG: tag})
    (wheel,) = folder.glob(f"*{tag}.whl")
    shutil.copy(bill, wheel.with_suffix(".cdx.json"))
    return f"{wheel}: {len(staged)} programs, {len(list((bill.parent / 'man1').iterdir()))} manual pages"


@contextmanager
def alone() -> Iterator[None]:
    """One build of a checkout at a time: all stage into the same folders, and another one would find files gone."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build_all(folder: Path) -> None:
    when = epoch()
    for old in folder.glob("latlab-*"):
        old.unlink()
    for machine in hosts():
        print(build_wheel(machine, folder, when))
    build("sdist", folder, {EPOCH: when})


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist", help="where the files go, in place of an earlier release's")
    folder: Path = parser.parse_args(arguments).folder
    try:
        with alone():
            build_all(folder)
    except UsageError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(*folder.glob("latlab-*.tar.gz"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
