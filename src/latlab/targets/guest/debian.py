"""Debian packages of another architecture, fetched with the machine's own apt into a folder. The machine is not changed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.errors import LatlabError, UsageError

APT_TIMEOUT_S = 900


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
        said = self._run("apt-cache", "depends", package)
        for name in re.findall(r"^\s*Depends: (\S+)$", said, re.MULTILINE):
            if re.fullmatch(pattern, name):
                return str(name)
        raise LatlabError(
            f"apt knows no dependency of {package} like {pattern}; check that its release has an RT kernel for {self.architecture}"
        )

    def fetch_with_dependencies(self, packages: Sequence[str]) -> None:
        self._run("apt-get", "install", "--download-only", "-q", "-y", *packages)

    def fetch(self, packages: Sequence[str]) -> None:
        """These alone, whatever they depend on."""
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


def run(command: Sequence[str], cwd: Path | None = None) -> str:
    """Run a tool to its end; a failure is one sentence with the last line that it said."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", timeout=APT_TIMEOUT_S, check=False)
    except FileNotFoundError as error:
        raise UsageError(f"{command[0]} is not there; install it (Debian: `make setup` does)") from error
    except subprocess.TimeoutExpired as error:
        raise LatlabError(f"{command[0]} has not ended in {APT_TIMEOUT_S} s; check the network and run it again") from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise LatlabError(f"{command[0]} ended with status {done.returncode}: {said[-1] if said else 'it said nothing'}")
    return done.stdout
