# SPDX-License-Identifier: BSD-3-Clause
"""The guest's image over a planted index of packages: what is fetched, what is built, and what an initramfs of it holds."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import shutil
import stat
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.rt.targets.guest import debian, guest_image
from latlab.rt.targets.guest.debian import PrivateApt
from latlab.rt.targets.guest.guest_arch import ARCHES, Arch
from latlab.rt.targets.guest.guest_image import GuestImage, kernel_module, libraries_of, needed
from latlab.rt.targets.recorder_binary import guest_sources
from support.initramfs import members

RELEASE = "6.12.9-rt-arm64"
KERNEL, HEADERS, COMMON = f"linux-image-{RELEASE}", f"linux-headers-{RELEASE}", "linux-headers-6.12.9-common-rt"
DEPENDS = {
    "linux-image-rt-arm64": ["linux-base", KERNEL],
    "linux-headers-rt-arm64": ["linux-headers-extra", HEADERS],
    HEADERS: ["linux-compiler-gcc-12-arm64", COMMON, "linux-kbuild-6.12.9"],
}
TOOLS = ["busybox-static", "rt-tests", "stress-ng", "rtla", "qemu-efi-aarch64"]


def compiled(target: Path, *options: str) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    source = target.parent / "source.c"
    source.write_text("int nothing;\nint main(void)\n{\n    return 0;\n}\n")
    subprocess.run(["gcc", str(source), "-Wl,--no-as-needed", *options, "-o", str(target)], check=True)
    source.unlink()
    return target


def library(folder: Path, name: str, *needs: Path) -> Path:
    return compiled(folder / name, "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{name}", *map(str, needs))


@pytest.fixture(name="packages", scope="module")
def fixture_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each package, as it is unpacked."""
    base = tmp_path_factory.mktemp("packages")
    libraries = base / "libc" / "usr" / "lib" / "aarch64-linux-gnu"
    far = library(libraries, "libfar.so.1")
    near = library(libraries, "libnear.so.2", far)
    library(libraries, "libunused.so.3")
    for program in guest_image.PROGRAMS:
        compiled(base / "rt-tests" / program, "-nostdlib", "-Wl,--dynamic-linker=/lib/ld-made.so.1", "-Wl,-e,main", str(near))
    library(libraries, "ld-made.so.1")
    (base / "busybox-static" / "bin").mkdir(parents=True)
    (base / "busybox-static" / "bin" / "busybox").write_bytes(b"busybox")
    kernel = base / KERNEL
    (kernel / "boot").mkdir(parents=True)
    (kernel / "boot" / f"vmlinuz-{RELEASE}").write_bytes(b"the kernel")
    for name in ARCHES[Arch.ARM64].kernel_modules:
        module = kernel / "lib/modules" / RELEASE / "kernel" / name
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_bytes(b"the module of " + module.stem.encode())
    makefile = base / COMMON / "usr/src" / COMMON / "Makefile"
    makefile.parent.mkdir(parents=True)
    makefile.touch()
    efi = base / "qemu-efi-aarch64" / "usr/share/qemu-efi-aarch64"
    efi.mkdir(parents=True)
    (efi / "QEMU_EFI.fd").write_bytes(b"EDK2")
    return base


