# SPDX-License-Identifier: BSD-3-Clause
"""The SPM installed as a package, and products made with it outside the tree."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from latlab.psa.targets import mps2
from support.places import ROOT

SAMPLE = ROOT / "examples" / "spm_product"
TOOLS = ("cmake", "ninja", "arm-none-eabi-gcc", mps2.PROGRAM)
TIMEOUT_S = 3600


def needed_tools() -> None:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not in PATH; run `make setup-dev`")


def ran(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, check=False)


def installed(folder: Path) -> Path:
    """Where the package lies, installed by the commands that docs/howto/spm-product.md has."""
    toolchain = ROOT / "cmake" / "arm-none-eabi.cmake"
    made = ran(
        *("cmake", "-S", ROOT / "firmware" / "spm", "-B", folder / "package", "-G", "Ninja"),
        *(f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", "-DLATLAB_SPM_PROGRAMS=OFF"),
    )
    assert made.returncode == 0, made.stderr
    done = ran("cmake", "--install", folder / "package", "--prefix", folder / "root")
    assert done.returncode == 0, done.stderr
    return folder / "root"


@dataclass(frozen=True)
class Product:
    """A copy of the sample, to be changed and built."""

    folder: Path
    root: Path

    @classmethod
    def copy(cls, folder: Path, root: Path) -> Product:
        shutil.copytree(SAMPLE, folder / "product")
        return cls(folder / "product", root)

    def replace(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert old in text, f"{file} has no {old}"
        path.write_text(text.replace(old, new))

    def configure(self, *options: str) -> subprocess.CompletedProcess[str]:
        return ran(
            *("cmake", "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
            *(f"-DCMAKE_TOOLCHAIN_FILE={self.folder / 'toolchain.cmake'}", f"-DCMAKE_PREFIX_PATH={self.root}", *options),
        )

    def build(self, *options: str) -> None:
        configured = self.configure(*options)
        assert configured.returncode == 0, configured.stderr
        built = ran("cmake", "--build", self.folder / "build")
        assert built.returncode == 0, built.stdout + built.stderr

    def run(self, machine: str = mps2.MACHINES[0]) -> subprocess.CompletedProcess[str]:
        build = self.folder / "build"
        return ran(
            *(mps2.PROGRAM, "-M", machine, "-kernel", build / "product" / "secure.elf"),
            *("-device", f"loader,file={build / 'application.elf'}", "-display", "none", "-monitor", "none", "-serial", "stdio"),
            *("-semihosting-config", "enable=on,target=native"),
        )
