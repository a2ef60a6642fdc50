# SPDX-License-Identifier: BSD-3-Clause
"""A real secure world below the guest: TF-A with OP-TEE, built from Debian's source packages into the user's cache.

No version is fixed here, and of no source a line is changed: what TF-A asks of its platform and QEMU's lacks, an entropy source, is a
file of `guest/secure_world`.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from latlab.calls.targets.subject import BR_X4
from latlab.core.errors import DataError, UsageError
from latlab.core.targets.qemu.images import FIRMWARE_BIN, FIRMWARE_ELF
from latlab.core.targets.tools import run
from latlab.rt.targets.recorder_binary import cache_folder, guest_sources

Say = Callable[[str], None]
CROSS = "aarch64-linux-gnu-"
DESCRIPTION = "secure-world.json"
TEE_ELF = "tee.elf"
SUBJECT = "subject.toml"
OPTEE, TF_A = "optee-os", "arm-trusted-firmware"
SUITES = {OPTEE: ("sid", "trixie"), TF_A: ("trixie", "sid")}
"""The first is what the figures of the documents are of; the others are the next best where an archive refuses it."""
PACKAGE_PAGE = 0x40000
TREE_ADDRESS, KERNEL_ADDRESS = 0x40000000, 0x60200000
EPOCH = "SOURCE_DATE_EPOCH=0"
FORMAT = 1
PYTHON_NEEDS = "import cryptography, elftools"


@dataclass(frozen=True, slots=True)
class SecureWorld:
    """How it is built. `prng`: OP-TEE makes its random numbers itself from one seed, and offers Linux none. `timer_switch`: EL3 swaps the
    normal world's timers out while OP-TEE runs, as TF-A does unless told otherwise. `embedded_tests`: OP-TEE's own, with a secure timer
    each second. `secure_timer`: EL3 starts a secure timer when it is told to, for `latlab run calls --sweep`."""

    prng: bool = False
    timer_switch: bool = True
    embedded_tests: bool = False
    secure_timer: bool = False

    def __str__(self) -> str:
        words = ["prng"] if self.prng else []
        words += [] if self.timer_switch else ["timer-switch=0"]
        words += ["embedded-tests"] if self.embedded_tests else []
        words += ["secure-timer"] if self.secure_timer else []
        return ",".join(("optee", *words))

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """What the builds are told, by the names of their makefiles, and what of ours is in EL3."""
        return (
            ("CFG_WITH_SOFTWARE_PRNG", "y" if self.prng else "n"),
            ("CFG_HWRNG_PTA", "n" if self.prng else "y"),
            ("CFG_ENABLE_EMBEDDED_TESTS", "y" if self.embedded_tests else "n"),
            ("NS_TIMER_SWITCH", str(int(self.timer_switch))),
            *((("secure-timer", "y"),) if self.secure_timer else ()),
        )


@dataclass(frozen=True, slots=True)
class Stack:
    """What a folder holds: versions, how Linux is entered, whether OP-TEE offers Linux random numbers, and what the builds were told."""

    tf_a: str
    optee: str
    kernel_address: int
    offers_rng: bool
    options: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return f"TF-A {self.tf_a}, OP-TEE {self.optee}"


def secure_world_of(text: str) -> SecureWorld:
    """`optee`, and behind commas what is not as usual. Raises UsageError."""
    name, *words = text.split(",")
    options_of = {"prng": {"prng": True}, "timer-switch=0": {"timer_switch": False}, "timer-switch=1": {"timer_switch": True}}
    options_of |= {"embedded-tests": {"embedded_tests": True}, "secure-timer": {"secure_timer": True}}
    if name != "optee":
        raise UsageError(f"--secure-world {text}: {name!r} is unknown to latlab", "use optee", value=text)
    if unknown := [word for word in words if word not in options_of]:
        raise UsageError(
            f"--secure-world {text}: {unknown[0]!r} is unknown; optee may be followed by {', '.join(options_of)}, with commas between",
            value=text,
        )
    return SecureWorld(**{key: value for word in words for key, value in options_of[word].items()})


def stack_in(folder: Path) -> Stack | None:
    """None of a folder with another firmware. Raises DataError where its description is damaged."""
    path = folder / DESCRIPTION
    if not path.is_file():
        return None
    try:
        description = json.loads(path.read_text("utf-8"))
        options = tuple((str(name), str(value)) for name, value in description["options"])
        return Stack(
            str(description["tf_a"]),
            str(description["optee"]),
            int(description["kernel_address"]),
            bool(description["offers_rng"]),
            options,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"cannot be read ({error!r})",
            "build it again with `latlab guest build --secure-world optee --rebuild`",
            value=error,
            place=path,
        ) from error


def secure_world(world: SecureWorld, rebuild: bool = False, say: Say = lambda text: None) -> Path:
    """The folder of the built stack, built first if it is missing or what it is made of has changed. `rebuild` fetches the sources anew."""
    base = cache_folder() / "secure-world"
    if rebuild:
        shutil.rmtree(base / "source", ignore_errors=True)
        shutil.rmtree(base / "optee", ignore_errors=True)
    target = base / _stamp(world, tuple(field.name for field in fields(world)), _own_sources(world))
    if not rebuild and (target / DESCRIPTION).is_file():
        return target
    check_tools()
    base.mkdir(parents=True, exist_ok=True)
    sources = {package: _source(base, package, say) for package in (OPTEE, TF_A)}
    tee = _optee(base, world, sources[OPTEE], say)
    with tempfile.TemporaryDirectory(dir=base, prefix="building-") as name:
        work = Path(name)
        say("building TF-A with it: half a minute")
        images = _tf_a(work, world, sources[TF_A], tee)
        _describe(images, world, sources)
        shutil.rmtree(target, ignore_errors=True)
        images.rename(target)
    return target


def _stamp(world: SecureWorld, names: tuple[str, ...], sources: tuple[Path, ...] = ()) -> str:
    stamped = [FORMAT, *(f"{name}={getattr(world, name)}" for name in names), *(path.read_text("utf-8") for path in sources)]
    return hashlib.sha256("\n".join(map(str, stamped)).encode()).hexdigest()[:12]


def _own_sources(world: SecureWorld) -> tuple[Path, ...]:
    """What TF-A is built with beside its own."""
    names = ("entropy.c", "secure_timer.c") if world.secure_timer else ("entropy.c",)
    return tuple(guest_sources() / "secure_world" / name for name in names)


def check_tools() -> None:
    """Raises UsageError for what building a secure world lacks."""
    for program in (f"{CROSS}gcc", "make", "apt-get"):
        if shutil.which(program) is None:
            raise UsageError(f"{program} is missing, and a secure world is built with it", "install it (`make setup` does)")
    _python()


def _python() -> str:
    """One that can run OP-TEE's own build scripts."""
    for program in (sys.executable, "/usr/bin/python3"):
        if Path(program).is_file() and subprocess.run((program, "-c", PYTHON_NEEDS), capture_output=True, check=False).returncode == 0:
            return program
    raise UsageError(
        "OP-TEE's build needs a Python with cryptography and pyelftools", "install python3-cryptography and python3-pyelftools"
    )


