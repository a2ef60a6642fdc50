# SPDX-License-Identifier: BSD-3-Clause
"""The bill of materials of a wheel, in CycloneDX: its programs by their hashes, whose code is linked into which, and the packages that pip
installs beside it."""

from __future__ import annotations

import hashlib
import subprocess
import tomllib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from packageurl import PackageURL
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
NAME = "latlab.cdx.json"


@dataclass(frozen=True, slots=True)
class Program:
    """`place` in the wheel's folder of images, `file` as it goes there, and the Debian packages whose code is in it."""

    place: Path
    file: Path
    linked: tuple[str, ...] = ()


def bill(tag: str, programs: Sequence[Program], when: int) -> str:
    """As JSON. `when`: seconds since 1970; nothing in it depends on when or where it is made."""
    name, version = "latlab", project_version()
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"pkg:pypi/{name}@{version}?tag={tag}"))
    bom.metadata.timestamp = datetime.fromtimestamp(when, UTC)
    wheel = Component(
        name=name,
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref=name,
        purl=PackageURL("pypi", None, name, version),
        licenses=[LicenseExpression("BSD-3-Clause")],
    )
    bom.metadata.component = wheel
    linked = {package: debian(package) for package in sorted({package for program in programs for package in program.linked})}
    carried = [(program, carried_file(program)) for program in programs]
    required = [python(Requirement(text)) for text in dependencies()]
    bom.components.update((*linked.values(), *required, *(component for _, component in carried)))
    bom.register_dependency(wheel, (*required, *(component for _, component in carried)))
    for program, component in carried:
        bom.register_dependency(component, [linked[package] for package in program.linked])
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def project_version() -> str:
    return str(ProjectMetadata(str(ROOT), PluginManager()).version)


def dependencies() -> list[str]:
    return list(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"])


def carried_file(program: Program) -> Component:
    place = f"latlab/catalog/images/{program.place.as_posix()}"
    digest = hashlib.sha256(program.file.read_bytes()).hexdigest()
    return Component(name=place, type=ComponentType.FILE, bom_ref=place, hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)])


def debian(package: str) -> Component:
    """With the version of this machine's, where it is installed as a package."""
    asked = subprocess.run(("dpkg-query", "--show", "--showformat=${source:Version}", package), capture_output=True, text=True, check=False)
    version = asked.stdout.strip() or None
    return Component(
        name=package,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"debian-{package}",
        purl=PackageURL("deb", "debian", package, version),
    )


def python(requirement: Requirement) -> Component:
    """Of any version that the wheel takes: which one it will be is settled where it is installed."""
    return Component(
        name=requirement.name,
        type=ComponentType.LIBRARY,
        bom_ref=f"pypi-{requirement.name}",
        purl=PackageURL("pypi", None, requirement.name.lower()),
        properties=[Property(name="latlab:accepted-versions", value=str(requirement.specifier))],
    )
