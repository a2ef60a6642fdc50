# SPDX-License-Identifier: BSD-3-Clause
"""scripts/setup.sh on machines made of fake tools: what each lacks is one sentence, with the command that brings it, and exit code 1."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.places import ROOT

SHELL_TOOLS = ("sh", "awk", "cat", "dirname", "env", "grep", "head", "ls", "mkdir", "rm", "sed", "sort", "tee", "touch", "tr")
PYTHON = """case "$*" in
*version_info*) echo {version} ;;
*-m\\ pip*) exit {pip} ;;
*venv\\ .venv) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
esac
"""
COMPILER = """case "$*" in
*-dumpfullversion*) echo {version} ;;
*-print-file-name*) echo {libc} ;;
esac
"""


@dataclass
class Computer:
    """Versions of what it has; None for what it has not. `brings`: what its apt-get then puts there."""

    folder: Path
    manager: str = "apt-get"
    is_root: bool = True
    versions: dict[str, str | None] = field(default_factory=dict)
    brings: dict[str, str] = field(default_factory=dict)
    has_network: bool = True

    def made(self) -> Computer:
        self.folder.mkdir()
        return self

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    def put(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)

    def tool(self, name: str, version: str) -> str:
        if name.endswith("gcc"):
            return COMPILER.format(version=version, libc=self.folder / "libc.a")
        if name == "python3":
            return PYTHON.format(version=version, pip=0 if self.has_network else 1)
        return f"echo '{'QEMU emulator' if 'qemu' in name else name} version {version} (fake 1.0)'\n"

    def build(self) -> None:
        self.bin.mkdir()
        for name in SHELL_TOOLS:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        (self.bin / "cp").symlink_to(shutil.which("cp") or "cp")
        (self.folder / "libc.a").touch()
        (self.folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / "setup.sh", self.folder / "scripts")
        (self.folder / "scripts" / "libfdt.sh").write_text("#!/bin/sh\n")
        (self.folder / "scripts" / "libfdt.sh").chmod(0o755)
        (self.folder / "pyproject.toml").touch()
        for name, version in self.versions.items():
            if version is not None:
                self.put(name, self.tool(name, version))
        self.put("pkg-config", "exit 0\n")
        self.put("make", "")
        self.put("xz", "")
        self.put("id", f"echo {0 if self.is_root else 1000}\n")
        self.put("sudo", "exit 1\n")
        new = "".join(
            f"cat >{self.bin}/{name} <<'TOOL'\n#!/bin/sh\n{self.tool(name, v)}TOOL\nchmod 755 {self.bin}/{name}\n"
            for name, v in self.brings.items()
        )
        (self.bin / "chmod").symlink_to(shutil.which("chmod") or "chmod")
        self.put(
            self.manager,
            f'case "$*" in *install*) echo "$@" >>{self.folder}/installed\n{new}{"exit 0" if self.has_network else "exit 100"} ;; esac\n',
        )
        self.put("apt-cache", 'case "$2" in libnewlib*) ;; *) echo Filename: x ;; esac\n')


GOOD: dict[str, str | None] = {
    "aarch64-linux-gnu-gcc": "14.2.0",
    "arm-none-eabi-gcc": "15.3.1",
    "gcc": "12.2.0",
    "cmake": "4.3.4",
    "ninja": "1.11.1",
    "python3": "3.14",
    "qemu-system-aarch64": "10.0.13",
    "qemu-system-arm": "11.1.3",
}


def setup(computer: Computer) -> tuple[int, list[str]]:
    computer.versions = GOOD | computer.versions
    computer.build()
    done = subprocess.run(
        (shutil.which("sh") or "sh", "scripts/setup.sh"),
        cwd=computer.folder,
        env={"PATH": str(computer.bin)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


def sentence(computer: Computer) -> str:
    code, said = setup(computer)
    assert code == 1 and len(said) == 1, said
    return said[0]


def installed(computer: Computer) -> str:
    path = computer.folder / "installed"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("manager", ["apt-get", "dnf", "pacman", "other"])
def test_a_machine_that_has_everything_is_left_as_it_is(tmp_path: Path, manager: str) -> None:
    computer = Computer(tmp_path, manager, is_root=False)
    assert setup(computer) == (0, [])
    assert installed(computer) == "" and (tmp_path / ".venv" / ".installed").exists()


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt-get", "apt-get install --no-install-recommends gcc-aarch64-linux-gnu libc6-dev-arm64-cross;"),
        ("dnf", "dnf install gcc-aarch64-linux-gnu;"),
        ("pacman", "pacman -S --needed aarch64-linux-gnu-gcc aarch64-linux-gnu-glibc;"),
        ("other", "this system's package manager;"),
    ],
)
def test_without_root_the_owners_command_is_named_and_ways_that_need_none(tmp_path: Path, manager: str, command: str) -> None:
    said = sentence(Computer(tmp_path, manager, is_root=False, versions={"aarch64-linux-gnu-gcc": None}))
    assert (
        said.startswith("Missing: aarch64-linux-gnu-gcc 12 or newer") and command in said and "a container" in said and "a prefix" in said
    )


@pytest.mark.parametrize(
    ("name", "version", "least"),
    [
        ("aarch64-linux-gnu-gcc", "10.2.1", "12"),
        ("arm-none-eabi-gcc", "8.3.1", "12"),
        ("gcc", "11.4.0", "12"),
        ("cmake", "3.22.1", "3.25"),
        ("ninja", "1.10.0", "1.11"),
        ("python3", "3.10", "3.11"),
        ("qemu-system-aarch64", "8.2.2", "10"),
        ("qemu-system-arm", "9.1.0", "10"),
    ],
)
@pytest.mark.parametrize("is_root", [True, False])
def test_a_tool_that_is_too_old_is_named_with_its_version_and_the_least(
    tmp_path: Path, name: str, version: str, least: str, is_root: bool
) -> None:
    """As root its packages are tried first, which bring the same version here: it is looked at again."""
    computer = Computer(tmp_path, is_root=is_root, versions={name: version})
    said = sentence(computer)
    assert said.startswith(f"Missing: {name} {least} or newer (found: {version}). ") and "then run this again" in said
    assert bool(installed(computer)) == is_root


def test_an_old_python_leads_to_uv_and_an_environment_that_uv_made_is_taken(tmp_path: Path) -> None:
    assert "uv venv --seed --python" in sentence(Computer(tmp_path / "one", is_root=False, versions={"python3": "3.10"}).made())
    computer = Computer(tmp_path / "two", is_root=False, versions={"python3": "3.10"}).made()
    (computer.folder / ".venv" / "bin").mkdir(parents=True)
    own = computer.folder / ".venv" / "bin" / "python"
    own.write_text(f"#!/bin/sh\n{computer.tool('python3', '3.13')}")
    own.chmod(0o755)
    assert setup(computer) == (0, [])


def test_what_packages_bring_is_enough(tmp_path: Path) -> None:
    computer = Computer(tmp_path, versions={"arm-none-eabi-gcc": None}, brings={"arm-none-eabi-gcc": "15.3.1"})
    assert setup(computer) == (0, [])
    assert installed(computer).split()[-2:] == ["gcc-arm-none-eabi", "picolibc-arm-none-eabi"]


def test_a_compiler_without_its_library_is_asked_for_it(tmp_path: Path) -> None:
    computer = Computer(tmp_path, "dnf", is_root=False)
    computer.versions = GOOD
    said = sentence_without_library(computer)
    assert said.startswith("Missing: the C library of arm-none-eabi-gcc") and "dnf install arm-none-eabi-newlib;" in said


def sentence_without_library(computer: Computer) -> str:
    computer.build()
    (computer.folder / "libc.a").unlink()
    done = subprocess.run(
        ("sh", "scripts/setup.sh"), cwd=computer.folder, env={"PATH": str(computer.bin)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize(("missing", "who"), [("cmake", "apt-get cannot install cmake"), ("none", "pip cannot install")])
def test_without_a_network_the_program_that_failed_is_named(tmp_path: Path, missing: str, who: str) -> None:
    said = sentence(Computer(tmp_path, has_network=False, versions={missing: None}))
    assert said.startswith(who) and "network" in said
    assert not (tmp_path / ".venv" / ".installed").exists()


def test_each_package_that_pyproject_names_has_a_version_in_the_constraints() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = [Requirement(line) for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    for wanted in map(Requirement, (*project["dependencies"], *project["optional-dependencies"]["dev"])):
        versions = [str(pin.specifier).removeprefix("==") for pin in pins if canonicalize_name(pin.name) == canonicalize_name(wanted.name)]
        assert versions and all(wanted.specifier.contains(version) for version in versions), f"{wanted}: run `make constraints`"
