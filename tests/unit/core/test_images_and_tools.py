# SPDX-License-Identifier: BSD-3-Clause
"""What a target is made of: images by name, packages by what depends on them, a program that is built once."""

import re
from pathlib import Path
from typing import Any

import pytest

from latlab.core.errors import UsageError
from latlab.core.model.conditions import Mode
from latlab.psa.targets.mps2 import find_psa_images
from latlab.rt.targets import recorder_binary
from latlab.rt.targets.guest import guest, guest_image
from latlab.rt.targets.guest.guest_arch import ARCHES, Arch


def test_a_build_of_the_spm_is_its_secure_image_and_its_bench(tmp_path: Path) -> None:
    build = tmp_path / "ipc_l2"
    build.mkdir()
    (build / "secure.elf").touch()
    with pytest.raises(UsageError, match="make spm"):
        find_psa_images("ipc_l2", tmp_path)
    (build / "bench.elf").touch()
    images = find_psa_images("ipc_l2", tmp_path)
    assert (images.secure, images.bench) == (build / "secure.elf", build / "bench.elf")


@pytest.mark.parametrize(("is_checkout", "step"), [(True, "build it with `make spm`"), (False, "install the wheel of a release for ")])
def test_who_lacks_a_program_is_told_to_build_it_only_where_there_is_a_source_tree(
    is_checkout: bool, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lib" / "latlab"
    package.mkdir(parents=True)
    if is_checkout:
        (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr("importlib.resources.files", lambda name: package)
    with pytest.raises(UsageError) as refused:
        find_psa_images("ipc_l2")
    assert step in str(refused.value) and ("make" in str(refused.value)) == is_checkout


@pytest.mark.parametrize(
    ("release", "common", "kbuild", "parts"),
    [
        ("6.1.0-44-rt-arm64", "linux-headers-6.1.0-44-common-rt", "linux-kbuild-6.1", ()),
        ("6.12.90-rt-arm64", "linux-headers-6.12.90-common-rt", "linux-kbuild-6.12.90", ()),
        ("7.2.13-rt-arm64", "linux-headers-7.2.13-common", "linux-kbuild-7.2.13", ("linux-modules-7.2.13-rt-arm64",)),
    ],
)
def test_the_guests_kernel_and_headers_are_what_the_packages_of_a_release_name(
    release: str, common: str, kbuild: str, parts: tuple[str, ...]
) -> None:
    class Apt:
        def dependency(self, package: str, pattern: str) -> str:
            return next(name for name in named[package] if re.fullmatch(pattern, name))

        def dependencies(self, package: str) -> tuple[str, ...]:
            return named[package]

    apt: Any = Apt()
    image, headers = f"linux-image-{release}", f"linux-headers-{release}"
    named = {
        "linux-image-rt-arm64": (image,),
        "linux-headers-rt-arm64": (headers,),
        image: ("kmod", *parts),
        headers: (common, kbuild, "libc6"),
    }
    packages = guest_image._kernel_packages(apt, ARCHES[Arch.ARM64])
    assert packages == guest_image.KernelPackages(image, parts, headers, (common,), (kbuild,))
    assert packages.release == release


@pytest.mark.parametrize(("mode", "words"), [(Mode.DETERMINISTIC, "-icount"), (Mode.MULTI_THREAD, "tcg,thread=multi")])
def test_a_guest_has_the_clock_of_its_mode_and_nothing_of_the_other(mode: Mode, words: str, tmp_path: Path) -> None:
    options = guest._guest_options(guest.GuestMachine(mode=mode), tmp_path)
    assert words in options and ("-icount" in options) == (mode is Mode.DETERMINISTIC)
    assert options[-1] == "-no-reboot"


def test_a_machine_without_a_compiler_for_the_recorder_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_binary, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UsageError, match=r"no compiler for aarch64 to build the recorder; install \S+ \(Debian: gcc-aarch64-linux-gnu "):
        recorder_binary.recorder_for("aarch64")
    with pytest.raises(UsageError, match="knows no machine 'vax'"):
        recorder_binary.recorder_for("vax")