class Programs:
    """In place of apt, dpkg and make: what was asked of them, and an index that fetches from `packages`."""

    def __init__(self, packages: Path) -> None:
        self.packages = packages
        self.asked: list[tuple[str, ...]] = []
        self.builds = True

    def __call__(self, command: Sequence[str], cwd: Path | None = None) -> str:
        words = tuple(word for word in command if not word.startswith("--option="))
        self.asked.append(words)
        match words:
            case ("dpkg", "--print-architecture"):
                return "amd64\n"
            case ("apt-cache", "depends", package):
                return f"{package}\n" + "".join(f"  Depends: {name}\n" for name in DEPENDS.get(package, []))
            case ("apt-get", "install", *rest):
                archives = next(Path(word.partition("archives=")[2]) for word in command if "Dir::Cache::archives=" in word)
                self._fetch(archives, ["libc", *(word for word in rest if not word.startswith("-"))])
            case ("apt-get", "download", *rest):
                assert cwd is not None
                self._fetch(cwd, [word for word in rest if not word.startswith("-")])
            case ("dpkg-deb", "-x", archive, folder):
                shutil.copytree(self.packages / Path(archive).name.split("_")[0], folder, dirs_exist_ok=True)
            case ("make", *rest):
                place = next(word.removeprefix("M=") for word in rest if word.startswith("M="))
                if self.builds:
                    (Path(place) / "latlab_el3.ko").write_bytes(b"the module")
        return ""

    def _fetch(self, archives: Path, names: list[str]) -> None:
        for name in names:
            plain = name.partition(":")[0]
            (self.packages / plain).mkdir(exist_ok=True)
            (archives / f"{plain}_1%3a6.12.9-1_arm64.deb").write_bytes(b"")

    def times(self, *words: str) -> int:
        return sum(asked[: len(words)] == words for asked in self.asked)