def _source(base: Path, package: str, say: Say) -> Path:
    """The unpacked source package, fetched once. The script says which suites refused it."""
    folder = base / "source" / package
    if not folder.is_dir():
        say(f"fetching the source package {package}")
        script = guest_sources() / "debian_source.sh"
        for line in run(("sh", str(script), package, str(folder), *SUITES[package])).splitlines():
            say(line)
    return folder


def _optee(base: Path, world: SecureWorld, source: Path, say: Say) -> Path:
    """OP-TEE's images; those that differ in what only TF-A is told are the same."""
    option_names = tuple(field.name for field in fields(world) if field.name not in ("timer_switch", "secure_timer"))
    target = base / "optee" / _stamp(world, option_names)
    if target.is_dir():
        return target
    say(f"building OP-TEE {optee_version(source)}: a minute or two")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base, prefix="building-") as name:
        variables = {name: value for name, value in world.options if name.startswith("CFG_")}
        variables |= {"CFG_HWRNG_QUALITY": "1024", "CFG_ARM_SMCCC_TRNG": "y", "CFG_ARM64_core": "y", "CFG_USER_TA_TARGETS": "ta_arm64"}
        variables |= {"CFG_ARM_GICV3": "y", "CFG_PKCS11_TA": "n", "CFG_DT_DRIVER_EMBEDDED_TEST": "n", "DEBUG": "0", "PYTHON3": _python()}
        variables |= {f"CROSS_COMPILE{suffix}": CROSS for suffix in ("", "64", "_core", "_ta_arm64")}
        words = [f"{name}={value}" for name, value in variables.items()]
        run(("make", "-s", "-j2", "-C", str(source), f"O={name}", "PLATFORM=vexpress-qemu_armv8a", EPOCH, *words))
        image_folder = Path(name) / "made"
        image_folder.mkdir()
        for image in ("tee-header_v2.bin", "tee-pager_v2.bin", "tee-pageable_v2.bin", TEE_ELF):
            shutil.copyfile(Path(name) / "core" / image, image_folder / image)
        image_folder.rename(target)
    return target


