# SPDX-License-Identifier: BSD-3-Clause
"""The RT-Linux guest: Debian's PREEMPT_RT kernel for arm64, its tools and our recorder, as a kernel and an initramfs in the user's cache.

No version is fixed here: the kernel is the one that the meta-package of the machine's Debian release names today.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.targets.tools import run
from latlab.rt.targets.guest.cpio import ArchiveEntry, archive, character_device, file, folder
from latlab.rt.targets.guest.debian import PrivateApt, unpack
from latlab.rt.targets.recorder_binary import cache_folder, guest_sources, meter_for, recorder_for, timed_write_for, wire_sources

EFI_PACKAGE = "qemu-efi-aarch64"
TOOL_PACKAGES = ("busybox-static", "rt-tests", "stress-ng", "rtla", EFI_PACKAGE)
PROGRAMS = ("usr/bin/cyclictest", "usr/bin/hackbench", "usr/bin/stress-ng", "usr/bin/rtla")
KERNEL_META = "linux-image-rt-arm64"
HEADERS_META = "linux-headers-rt-arm64"
KERNEL_MODULES = (
    *(f"drivers/{name}.ko" for name in ("char/hw_random/arm_smccc_trng", "tee/tee", "tee/optee/optee", "char/hw_random/optee-rng")),
    "fs/efivarfs/efivarfs.ko",
)
EDK2 = "edk2.fd"
SMC_MODULE = "latlab_el3.ko"
FETCHED = "fetched"
CROSS = "aarch64-linux-gnu-"
IMAGE_FORMAT = 4


@dataclass(frozen=True, slots=True)
class GuestImage:
    """`smc_module` says whether the guest can read the EL3 rings. `packages` are the names of the archives that it was made of, without
    their suffix: name, version and architecture, with _ between."""

    folder: Path
    kernel_release: str
    smc_module: bool
    packages: tuple[str, ...] = ()

    @property
    def kernel(self) -> Path:
        return self.folder / "Image"

    @property
    def initrd(self) -> Path:
        return self.folder / "initrd.gz"

    @property
    def efi(self) -> Path:
        """Debian's EDK2 for QEMU's virt, without a secure world."""
        return self.folder / EDK2

    @property
    def kernel_version(self) -> str:
        """The version of the kernel's package: a release has several builds. Empty where that is not known."""
        return self._version(f"linux-image-{self.kernel_release}")

    @property
    def efi_version(self) -> str:
        return self._version(EFI_PACKAGE)

    def _version(self, package: str) -> str:
        named = dict(name.split("_")[:2] for name in self.packages)
        return unquote(named.get(package, ""))


def guest_image(rebuild: bool = False, say: Callable[[str], None] = lambda text: None) -> GuestImage:
    """The cached image, built first if it is missing or its sources have changed."""
    target = cache_folder() / "guest" / _source_stamp()
    if not rebuild and (target / "image.json").is_file():
        return _load(target)
    say("building the guest's image: fetching Debian's arm64 packages (about 150 MB) if they are missing; one to two minutes")
    target.parent.mkdir(parents=True, exist_ok=True)
    if rebuild:
        shutil.rmtree(target.parent / "apt", ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="building-") as work:
        image_folder = Path(work) / "image"
        image_folder.mkdir()
        _build(Path(work), image_folder, say)
        shutil.rmtree(target, ignore_errors=True)
        image_folder.rename(target)
    return _load(target)


def _load(target: Path) -> GuestImage:
    try:
        facts = json.loads((target / "image.json").read_text())
        image = GuestImage(target, facts["kernel_release"], facts["smc_module"], tuple(facts["packages"]))
        for path in (image.kernel, image.initrd, image.efi):
            if hashlib.sha256(path.read_bytes()).hexdigest() != facts["sha256"][path.name]:
                raise DataError(
                    "not the file that was built (its checksum differs)", "build it again with `latlab guest build --rebuild`", place=path
                )
    except (OSError, ValueError, KeyError) as error:
        raise DataError(
            f"the guest image cannot be read ({error})", "build it again with `latlab guest build --rebuild`", place=target
        ) from error
    return image


def _source_stamp() -> str:
    digest = hashlib.sha256(str(IMAGE_FORMAT).encode())
    for path in (*sorted(guest_sources().rglob("*")), *sorted(wire_sources().glob("*.[ch]"))):
        if path.is_file() and path.parent.name != "secure_world":  # what is built below the guest is not in its image
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _build(work: Path, image_folder: Path, say: Callable[[str], None]) -> None:
    root = work / "root"
    apt = _packages(say)
    kernel, headers, common = _kernel_packages(apt)
    say(f"unpacking {len(apt.archives())} packages")
    for package in apt.archives():
        unpack(package, root)
    release = kernel.removeprefix("linux-image-")
    say("building the kernel module")
    module = _build_module(root, work / "module", headers, common)
    say("packing the initramfs")
    shutil.copyfile(root / "boot" / f"vmlinuz-{release}", image_folder / "Image")
    shutil.copyfile(root / "usr/share" / EFI_PACKAGE / "QEMU_EFI.fd", image_folder / EDK2)
    (image_folder / "initrd.gz").write_bytes(gzip.compress(archive(_entries(root, release, module)), 6, mtime=0))
    facts = {
        "kernel_release": release,
        "smc_module": module is not None,
        "packages": [path.stem for path in apt.archives()],
        "sha256": {name: hashlib.sha256((image_folder / name).read_bytes()).hexdigest() for name in ("Image", "initrd.gz", EDK2)},
    }
    (image_folder / "image.json").write_text(json.dumps(facts, indent=1))


