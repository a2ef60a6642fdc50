# SPDX-License-Identifier: BSD-3-Clause
"""Debian packages of another architecture, fetched with the machine's own apt into a folder. The machine is not changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import LatlabError
from latlab.core.targets.tools import run


@dataclass(frozen=True)
class PrivateApt:
    """An apt whose lists, status and archives live below `folder`; sources and keys are the machine's."""

    folder: Path
    architecture: str
    native: str

    def update(self) -> None:
        for name in ("lists/partial", "archives/partial", "dpkg"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "dpkg/status").touch()
        self._run("apt-get", "update", "-q")

    def dependency(self, package: str, pattern: str) -> str:
        """What a meta-package stands for: its dependency whose name matches."""
        for name in self.dependencies(package):
            if re.fullmatch(pattern, name):
                return name
        raise LatlabError(
            f"apt knows no dependency of {package} that matches {pattern}",
            f"check that its release has an RT kernel for {self.architecture}",
        )

    def dependencies(self, package: str) -> tuple[str, ...]:
        """The packages that it names itself, in its order; of alternatives the first."""
        return tuple(re.findall(r"^\s*Depends: (\S+)$", self._run("apt-cache", "depends", package), re.MULTILINE))

    def fetch_with_dependencies(self, packages: Sequence[str]) -> None:
        self._run("apt-get", "install", "--download-only", "-q", "-y", *packages)

    def fetch(self, packages: Sequence[str]) -> None:
        """Only these packages, whatever they depend on."""
        self._run("apt-get", "download", "-q", *packages, cwd=self.folder / "archives")

    def archives(self) -> tuple[Path, ...]:
        return tuple(sorted((self.folder / "archives").glob("*.deb")))

    def _run(self, program: str, *arguments: str, cwd: Path | None = None) -> str:
        settings = {
            "APT::Architecture": self.architecture,
            "APT::Install-Recommends": "0",
            "APT::Sandbox::User": "",
            "Acquire::Languages": "none",
            "Debug::NoLocking": "1",
            "Dir::State": str(self.folder),
            "Dir::State::status": str(self.folder / "dpkg/status"),
            "Dir::State::lists": str(self.folder / "lists"),
            "Dir::Cache": str(self.folder),
            "Dir::Cache::archives": str(self.folder / "archives"),
        }
        options = [f"--option={name}={value}" for name, value in settings.items()]
        options += [f"--option=APT::Architectures::={name}" for name in (self.architecture, self.native)]
        return run((program, *options, *arguments), cwd=cwd)


def unpack(archive: Path, folder: Path) -> None:
    run(("dpkg-deb", "-x", str(archive), str(folder)))