@pytest.fixture(name="programs")
def fixture_programs(packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    programs = Programs(packages)
    monkeypatch.setattr(debian, "run", programs)
    monkeypatch.setattr(guest_image, "run", programs)
    monkeypatch.setattr(guest_image, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    for name, data in (("recorder_for", b"the recorder"), ("meter_for", b"the meter"), ("timed_write_for", b"the write")):
        (tmp_path / name).write_bytes(data)
        monkeypatch.setattr(guest_image, name, lambda machine, path=tmp_path / name: path if machine == "aarch64" else None)
    return programs


def test_an_image_holds_the_kernel_and_all_that_the_guest_runs(programs: Programs, tmp_path: Path) -> None:
    said: list[str] = []
    image = guest_image.guest_image(say=said.append)
    assert (image.kernel.read_bytes(), image.kernel_release, image.smc_module) == (b"the kernel", RELEASE, True)
    assert image.kernel_version == "1:6.12.9-1"
    assert image.efi.read_bytes() == b"EDK2" and "modules/efivarfs.ko" in members(gzip.decompress(image.initrd.read_bytes()))
    found = members(gzip.decompress(image.initrd.read_bytes()))
    data = {name: entry.data for name, entry in found.items() if stat.S_ISREG(entry.mode)}
    assert data["init"] == (guest_sources() / "init").read_bytes()
    assert data["bin/busybox"] == b"busybox"
    assert (data["bin/latlab-recorder"], data["bin/latlab-steal"]) == (b"the recorder", b"the meter")
    assert (data["modules/arm_smccc_trng.ko"], data["modules/latlab_el3.ko"]) == (b"the module of arm_smccc_trng", b"the module")
    assert {name for name in data if name.startswith("lib/")} == {"lib/libnear.so.2", "lib/libfar.so.1", "lib/ld-made.so.1"}
    assert {name for name in data if name.startswith("usr/bin/")} == set(guest_image.PROGRAMS)
    for name in (
        *guest_image.PROGRAMS,
        "init",
        "bin/busybox",
        "bin/latlab-recorder",
        "bin/latlab-steal",
        "bin/latlab-timed-write",
        "lib/libnear.so.2",
    ):
        assert found[name].mode == stat.S_IFREG | 0o755, name
    assert found["modules/latlab_el3.ko"].mode == stat.S_IFREG | 0o644
    assert {name for name, entry in found.items() if stat.S_ISDIR(entry.mode)} >= {"proc", "sys", "dev", "tmp", "out", "sbin", "usr/sbin"}
    assert (found["dev/console"].mode, found["dev/console"].device) == (stat.S_IFCHR | 0o600, (5, 1))
    assert any("unpacking 10 packages" in line for line in said)
    assert list((tmp_path / "cache" / "guest").glob("building-*")) == [], "nothing half made is left"


def test_packages_are_fetched_once_and_an_image_is_made_once(programs: Programs) -> None:
    first = guest_image.guest_image()
    assert programs.times("apt-get", "update") == 1
    assert programs.asked.count(("apt-get", "install", "--download-only", "-q", "-y", *TOOLS)) == 1
    assert programs.asked.count(("apt-get", "download", "-q", KERNEL, HEADERS, COMMON, "linux-kbuild-6.12.9:amd64")) == 1
    asked = len(programs.asked)
    assert guest_image.guest_image() == first
    assert len(programs.asked) == asked, "the image of before is there"
    shutil.rmtree(first.folder)
    assert guest_image.guest_image().folder == first.folder
    assert programs.times("apt-get", "update") == 1, "the packages of before are there"
    assert guest_image.guest_image(rebuild=True) == first
    assert programs.times("apt-get", "update") == 2


def test_packages_are_fetched_again_where_others_are_wanted_than_were_fetched(programs: Programs, tmp_path: Path) -> None:
    guest_image.guest_image()
    apt = tmp_path / "cache" / "guest" / "apt"
    (apt / "fetched").write_text("what an earlier version of the guest was made of")
    (apt / "archives" / "stale_1_arm64.deb").write_bytes(b"")
    shutil.rmtree(next(path for path in apt.parent.iterdir() if path != apt))
    assert not any(name.startswith("stale") for name in guest_image.guest_image().packages)
    assert programs.times("apt-get", "update") == 2


def test_an_image_says_what_it_was_made_of_and_is_refused_once_it_is_another(programs: Programs) -> None:
    image = guest_image.guest_image()
    facts = json.loads((image.folder / "image.json").read_text())
    assert facts["sha256"]["Image"] == hashlib.sha256(b"the kernel").hexdigest()
    assert set(image.packages) == {
        f"{name}_1%3a6.12.9-1_arm64" for name in ("libc", *TOOLS, KERNEL, HEADERS, COMMON, "linux-kbuild-6.12.9")
    }
    image.initrd.write_bytes(image.initrd.read_bytes() + b"\0")
    with pytest.raises(DataError, match=r"initrd.gz: not the file that was built .*latlab guest build --rebuild"):
        guest_image.guest_image()


def test_the_module_is_built_against_the_kernel_s_own_headers(programs: Programs) -> None:
    guest_image.guest_image()
    (made,) = [words for words in programs.asked if words[0] == "make"]
    sources = Path(made[made.index("-C") + 1])
    assert (sources.name, sources.parent.name) == (COMMON, "src")
    assert f"O={sources.parent / HEADERS}" in made
    assert {"ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-", "modules"} <= set(made)
    assert programs.times("aarch64-linux-gnu-strip", "--strip-debug") == 1


@pytest.mark.parametrize("common", ["linux-headers-6.12.9-common-rt", "linux-headers-6.12.9-common", "linux-headers-6.12.9-of-all"])
def test_headers_of_any_name_are_fetched_and_built_against_if_the_kernel_s_headers_name_them(
    programs: Programs, packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, common: str
) -> None:
    own = tmp_path / "packages"
    shutil.copytree(packages, own)
    (own / COMMON / "usr/src" / COMMON).rename(own / COMMON / "usr/src" / common)
    (own / COMMON).rename(own / common)
    programs.packages = own
    monkeypatch.setitem(DEPENDS, HEADERS, ["gcc-14-aarch64", common, "linux-kbuild-6.12.9"])
    guest_image.guest_image()
    (made,) = [words for words in programs.asked if words[0] == "make"]
    assert Path(made[made.index("-C") + 1]).name == common
    assert programs.asked.count(("apt-get", "download", "-q", KERNEL, HEADERS, common, "linux-kbuild-6.12.9:amd64")) == 1


def test_headers_without_a_makefile_of_the_kernel_are_an_error(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEPENDS, HEADERS, ["linux-kbuild-6.12.9"])
    with pytest.raises(LatlabError, match=rf"{HEADERS}: no Makefile of the kernel in a package that the headers name"):
        guest_image.guest_image()


@pytest.mark.parametrize(("suffix", "packed"), [("", bytes), (".xz", lzma.compress), (".gz", gzip.compress)])
def test_a_module_of_the_kernel_is_taken_however_it_is_packed(tmp_path: Path, suffix: str, packed: Callable[[bytes], bytes]) -> None:
    folder = tmp_path / "6.12" / "kernel" / "drivers"
    folder.mkdir(parents=True)
    (folder / f"tee.ko{suffix}").write_bytes(packed(b"the module"))
    assert kernel_module(folder / "tee.ko") == b"the module"


def test_a_module_that_the_kernel_has_built_in_is_left_out_and_one_that_is_nowhere_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "6.12" / "kernel" / "drivers").mkdir(parents=True)
    (tmp_path / "6.12" / "modules.builtin").write_text("kernel/drivers/a.ko\nkernel/drivers/tee.ko\n")
    assert kernel_module(tmp_path / "6.12" / "kernel" / "drivers" / "tee.ko") is None
    with pytest.raises(LatlabError, match=r"optee\.ko: neither a module of the kernel's package nor built into the kernel"):
        kernel_module(tmp_path / "6.12" / "kernel" / "drivers" / "optee.ko")


def test_a_module_that_does_not_come_out_is_an_error_and_leaves_no_image(programs: Programs, tmp_path: Path) -> None:
    programs.builds = False
    with pytest.raises(LatlabError, match=r"latlab_el3.ko: the module was not built"):
        guest_image.guest_image()
    assert [path.name for path in (tmp_path / "cache" / "guest").iterdir()] == ["apt"]


@pytest.mark.parametrize("missing", ["aarch64-linux-gnu-gcc", "make"])
def test_without_a_compiler_the_guest_has_no_module_and_the_next_step_is_named(
    programs: Programs, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    said: list[str] = []
    monkeypatch.setattr(shutil, "which", lambda name: None if name == missing else f"/usr/bin/{name}")
    image = guest_image.guest_image(say=said.append)
    assert not image.smc_module and "modules/latlab_el3.ko" not in members(gzip.decompress(image.initrd.read_bytes()))
    assert "modules/arm_smccc_trng.ko" in members(gzip.decompress(image.initrd.read_bytes()))
    assert f"the firmware's own records are not read: {missing} missing; install " in said[0] and programs.times("make") == 0
    with pytest.raises(UsageError, match=f"--hold needs the guest's kernel module; missing: {missing}; install "):
        guest_image.check_module(Arch.ARM64, "--hold")
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    guest_image.check_module(Arch.ARM64, "--hold")
    whole = guest_image.guest_image()
    assert whole.smc_module and whole.folder != image.folder, "a compiler that was installed since is used"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert guest_image.guest_image() == whole, "what was built with a compiler stays without it"
    guest_image.check_module(Arch.ARM64, "--hold")


def test_programs_that_cannot_be_built_are_an_error_before_anything_is_fetched(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(machine: str) -> Path:
        raise UsageError(f"no compiler for {machine}")

    monkeypatch.setattr(guest_image, "timed_write_for", refuse)
    with pytest.raises(UsageError, match="no compiler for aarch64"):
        guest_image.guest_image()
    assert programs.asked == []


def test_the_image_is_another_once_a_source_of_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, wire = tmp_path / "guest", tmp_path / "wire"
    (sources / "smc").mkdir(parents=True)
    wire.mkdir()
    (sources / "init").write_text("a")
    monkeypatch.setattr(guest_image, "guest_sources", lambda: sources)
    monkeypatch.setattr(guest_image, "wire_sources", lambda: wire)
    stamps = [guest_image._source_stamp()]
    for path, text in ((sources / "init", "b"), (sources / "smc" / "m.c", "c"), (wire / "crc.c", "d"), (wire / "crc.h", "e")):
        path.write_text(text)
        stamps.append(guest_image._source_stamp())
    (wire / "notes.md").write_text("f")
    assert len(set(stamps)) == 5 and guest_image._source_stamp() == stamps[-1]


def test_the_version_of_a_kernel_that_is_not_among_the_packages_is_not_known(tmp_path: Path) -> None:
    assert GuestImage(tmp_path, RELEASE, True, ("rtla_6_arm64", f"{KERNEL}_6.12.9%2b1-2_arm64")).kernel_version == "6.12.9+1-2"
    assert GuestImage(tmp_path, "6.1", True, ("rtla_6_arm64",)).kernel_version == ""


def test_a_library_that_no_package_has_is_named_with_who_needs_it(packages: Path, tmp_path: Path) -> None:
    lost = library(tmp_path / "elsewhere", "liblost.so.9")
    compiled(tmp_path / "usr/bin/tool", "-nostdlib", "-Wl,-e,main", str(lost))
    with pytest.raises(LatlabError, match=r"tool: needs liblost.so.9, which no fetched package has"):
        libraries_of(tmp_path / "usr", ("bin/tool",))


def test_a_library_behind_a_link_is_found_by_the_name_that_is_asked_for(packages: Path, tmp_path: Path) -> None:
    real = library(tmp_path / "lib/deep", "libreal.so.1")
    library(tmp_path / "lib", "ld-made.so.1")
    tool = compiled(tmp_path / "usr/bin/tool", "-nostdlib", "-Wl,--dynamic-linker=/lib/ld-made.so.1", "-Wl,-e,main", str(real))
    real.rename(real.with_name("libreal.so.1.2.3"))
    real.symlink_to("libreal.so.1.2.3")
    found = libraries_of(tmp_path, ("usr/bin/tool",))
    assert found["libreal.so.1"] == real.with_name("libreal.so.1.2.3")
    assert needed(tool.read_bytes(), "tool") == ("libreal.so.1", "ld-made.so.1"), "what starts it is needed too"


def test_a_program_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"usr/bin/tool: not an ELF file .* fetch its package again"):
        needed(b"#!/bin/sh\n", "usr/bin/tool")


def test_apt_works_in_its_own_folder_for_both_architectures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Sequence[str], Path | None]] = []

    def run(command: Sequence[str], cwd: Path | None = None) -> str:
        asked.append((command, cwd))
        return "pkg\n  Depends: first\n |Depends: other\n  Recommends: linux-image-9\n  Depends: linux-image-6\n  Depends: linux-image-7\n"

    monkeypatch.setattr(debian, "run", run)
    apt = PrivateApt(tmp_path, "arm64", "amd64")
    apt.update()
    assert apt.dependency("pkg", "linux-image-.*") == "linux-image-6"
    apt.fetch(["a", "b"])
    for command, _ in asked:
        options = [word.removeprefix("--option=") for word in command if word.startswith("--option=")]
        assert {"APT::Architecture=arm64", "APT::Install-Recommends=0", f"Dir::State={tmp_path}", f"Dir::Cache={tmp_path}"} <= set(options)
        assert {f"Dir::State::lists={tmp_path}/lists", f"Dir::Cache::archives={tmp_path}/archives"} <= set(options)
        assert {f"Dir::State::status={tmp_path}/dpkg/status", "Debug::NoLocking=1", "APT::Sandbox::User="} <= set(options)
        assert [word for word in options if "Architectures::" in word] == ["APT::Architectures::=arm64", "APT::Architectures::=amd64"]
    assert [command[0] for command, _ in asked] == ["apt-get", "apt-cache", "apt-get"]
    assert [cwd for _, cwd in asked] == [None, None, tmp_path / "archives"]
    assert (tmp_path / "dpkg/status").is_file() and (tmp_path / "lists/partial").is_dir() and (tmp_path / "archives/partial").is_dir()
    with pytest.raises(LatlabError, match=r"no dependency of pkg that matches linux-headers-.*RT kernel for arm64"):
        apt.dependency("pkg", "linux-headers-.*")
    for name in ("b_1.deb", "a_1.deb", "a_1.txt"):
        (tmp_path / "archives" / name).touch()
    assert [path.name for path in apt.archives()] == ["a_1.deb", "b_1.deb"]
