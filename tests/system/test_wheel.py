# SPDX-License-Identifier: BSD-3-Clause
"""The wheel of `make release` in an environment of its own, far from any checkout: each verb finds what it runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

import package
from latlab.calls.campaign import sbi
from latlab.calls.targets.boards import BOARDS, PSCI_PROGRAM, SMC_PROGRAM
from support.places import ROOT
from support.psa_subjects import own_text

pytestmark = pytest.mark.firmware

TIMEOUT_S = 900


@dataclass(frozen=True)
class Installed:
    """A virtual environment whose latlab comes from the wheel, and all else from the one that the tests run in."""

    root: Path
    images: Path

    def latlab(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "LATLAB"))}
        environment["LATLAB_STORE"] = str(folder / "store.db")
        command, nothing = (str(self.root / "bin/latlab"), *words), subprocess.DEVNULL
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=nothing)
        assert str(ROOT / "build") not in done.stdout + done.stderr
        return done


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    missing = [str(one.place) for one in package.inventory() if one.is_needed and not (package.BUILD / one.place).is_file()]
    if missing:
        pytest.skip(f"`make firmware` has not built {missing[0]}")
    subprocess.run((sys.executable, ROOT / "scripts/package.py", folder), check=True, timeout=TIMEOUT_S)
    (wheel,) = folder.glob(f"latlab-*_{package.this_machine()}.whl")
    venv.create(folder / "venv", with_pip=False)
    (site,) = (folder / "venv/lib").glob("python*/site-packages")
    pip = (sys.executable, "-m", "pip", "--quiet", "--python", str(folder / "venv/bin/python"))
    subprocess.run((*pip, "install", "--no-index", "--no-deps", wheel), check=True, timeout=TIMEOUT_S)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Installed(folder / "venv", site / "latlab/catalog/images")


def test_everything_that_latlab_looks_for_is_in_the_wheel(installed: Installed) -> None:
    wanted = {one.place for one in package.inventory() if one.is_needed or (package.BUILD / one.place).is_file()}
    assert [str(place) for place in sorted(wanted) if not (installed.images / place).is_file()] == []
    assert {f"{name}{board.suffix}.elf" for board in BOARDS.values() for name in (PSCI_PROGRAM, SMC_PROGRAM)} <= {
        place.name for place in wanted
    }
    assert os.access(installed.images / "virtual/latlab_virtual", os.X_OK)


def test_the_wheel_knows_every_module_that_looks_for_a_program() -> None:
    sources = ROOT / "src" / "latlab"
    looking = {path for path in sources.rglob("*.py") if "search_folders()" in path.read_text("utf-8")}
    imported = (ROOT / "scripts/package.py").read_text("utf-8")
    names = {path.stem for path in looking} - {"subject"}  # whose programs are those of `boards`
    assert names and [name for name in sorted(names) if not re.search(rf"\b{name}\b.*import|import.*\b{name}\b", imported)] == []


@pytest.mark.parametrize(
    "words",
    [
        ("run", "psci", "--iterations", "1"),
        ("run", "psci", "--machine", "virt", "--iterations", "1"),
        ("run", "psci", "--machine", "raspi4b", "--iterations", "1"),
        ("run", "psci", "--build", "debug", "--iterations", "1"),
        ("run", "psci", "--target", "virtual:juno"),
        ("run", "psa", "--build", "ipc_l2"),
        ("explore", "--clusters", "1", "--programs", "s"),
    ],
    ids=" ".join,
)
def test_a_verb_finds_its_programs(installed: Installed, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = installed.latlab(tmp_path, *words)
    assert done.returncode == 0, done.stderr


def test_a_firmware_of_somebody_else_is_run_and_watched(installed: Installed, tmp_path: Path) -> None:
    image = tmp_path / "theirs.bin"
    shutil.copy(installed.images / "qemu_virt/firmware.bin", image)
    done = installed.latlab(tmp_path, "run", "psci", "--firmware", str(image), "--machine", "virt", "--iterations", "1")
    assert done.returncode == 0, done.stderr
    machine = ("qemu-system-aarch64", "-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-smp", "2", "-m", "1024", "-nic", "none")
    program = ("-device", f"loader,file={installed.images}/qemu_virt/psci_calls.elf")
    ports = ("-serial", "stdio", "-serial", "null", "-display", "none", "-monitor", "none")
    done = installed.latlab(tmp_path, "watch", "--format", "json", "--", *machine, "-bios", str(image), *program, *ports)
    assert done.returncode == 0, done.stderr
    assert {"CPU_OFF", "PSCI_VERSION"} <= {one["call"] for one in json.loads(done.stdout)["calls"]}


def test_a_secure_image_of_somebody_else_is_called(installed: Installed, tmp_path: Path) -> None:
    subject = tmp_path / "theirs.toml"
    subject.write_text(own_text("sfn_l1", "", installed.images / "spm/sfn_l1/secure.elf"))
    done = installed.latlab(tmp_path, "run", "psa", "--subject", str(subject), "--iterations", "1")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    not (shutil.which(sbi.QEMU) and sbi.DEBIAN_FIRMWARE.is_file() and (package.BUILD / sbi.PROGRAM).is_file()),
    reason="needs qemu-system-misc, opensbi and `make sbi`",
)
def test_opensbi_is_called(installed: Installed, tmp_path: Path) -> None:
    done = installed.latlab(tmp_path, "run", "calls", "--abi", "sbi", "--iterations", "2", "--harts", "2")
    assert done.returncode == 0, done.stderr


def test_a_manual_page_stands_where_man_looks_beside_the_command(installed: Installed) -> None:
    pages = {path.name for path in (installed.root / "share/man/man1").glob("*.1")}
    assert {"latlab.1", "latlab-run-psci.1", "latlab-watch.1"} <= pages
