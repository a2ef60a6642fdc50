# SPDX-License-Identifier: BSD-3-Clause
"""The sbi campaign: a small program makes the calls of the Supervisor Binary Interface, the probe measures them from outside."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path

import msgspec

from latlab.calls.campaign.watching import Watch, check_counts
from latlab.calls.targets.subject_file import no_image, subject_file
from latlab.core.errors import UsageError
from latlab.core.model.symbols import Image
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.qemu.qemu import ICOUNT_SHIFT, find_qemu
from latlab.core.targets.qemu.toml_file import Name, Text, read_toml, text_of
from latlab.core.targets.tools import not_built, refuse_stale

CAMPAIGN = "sbi"
QEMU = "qemu-system-riscv64"
PROGRAM = Path("sbi") / "sbi_calls.elf"
DEBIAN_FIRMWARE = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin")
PARAMS = 0x80400000
MOST_HARTS = 8


def is_subject(subject: Path) -> bool:
    """Whether a subject's file names RISC-V firmware; one that cannot be read is left to who loads it."""
    path, _ = subject_file(subject)
    with suppress(OSError, ValueError):
        return "firmware" in tomllib.loads(text_of(path))
    return False


class _File(msgspec.Struct, forbid_unknown_fields=True):
    firmware: Name
    symbols: list[Name] = []
    made_by: Text = ""


def load_subject(subject: Path) -> tuple[Path, tuple[Path, ...]]:
    """Image and ELF files of a subject's TOML file, or of one of latlab's own. Raises UsageError where one is missing."""
    path, folder = subject_file(subject)
    subject_fields = read_toml(path, _File, "docs/reference/subject-files.md")
    image, symbols = folder / subject_fields.firmware, tuple(folder / file for file in subject_fields.symbols)
    missing = next((file for file in (image, *symbols) if not file.is_file()), None)
    if missing is not None:
        raise no_image(f"{subject}: ", missing, subject_fields.made_by)
    return image, symbols


def planned(
    firmware: Path | None,
    harts: int,
    iterations: int,
    probe: Path,
    qemu: Path | None = None,
    has_functions: bool = False,
    images: tuple[Image, ...] = (),
    timeout_s: float | None = None,
) -> Watch:
    """What to watch: the firmware, the program, the number of harts. Raises UsageError for what is missing or out of range."""
    if not 1 <= harts <= MOST_HARTS:
        raise UsageError(f"--harts {harts}: the machine has 1 to {MOST_HARTS}", value=harts)
    check_counts(iterations, timeout_s)
    image = firmware or DEBIAN_FIRMWARE
    if not image.is_file():
        raise UsageError("no such firmware", "install Debian's package opensbi or name an image with --firmware", place=image)
    program = find_program()
    emulator = find_qemu(qemu or Path(QEMU))
    params = harts | iterations << 32
    command = (
        str(emulator.path),
        *("-M", "virt", "-smp", str(harts), "-bios", str(image), "-kernel", str(program)),
        *("-device", f"loader,addr={PARAMS:#x},data={params:#x},data-len=8"),
        *("-display", "none", "-monitor", "none", "-serial", "stdio", "-nic", "none"),
        *("-icount", f"shift={ICOUNT_SHIFT},sleep=off", "-no-reboot"),
    )
    return Watch(command, probe, has_functions, images, timeout_s, campaign=CAMPAIGN, firmware=image.name)


def find_program() -> Path:
    """Raises UsageError where it has not been built."""
    program = next((folder / PROGRAM for folder in search_folders() if (folder / PROGRAM).is_file()), None)
    if program is None:
        raise not_built(f"{PROGRAM.name} does not exist", "sbi")
    refuse_stale(program, "sbi")
    return program
