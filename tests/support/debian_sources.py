# SPDX-License-Identifier: BSD-3-Clause
"""Other people's firmware as Debian has it, sources and packages, fetched once into the user's cache with an apt list of our own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from latlab.core.targets.tools import run
from latlab.rt.targets.recorder_binary import cache_folder
from support.places import ROOT

KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def source(name: str, suite: str) -> Path:
    """The folder of the package's upstream sources in this suite, such as `trixie`."""
    folder = cache_folder() / "sources" / suite / name
    run((str(ROOT / "guest/debian_source.sh"), name, str(folder), suite))
    return folder


def package(name: str, suite: str, architecture: str) -> Path:
    """The unpacked package of this suite."""
    place = cache_folder() / "packages" / suite / architecture
    done = place / f"{name}.done"
    if not done.is_file():
        options = _updated(place, f"deb [arch={architecture}{_key(' ')}] {_site()} {suite} main")
        run(("apt-get", "-q", *options, f"--option=APT::Architecture={architecture}", "download", name), cwd=place)
        (archive,) = place.glob(f"{name}_*.deb")
        run(("dpkg-deb", "-x", str(archive), str(place / name)))
        done.write_text(archive.name)
    return place / name


def version_of(name: str, suite: str, architecture: str) -> str:
    """The upstream version of a package that was unpacked."""
    archive = (cache_folder() / "packages" / suite / architecture / f"{name}.done").read_text()
    return re.split(r"[+~-]", archive.split("_")[1])[0]


def copied(folder: Path, target: Path) -> Path:
    """A copy to build in."""
    return Path(shutil.copytree(folder, target, symlinks=True))


def _updated(place: Path, line: str) -> list[str]:
    """The options of an apt that knows this one line, after its update."""
    for name in ("lists/partial", "parts", "cache/archives/partial"):
        (place / "apt" / name).mkdir(parents=True, exist_ok=True)
    (place / "apt/status").touch()
    (place / "apt/sources.list").write_text(f"{line}\n")
    settings = {
        "Dir::Etc::sourcelist": "sources.list",
        "Dir::Etc::sourceparts": "parts",
        "Dir::State::lists": "lists",
        "Dir::State::status": "status",
        "Dir::Cache": "cache",
    }
    options = [f"--option={name}={place / 'apt' / value}" for name, value in settings.items()]
    options += ["--option=Debug::NoLocking=1", "--option=APT::Sandbox::User="]
    run(("apt-get", "-q", *options, "update"))
    return options


def _key(before: str = "") -> str:
    return f"{before}signed-by={KEYS}" if KEYS.is_file() else ""


def _site() -> str:
    """The mirror that the machine has for its own release."""
    words = ("apt-get", "indextargets", "--format", "$(SITE) $(CODENAME)", "Created-By: Packages")
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    sites = [line.split() for line in said.splitlines() if "security" not in line]
    return next(site for site, *codename in sites if codename)
