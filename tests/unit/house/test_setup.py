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

FOR_FILES = ("cat", "chmod", "cp", "ls", "mkdir", "mktemp", "rm", "tee", "touch")
SHELL_TOOLS = ("sh", "awk", "dirname", "env", "grep", "head", "sed", "sort", "tr", *FOR_FILES)
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
    locked_times: int = 0
    """How often apt-get finds its lists or archives locked by another process."""

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
        self.put("sleep", f"echo $1 >>{self.folder}/slept\n")
        new = "".join(
            f"cat >{self.bin}/{name} <<'TOOL'\n#!/bin/sh\n{self.tool(name, v)}TOOL\nchmod 755 {self.bin}/{name}\n"
            for name, v in self.brings.items()
        )
        locked = (
            f'[ "$(grep -sc . {self.folder}/slept)" -ge {self.locked_times} ] || {{ echo "E: Could not get lock /x" >&2; exit 100; }}\n'
        )
        self.put(
            self.manager,
            f'{locked if self.locked_times else ""}case "$*" in *install*) echo "$@" >>{self.folder}/installed\n{new}'
            f"{'exit 0' if self.has_network else 'exit 100'} ;; esac\n",
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
    "riscv64-linux-gnu-gcc": "12.2.0",
}


def setup(computer: Computer, *arguments: str) -> tuple[int, list[str]]:
    """Exit code, and what it prints on either output."""
    computer.versions = GOOD | computer.versions
    computer.build()
    done = subprocess.run(
        (shutil.which("sh") or "sh", "scripts/setup.sh", *arguments),
        cwd=computer.folder,
        env={"PATH": str(computer.bin)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


def sentence(computer: Computer, *arguments: str) -> str:
    code, said = setup(computer, *arguments)
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
    said = sentence(Computer(tmp_path, manager, is_root=False, versions={"aarch64-linux-gnu-gcc": None}), "guest")
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
    said = sentence(computer, "programs")
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
    assert setup(computer, "programs") == (0, [])
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
        ("sh", "scripts/setup.sh", "spm"), cwd=computer.folder, env={"PATH": str(computer.bin)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


LIGHT: dict[str, str | None] = {"arm-none-eabi-gcc": None, "riscv64-linux-gnu-gcc": None, "gcc": None}
"""What the first figure does not need."""


def test_the_first_figure_needs_neither_the_other_compilers_nor_those_of_this_machine(tmp_path: Path) -> None:
    computer = Computer(tmp_path, versions=LIGHT)
    assert setup(computer) == (0, []) and installed(computer) == ""


@pytest.mark.parametrize(
    ("part", "missing"), [("spm", "arm-none-eabi-gcc 12 or newer"), ("sbi", "riscv64-linux-gnu-gcc"), ("host", "gcc 12 or newer")]
)
def test_a_check_of_a_part_installs_nothing_and_names_what_the_part_lacks(tmp_path: Path, part: str, missing: str) -> None:
    computer = Computer(tmp_path, versions=LIGHT)
    said = sentence(computer, "--check", part)
    assert said.startswith(f"Missing: {missing}") and "As root: apt-get install" in said and installed(computer) == ""
    assert not (tmp_path / ".venv").exists()


def test_tools_alone_leave_the_environment_of_python_as_it_is(tmp_path: Path) -> None:
    computer = Computer(tmp_path, versions=LIGHT, brings={"arm-none-eabi-gcc": "15.3.1"})
    assert setup(computer, "--tools", "spm") == (0, [])
    assert "gcc-arm-none-eabi" in installed(computer) and not (tmp_path / ".venv").exists()


def test_the_packages_of_a_part_are_printed_whatever_is_installed(tmp_path: Path) -> None:
    for folder in ("light", "dev"):
        (tmp_path / folder).mkdir()
    code, light = setup(Computer(tmp_path / "light"), "--packages")
    assert code == 0 and light == sorted(light) and {"gcc-aarch64-linux-gnu", "qemu-system-arm", "python3-venv"} <= set(light)
    assert not {"gcc-arm-none-eabi", "gcc", "libc6-dev", "chromium"} & set(light)
    code, dev = setup(Computer(tmp_path / "dev", is_root=False), "--packages", "dev")
    compilers = {"gcc-aarch64-linux-gnu", "gcc-arm-none-eabi", "gcc-riscv64-linux-gnu", "gcc-arm-linux-gnueabihf"}
    assert code == 0 and {*light, "chromium", "postgresql", "stress-ng", "picolibc-arm-none-eabi"} <= set(dev)
    assert compilers | {"libc6-dev-arm64-cross", "libc6-dev-riscv64-cross", "libc6-dev-armhf-cross"} <= set(dev)


def test_who_may_not_install_is_told_what_tests_lack_and_goes_on_without_it(tmp_path: Path) -> None:
    for folder in ("tests", "both"):
        (tmp_path / folder).mkdir()
    code, said = setup(Computer(tmp_path / "tests", is_root=False), "dev")
    assert code == 0 and len(said) == 1 and said[0].startswith("Missing: for some tests, which are skipped without: ")
    assert "chromium" in said[0] and "apt-get install --no-install-recommends" in said[0] and " stress-ng" in said[0]
    said_of_both = sentence(Computer(tmp_path / "both", is_root=False, versions={"cmake": None}), "dev")
    assert said_of_both.startswith("Missing: cmake 3.25 or newer; for some tests") and " cmake " in said_of_both.partition("As root: ")[2]


@pytest.mark.parametrize("times", [1, 3])
def test_apt_waits_while_another_process_holds_its_lock(tmp_path: Path, times: int) -> None:
    computer = Computer(tmp_path, versions={"cmake": None}, brings={"cmake": "4.0.0"}, locked_times=times)
    code, said = setup(computer)
    assert code == 0 and "cmake" in installed(computer)
    assert sum("Another process holds apt's lock" in line for line in said) == 1, said


def test_a_word_that_is_no_part_is_refused(tmp_path: Path) -> None:
    code, said = setup(Computer(tmp_path), "everything")
    assert code == 2 and "everything is neither an option nor a part" in said[0]


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
