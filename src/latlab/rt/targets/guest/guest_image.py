# SPDX-License-Identifier: BSD-3-Clause
"""The RT-Linux guest: Debian's PREEMPT_RT kernel for arm64 or amd64, its tools and our recorder: a kernel and an initramfs in the
user's cache.

No version is fixed here: the kernel is the one that the meta-package of the machine's Debian release names today.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
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
from latlab.rt.targets.guest.cpio import ArchiveEntry, archive, character_device, file, folder, link
from latlab.rt.targets.guest.debian import PrivateApt, unpack
from latlab.rt.targets.guest.guest_arch import ARCHES, Arch, GuestArch
from latlab.rt.targets.recorder_binary import cache_folder, guest_sources, meter_for, recorder_for, timed_write_for, wire_sources

TOOL_PACKAGES = ("busybox-static", "rt-tests", "stress-ng", "rtla")
PROGRAMS = ("usr/bin/cyclictest", "usr/bin/hackbench", "usr/bin/stress-ng", "usr/bin/rtla")
EDK2 = "edk2.fd"
FETCHED = "fetched"
IMAGE_FORMAT = 6
NO_MODULE = "no-module"
COMPRESSED = {".xz": lzma.decompress, ".gz": gzip.decompress}
"""How Debian packs kernel modules from release 13 on, and how a kernel may."""
WITHOUT_BTF = "CONFIG_DEBUG_INFO_BTF_MODULES="
"""Types of the module for BPF, which nothing here reads: their build needs a program (pahole) that no package of the kernel brings."""


@dataclass(frozen=True, slots=True)
class KernelPackages:
    """`parts` are what a release splits the kernel's package into, `headers` those of its flavour, `shared` those that flavours have in
    common, `tools` the programs of its build, which run on this machine."""

    image: str
    parts: tuple[str, ...]
    headers: str
    shared: tuple[str, ...]
    tools: tuple[str, ...]

    @property
    def release(self) -> str:
        """What `uname -r` says."""
        return self.image.removeprefix("linux-image-")


@dataclass(frozen=True, slots=True)
class GuestImage:
    """`smc_module` says whether the guest has its kernel module: on arm64 the one that reads the EL3 rings. `packages` are
    the names of the archives that it was made of, without their suffix: name, version and architecture, with _ between."""

    folder: Path
    kernel_release: str
    smc_module: bool
    packages: tuple[str, ...] = ()
    arch: Arch = Arch.ARM64

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
        return self._version(ARCHES[self.arch].efi_package)

    def _version(self, package: str) -> str:
        named = dict(name.split("_")[:2] for name in self.packages)
        return unquote(named.get(package, ""))


def guest_image(rebuild: bool = False, say: Callable[[str], None] = lambda text: None, arch: Arch = Arch.ARM64) -> GuestImage:
    """The cached image, built first if it is missing or its sources have changed. What stops it is an error before anything is fetched."""
    of_arch, target = ARCHES[arch], cache_folder() / "guest" / _source_stamp(arch)
    lacking = () if (target / "image.json").is_file() and not rebuild else lacking_for_module(of_arch)
    if lacking:
        target = target.with_name(f"{target.name}-{NO_MODULE}")
    if not rebuild and (target / "image.json").is_file():
        return _load(target, arch)
    for program in (recorder_for, meter_for, timed_write_for):
        program(of_arch.machine)
    if lacking:
        say(f"this guest will have no kernel module, so {of_arch.module_use}: {' and '.join(lacking)} missing; {_remedy(of_arch, lacking)}")
    say(f"building the guest's image: fetching Debian's {ARCHES[arch].debian} packages (150 MB) if they are missing; one to two minutes")
    target.parent.mkdir(parents=True, exist_ok=True)
    if rebuild:
        shutil.rmtree(target.parent / ARCHES[arch].apt_folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="building-") as work:
        image_folder = Path(work) / "image"
        image_folder.mkdir()
        _build(Path(work), image_folder, say, arch)
        shutil.rmtree(target, ignore_errors=True)
        image_folder.rename(target)
    return _load(target, arch)


def _load(target: Path, arch: Arch) -> GuestImage:
    try:
        facts = json.loads((target / "image.json").read_text())
        image = GuestImage(target, facts["kernel_release"], facts["smc_module"], tuple(facts["packages"]), arch)
        for path in (image.kernel, image.initrd, *((image.efi,) if ARCHES[arch].efi_package else ())):
            if hashlib.sha256(path.read_bytes()).hexdigest() != facts["sha256"][path.name]:
                raise DataError(
                    "not the file that was built (its checksum differs)", "build it again with `latlab guest build --rebuild`", place=path
                )
    except (OSError, ValueError, KeyError) as error:
        raise DataError(
            f"the guest image cannot be read ({error})", "build it again with `latlab guest build --rebuild`", place=target
        ) from error
    return image


def _source_stamp(arch: Arch = Arch.ARM64) -> str:
    digest = hashlib.sha256(f"{IMAGE_FORMAT} {arch}".encode())
    for path in (*sorted(guest_sources().rglob("*")), *sorted(wire_sources().glob("*.[ch]"))):
        if path.is_file() and path.parent.name != "secure_world":  # what is built below the guest is not in its image
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _build(work: Path, image_folder: Path, say: Callable[[str], None], arch: Arch) -> None:
    root, of_arch = work / "root", ARCHES[arch]
    apt = _packages(say, of_arch)
    packages = _kernel_packages(apt, of_arch)
    say(f"unpacking {len(apt.archives())} packages")
    for package in apt.archives():
        unpack(package, root)
    module = None
    if not lacking_for_module(of_arch):
        say("building the kernel module")
        module = _build_module(root, work / "module", packages, of_arch)
    say("packing the initramfs")
    kernel = _first_of(root, f"boot/vmlinuz-{packages.release}", f"usr/lib/modules/{packages.release}/vmlinuz")
    shutil.copyfile(kernel, image_folder / "Image")
    if of_arch.efi_package:
        shutil.copyfile(root / "usr/share" / of_arch.efi_package / "QEMU_EFI.fd", image_folder / EDK2)
    (image_folder / "initrd.gz").write_bytes(gzip.compress(archive(_entries(root, packages.release, module, of_arch)), 6, mtime=0))
    facts = {
        "kernel_release": packages.release,
        "smc_module": module is not None,
        "packages": [path.stem for path in apt.archives()],
        "sha256": {
            name: hashlib.sha256((image_folder / name).read_bytes()).hexdigest()
            for name in sorted(path.name for path in image_folder.iterdir())
        },
    }
    (image_folder / "image.json").write_text(json.dumps(facts, indent=1))


def _packages(say: Callable[[str], None], arch: GuestArch) -> PrivateApt:
    """The packages, fetched once and kept beside the images; anew where others are wanted than were fetched."""
    folder = cache_folder() / "guest" / arch.apt_folder
    native = run(("dpkg", "--print-architecture")).strip()
    apt = PrivateApt(folder, arch.debian, native)
    tools = (*TOOL_PACKAGES, *filter(None, (arch.efi_package,)))
    packages = " ".join(tools)
    if (folder / FETCHED).is_file() and (folder / FETCHED).read_text() == packages:
        return apt
    shutil.rmtree(folder, ignore_errors=True)
    say("fetching the lists of packages")
    apt.update()
    kernel = _kernel_packages(apt, arch)
    say("fetching the tools, then the kernel and its headers")
    apt.fetch_with_dependencies(tools)
    apt.fetch((kernel.image, *kernel.parts, kernel.headers, *kernel.shared, *(f"{name}:{native}" for name in kernel.tools)))
    (folder / FETCHED).write_text(packages)
    return apt


def _kernel_packages(apt: PrivateApt, arch: GuestArch) -> KernelPackages:
    """The kernel that the release names today, and what its headers name themselves: how those are called differs between releases."""
    headers = apt.dependency(f"linux-headers-rt-{arch.debian}", rf"linux-headers-.*-rt-{arch.debian}")
    image = apt.dependency(f"linux-image-rt-{arch.debian}", rf"linux-image-.*-rt-{arch.debian}")
    release, named = image.removeprefix("linux-image-"), apt.dependencies(headers)
    return KernelPackages(
        image,
        tuple(name for name in apt.dependencies(image) if name.endswith(f"-{release}")),
        headers,
        tuple(name for name in named if name.startswith("linux-headers-")),
        tuple(name for name in named if name.startswith("linux-kbuild-")),
    )


def lacking_for_module(arch: GuestArch) -> tuple[str, ...]:
    """The programs that the kernel module is built with and that this machine has not."""
    return tuple(name for name in (f"{arch.compiler}gcc", "make") if shutil.which(name) is None)


def check_module(arch: Arch, option: str) -> None:
    """Raises UsageError where an option needs the kernel module, and no image has it and it cannot be built."""
    lacking = lacking_for_module(ARCHES[arch])
    if lacking and not (cache_folder() / "guest" / _source_stamp(arch) / "image.json").is_file():
        raise UsageError(f"{option} needs the guest's kernel module; missing: {', '.join(lacking)}", _remedy(ARCHES[arch], lacking))


def _remedy(arch: GuestArch, lacking: tuple[str, ...]) -> str:
    return f"install {' and '.join('make' if name == 'make' else arch.compiler_package for name in lacking)} (Debian's names) for it"


def _build_module(root: Path, work: Path, packages: KernelPackages, arch: GuestArch) -> Path:
    """The module that issues SMCs, or SMIs."""
    shutil.copytree(guest_sources() / arch.module, work)
    run(make_modules(root / "usr/src", packages, work, arch))
    built = work / arch.module_file
    if not built.is_file():
        raise LatlabError("the module was not built", f"run the build by hand in guest/{arch.module} to see why", place=built)
    run((f"{arch.compiler}strip", "--strip-debug", str(built)))
    return built


def make_modules(sources: Path, packages: KernelPackages, work: Path, arch: GuestArch) -> tuple[str, ...]:
    """The command that builds the modules of `work`, out of tree, against the kernel's own headers with this machine's kbuild tools.
    Raises LatlabError where the packages have no Makefile of the kernel."""
    makefile = next((path for name in packages.shared if (path := sources / name / "Makefile").is_file()), None)
    if makefile is None:
        raise LatlabError(
            f"no Makefile of the kernel in {', '.join(packages.shared) or 'a package that the headers name'}",
            "report it with the Debian release",
            place=sources / packages.headers,
        )
    jobs = min(os.cpu_count() or 1, 2)
    options = (f"O={sources / packages.headers}", f"M={work}", f"ARCH={arch.kbuild}", f"CROSS_COMPILE={arch.compiler}", f"-j{jobs}")
    return ("make", "-s", "-C", str(makefile.parent), *options, WITHOUT_BTF, "modules")


def _entries(root: Path, release: str, module: Path | None, arch: GuestArch) -> Iterator[ArchiveEntry]:
    for name in ("proc", "sys", "dev", "tmp", "out", "sbin", "usr/sbin"):
        yield folder(name)
    yield link("lib64", "lib")
    yield character_device("dev/console", 5, 1)
    yield file("init", (guest_sources() / "init").read_bytes(), executable=True)
    yield file("bin/busybox", _first_of(root, "bin/busybox", "usr/bin/busybox").read_bytes(), executable=True)
    yield file("bin/latlab-recorder", recorder_for(arch.machine).read_bytes(), executable=True)
    yield file("bin/latlab-steal", meter_for(arch.machine).read_bytes(), executable=True)
    yield file("bin/latlab-timed-write", timed_write_for(arch.machine).read_bytes(), executable=True)
    for program in PROGRAMS:
        yield file(program, (root / program).read_bytes(), executable=True)
    for name, library in sorted(libraries_of(root, PROGRAMS).items()):
        yield file(f"lib/{name}", library.read_bytes(), executable=True)
    modules = _first_of(root, f"lib/modules/{release}/kernel", f"usr/lib/modules/{release}/kernel")
    for name in arch.kernel_modules:
        if (data := kernel_module(modules / name)) is not None:
            yield file(f"modules/{Path(name).name}", data)
    if module is not None:
        yield file(f"modules/{arch.module_file}", module.read_bytes())


def _first_of(root: Path, *names: str) -> Path:
    """Releases have it at different places. Raises LatlabError if it is at none."""
    path = next((root / name for name in names if (root / name).exists()), None)
    if path is None:
        raise LatlabError(f"no fetched package has {' or '.join(names)}", "report it with the Debian release")
    return path


def kernel_module(path: Path) -> bytes | None:
    """A module of the kernel's package, unpacked; None for one that the kernel has built in. Raises LatlabError if it is neither."""
    if path.is_file():
        return path.read_bytes()
    for suffix, unpacked in COMPRESSED.items():
        packed = path.with_name(path.name + suffix)
        if packed.is_file():
            return unpacked(packed.read_bytes())
    kernel = next(parent for parent in path.parents if parent.name == "kernel")
    if str(path.relative_to(kernel.parent)) in (kernel.parent / "modules.builtin").read_text("utf-8").splitlines():
        return None
    raise LatlabError("neither a module of the kernel's package nor built into the kernel", "report it with the Debian release", place=path)


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