def _packages(say: Callable[[str], None]) -> PrivateApt:
    """The packages, fetched once and kept beside the images; anew where others are wanted than were fetched."""
    folder = cache_folder() / "guest" / "apt"
    native = run(("dpkg", "--print-architecture")).strip()
    apt = PrivateApt(folder, "arm64", native)
    packages = " ".join(TOOL_PACKAGES)
    if (folder / FETCHED).is_file() and (folder / FETCHED).read_text() == packages:
        return apt
    shutil.rmtree(folder, ignore_errors=True)
    say("fetching the lists of packages")
    apt.update()
    kernel, headers, common = _kernel_packages(apt)
    kbuild = apt.dependency(headers, r"linux-kbuild-.*")
    say("fetching the tools, then the kernel and its headers")
    apt.fetch_with_dependencies(TOOL_PACKAGES)
    apt.fetch((kernel, headers, common, f"{kbuild}:{native}"))
    (folder / FETCHED).write_text(packages)
    return apt


def _kernel_packages(apt: PrivateApt) -> tuple[str, str, str]:
    headers = apt.dependency(HEADERS_META, r"linux-headers-.*-rt-arm64")
    return apt.dependency(KERNEL_META, r"linux-image-.*-rt-arm64"), headers, apt.dependency(headers, r"linux-headers-.*-common-rt")


def _build_module(root: Path, work: Path, headers: str, common: str) -> Path:
    """The module that issues SMCs, built out of tree against the kernel's own headers with this machine's kbuild tools."""
    if shutil.which(f"{CROSS}gcc") is None:
        raise UsageError(f"{CROSS}gcc is missing, and the guest needs a kernel module", "install it (Debian: gcc-aarch64-linux-gnu)")
    shutil.copytree(guest_sources() / "smc", work)
    sources = root / "usr/src"
    cores = os.cpu_count() or 1
    options = (f"O={sources / headers}", f"M={work}", "ARCH=arm64", f"CROSS_COMPILE={CROSS}", f"-j{min(cores, 2)}")
    run(("make", "-s", "-C", str(sources / common), *options, "modules"))
    built = work / SMC_MODULE
    if not built.is_file():
        raise LatlabError("the module was not built", "run the build by hand in guest/smc to see why", place=built)
    run((f"{CROSS}strip", "--strip-debug", str(built)))
    return built


def _entries(root: Path, release: str, module: Path) -> Iterator[ArchiveEntry]:
    for name in ("proc", "sys", "dev", "tmp", "out", "sbin", "usr/sbin"):
        yield folder(name)
    yield character_device("dev/console", 5, 1)
    yield file("init", (guest_sources() / "init").read_bytes(), executable=True)
    yield file("bin/busybox", (root / "bin/busybox").read_bytes(), executable=True)
    yield file("bin/latlab-recorder", recorder_for("aarch64").read_bytes(), executable=True)
    yield file("bin/latlab-steal", meter_for("aarch64").read_bytes(), executable=True)
    yield file("bin/latlab-timed-write", timed_write_for("aarch64").read_bytes(), executable=True)
    for program in PROGRAMS:
        yield file(program, (root / program).read_bytes(), executable=True)
    for name, library in sorted(libraries_of(root, PROGRAMS).items()):
        yield file(f"lib/{name}", library.read_bytes(), executable=True)
    modules = root / "lib/modules" / release / "kernel"
    for name in KERNEL_MODULES:
        yield file(f"modules/{Path(name).name}", (modules / name).read_bytes())
    yield file(f"modules/{SMC_MODULE}", module.read_bytes())


def libraries_of(root: Path, programs: Sequence[str]) -> dict[str, Path]:
    """Every shared library that the programs need, and that those need."""
    installed = {path.name: path for base in ("lib", "usr/lib") for path in sorted((root / base).rglob("*.so*")) if path.is_file()}
    libraries: dict[str, Path] = {}
    pending = [root / program for program in programs]
    while pending:
        path = pending.pop()
        for name in needed(path.read_bytes(), str(path)):
            if name in libraries:
                continue
            if name not in installed:
                raise LatlabError(f"needs {name}, which no fetched package has", "report it with the Debian release", place=path)
            libraries[name] = installed[name].resolve()
            pending.append(libraries[name])
    return libraries


def needed(data: bytes, place: str) -> tuple[str, ...]:
    """The names in DT_NEEDED and the interpreter's own; none for a static program."""
    try:
        elf = ELFFile(io.BytesIO(data))
        libraries = [
            str(getattr(tag, "needed"))  # noqa: B009
            for section in elf.iter_sections()
            if isinstance(section, DynamicSection)
            for tag in section.iter_tags("DT_NEEDED")
        ]
        interpreter = elf.get_section_by_name(".interp")
    except ELFError as error:
        raise DataError(f"not an ELF file that can be read ({error})", "fetch its package again", place=place) from error
    if interpreter is not None:
        libraries.append(interpreter.data().rstrip(b"\0").decode().rpartition("/")[2])
    return tuple(libraries)
