# SPDX-License-Identifier: BSD-3-Clause
"""Recorder, steal meter and timed write as static programs for a machine: carried by the package, or compiled into the cache."""

from __future__ import annotations

import hashlib
import platform
import shutil
from importlib import resources
from pathlib import Path

from latlab.core.errors import LatlabError, NotBuilt, UsageError
from latlab.core.targets.tools import run

COMPILERS = {"x86_64": ("x86_64-linux-gnu-gcc", "gcc"), "aarch64": ("aarch64-linux-gnu-gcc",)}
NOT_CARRIED = {"armv7l": ("arm-linux-gnueabihf-gcc",), "riscv64": ("riscv64-linux-gnu-gcc",)}
"""Machines whose programs no package carries: they are always compiled."""
PACKAGES = {
    "x86_64": "gcc libc6-dev",
    "aarch64": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    "armv7l": "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross",
    "riscv64": "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
}
RECORDER_SOURCES = ("histogram.c", "keep_awake.c", "outside_counts.c", "pinned_thread.c", "smi_counter.c", "steal_clock.c")
METER_SOURCES = ("calibrate.c", "counters.c", "firmware_call.c", "meter.c", "output.c", "crc32.c")
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wvla", "-static", "-pthread")
BROUGHT = {"aarch64": "guest_tools"}
"""The targets of the Makefile that bring the compilers of other machines."""


def guest_sources() -> Path:
    """The folder `guest`: a checkout's, or the one that the package carries."""
    package = Path(str(resources.files("latlab")))
    checkout = package.parents[1] / "guest"
    source_folder = checkout if (checkout / "init").is_file() else package / "catalog" / "guest"
    if not (source_folder / "init").is_file():
        raise UsageError("the guest's sources are missing", "install latlab again", place=source_folder)
    return source_folder


def wire_sources() -> Path:
    """The firmware's wire format, whose CRC-32 the recorder's file has too."""
    return guest_sources().parent / "firmware" / "trace" / "wire"


def cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("latlab", appauthor=False)


def recorder_for(machine: str) -> Path:
    """`machine` is what `uname -m` says."""
    return _program_for(machine, "recorder", (guest_sources() / "recorder", guest_sources() / "steal", wire_sources()), METER_SOURCES)


def meter_for(machine: str) -> Path:
    """The steal meter, which shares the recorder's clock and histogram."""
    return _program_for(machine, "steal-meter", (guest_sources() / "steal", guest_sources() / "recorder"), RECORDER_SOURCES)


def timed_write_for(machine: str) -> Path:
    """What times one write to a file of the kernel's; it shares the recorder's clock."""
    return _program_for(machine, "timed-write", (guest_sources() / "power", guest_sources() / "recorder"), ())


def _program_for(machine: str, name: str, folders: tuple[Path, ...], others: tuple[str, ...]) -> Path:
    """Of the sources of the first folder and of `others` in the other ones; all of them have its headers."""
    compilers = COMPILERS | NOT_CARRIED
    if machine not in compilers:
        raise UsageError(f"the {name} knows no machine {machine!r}", f"it runs on {', '.join(compilers)}")
    carried = Path(str(resources.files("latlab"))) / "catalog" / "images" / f"{name}-{machine}"
    if carried.is_file():
        return carried
    shared = (folder / other for folder in folders[1:] for other in others)
    sources = (*sorted(folders[0].glob("*.c")), *(path for path in shared if path.is_file()))
    stamp = hashlib.sha256(b"".join(path.read_bytes() for folder in folders for path in sorted(folder.glob("*.[ch]")))).hexdigest()[:12]
    target = cache_folder() / name / f"{machine}-{stamp}"
    if target.is_file():
        return target
    compiler = next((name for name in compilers[machine] if shutil.which(name)), None)
    if compiler is None:
        raise _lacking(machine, f"no compiler for {machine} to build the {name}", f"install {compilers[machine][0]}")
    target.parent.mkdir(parents=True, exist_ok=True)
    new_file = target.with_suffix(".new")
    try:
        run((compiler, *FLAGS, *(f"-I{folder}" for folder in folders), *map(str, sources), "-o", str(new_file)))
    except LatlabError as error:
        if Path(run((compiler, "-print-file-name=libc.a")).strip()).is_absolute():
            raise
        raise _lacking(machine, f"{compiler} has no static C library, which the {name} needs", "install it") from error
    new_file.replace(target)
    return target


def _lacking(machine: str, sentence: str, next_step: str) -> UsageError:
    """What a compiler of this machine's own lacks, or one of the guest's, a checkout brings."""
    step = f"{next_step} (Debian: {PACKAGES[machine]})"
    target = "recorder" if machine == platform.machine() else BROUGHT.get(machine)
    return NotBuilt(sentence, target, step) if target else UsageError(sentence, step)