def _tf_a(work: Path, world: SecureWorld, source: Path, tee: Path) -> Path:
    """A folder with the flash image, both parts' symbols, and how a campaign is told of it."""
    jump = work / "bl33.bin"
    jump.write_bytes(jump_to_kernel())
    source_paths = [str(path) for path in _own_sources(world)]
    variables = {"PLAT": "qemu", "SPD": "opteed", "QEMU_USE_GIC_DRIVER": "QEMU_GICV3", "TRNG_SUPPORT": "1", "LOG_LEVEL": "20", "DEBUG": "0"}
    variables |= {"CROSS_COMPILE": CROSS, "BUILD_BASE": str(work / "build"), "BUILD_MESSAGE_TIMESTAMP": '"latlab"'}
    variables |= {"BL32": str(tee / "tee-header_v2.bin"), "BL33": str(jump), "NS_TIMER_SWITCH": str(int(world.timer_switch))}
    variables |= {"BL32_EXTRA1": str(tee / "tee-pager_v2.bin"), "BL32_EXTRA2": str(tee / "tee-pageable_v2.bin")}
    words = [f"{name}={value}" for name, value in variables.items()]
    run(("env", f"BL31_SOURCES={' '.join(source_paths)}", "make", "-j2", "-C", str(source), *words, "bl1", "bl2", "bl31", "fip"))
    release, images = work / "build/qemu/release", work / "made"
    images.mkdir()
    flash = (release / "bl1.bin").read_bytes()
    (images / FIRMWARE_BIN).write_bytes(flash.ljust(PACKAGE_PAGE, b"\xff") + (release / "fip.bin").read_bytes())
    shutil.copyfile(release / "bl31/bl31.elf", images / FIRMWARE_ELF)
    shutil.copyfile(tee / TEE_ELF, images / TEE_ELF)
    return images


def jump_to_kernel() -> bytes:
    """In a boot loader's place: x0 names QEMU's device tree, x1 to x3 are 0, as Linux's boot protocol wants it; then the kernel, which QEMU
    has put into memory."""
    ldr_x0, ldr_x4 = 0x580000C0, 0x58000084
    clear = [0xAA1F03E0 | register for register in (1, 2, 3)]
    return struct.pack("<6I2Q", ldr_x0, *clear, ldr_x4, BR_X4, TREE_ADDRESS, KERNEL_ADDRESS)


def _describe(images: Path, world: SecureWorld, sources: dict[str, Path]) -> None:
    description = {
        "tf_a": tf_a_version(sources[TF_A]),
        "optee": optee_version(sources[OPTEE]),
        "kernel_address": KERNEL_ADDRESS,
        "offers_rng": not world.prng,
        "options": world.options,
    }
    (images / SUBJECT).write_text(subject_text(str(world)), "utf-8")
    (images / DESCRIPTION).write_text(json.dumps(description, indent=1), "utf-8")


def subject_text(name: str) -> str:
    """What `--subject` takes: the same flash with the campaign's program in the kernel's place."""
    return f"""\
name = "tf-a-{name}"
machine = "virt"
options = "secure=on,gic-version=3,acpi=off,dtb-randomness=off"
cores = 4
symbols = ["{FIRMWARE_ELF}", "{TEE_ELF}"]

[[image]]
file = "{FIRMWARE_BIN}"
flash = 0
payload = "bl33"
"""


def tf_a_version(source: Path) -> str:
    version_parts = dict(re.findall(r"^VERSION_(MAJOR|MINOR|PATCH)\s*:=\s*(\d+)", (source / "Makefile").read_text("utf-8"), re.MULTILINE))
    return ".".join(version_parts[part] for part in ("MAJOR", "MINOR", "PATCH") if part in version_parts) or "unknown"


def optee_version(source: Path) -> str:
    match = re.search(r"^# OP-TEE - version (\S+)", (source / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    return match[1] if match else "unknown"
