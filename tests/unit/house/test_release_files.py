# SPDX-License-Identifier: BSD-3-Clause
"""The version of a release stands in one file; its other files follow from it and from what they are made of."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import debian_package
import package
import release
import sbom
from latlab.calls.targets import traces
from support.places import ROOT

PRINT = "include(${CMAKE_CURRENT_LIST_DIR}/cmake/version.cmake)\nmessage(${LATLAB_VERSION})\n"


@pytest.mark.parametrize(("version", "release"), [("0.1.0", "0.1.0"), ("1.12.3.dev4", "1.12.3"), ("2.0.0rc1", "2.0.0")])
def test_the_firmware_has_the_release_part_of_the_packages_version(version: str, release: str, tmp_path: Path) -> None:
    (tmp_path / "cmake").mkdir()
    shutil.copy(ROOT / "cmake" / "version.cmake", tmp_path / "cmake")
    (tmp_path / "print.cmake").write_text(PRINT)
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "x"\nversion = "{version}"\ntarget-version = "py311"\n')
    done = subprocess.run(("cmake", "-P", "print.cmake"), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == release


def test_the_changelog_begins_with_the_version_or_with_what_is_not_released() -> None:
    first = next(line for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line.startswith("## "))
    version = sbom.project_version()
    assert re.fullmatch(r"## Unreleased" if ".dev" in version else rf"## {re.escape(version)} - \d{{4}}-\d\d-\d\d", first)


def test_the_debian_package_needs_or_has_each_package_that_the_wheel_needs() -> None:
    control = (ROOT / "debian/control").read_text("utf-8")
    needed = {name: version for name, version in re.findall(r"^ python3-([a-z0-9-]+) \(>= (?:\d:)?([\d.]+)\)", control, re.MULTILINE)}
    for requirement in map(Requirement, sbom.dependencies()):
        name = {"PyYAML": "yaml"}.get(requirement.name, requirement.name.lower())
        least = next(one.version for one in requirement.specifier if one.operator == ">=")
        assert (name in needed) != (requirement.name in debian_package.NOT_IN_DEBIAN), requirement
        assert requirement.name in debian_package.NOT_IN_DEBIAN or Version(needed[name]) >= Version(least), requirement


def test_debians_changelog_has_the_version_and_the_time_of_the_commit() -> None:
    maintainer = debian_package.maintainer_of((ROOT / "debian/control").read_text("utf-8"))
    text = debian_package.changelog("1.2.3", 1_700_000_000, maintainer)
    assert text.startswith("latlab (1.2.3) unstable; urgency=medium\n\n  * ")
    assert text.endswith(f"\n -- {maintainer}  Tue, 14 Nov 2023 22:13:20 +0000\n")


def test_the_archive_of_the_manual_is_the_same_whoever_makes_it(tmp_path: Path) -> None:
    pages = [("latlab", ".TH A\n"), ("latlab-run", ".TH B\n")]
    data = release.manual_archive(iter(pages), 1_700_000_000)
    assert data == release.manual_archive(iter(pages), 1_700_000_000)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert [(one.name, one.mtime, one.uid) for one in archive] == [(f"man1/{name}.1", 1_700_000_000, 0) for name, _ in pages]
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 has none
        archive.extractall(tmp_path)
    assert (tmp_path / "man1/latlab-run.1").read_text() == ".TH B\n"


def test_the_checksums_are_those_that_sha256sum_reads(tmp_path: Path) -> None:
    for name in ("b.whl", "a.deb"):
        (tmp_path / name).write_text(name)
    (tmp_path / release.SUMS).write_text(release.checksums(tmp_path))
    assert [line.split()[1] for line in release.checksums(tmp_path).splitlines()] == ["a.deb", "b.whl"]
    subprocess.run(("sha256sum", "--check", "--strict", release.SUMS), cwd=tmp_path, capture_output=True, check=True)
    (tmp_path / "a.deb").write_text("changed")
    assert subprocess.run(("sha256sum", "--check", release.SUMS), cwd=tmp_path, capture_output=True, check=False).returncode == 1


def test_a_bill_names_each_program_by_its_hash_and_what_is_linked_into_it(tmp_path: Path) -> None:
    (tmp_path / "firmware.bin").write_bytes(b"firmware")
    program = sbom.Program(Path("qemu_virt/firmware.bin"), tmp_path / "firmware.bin", (package.LIBFDT,))
    text = sbom.bill("py3-none-any", [program], 1_700_000_000)
    assert text == sbom.bill("py3-none-any", [program], 1_700_000_000), "nothing in it is drawn or of this moment"
    bill = json.loads(text)
    components = {one["name"]: one for one in bill["components"]}
    place = "latlab/catalog/images/qemu_virt/firmware.bin"
    assert components[place]["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"firmware").hexdigest()}]
    assert {"numpy", package.LIBFDT} <= set(components)
    needs = {one["ref"]: one.get("dependsOn", []) for one in bill["dependencies"]}
    assert needs[place] == [f"debian-{package.LIBFDT}"] and place in needs["latlab"]
    assert bill["metadata"]["component"]["version"] and bill["metadata"]["timestamp"].startswith("2023-11-14T22:13:20")


def test_a_wheels_tag_asks_for_the_newest_c_library_that_its_programs_need(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = {"one": ("2.2.5", "2.17"), "other": ("2.9", "2.4")}
    monkeypatch.setattr(package, "inventory", lambda: [package.Carried(Path(name), is_host=True) for name in needed])
    monkeypatch.setattr(package, "c_library_versions", lambda path: iter(needed[path.name]))
    assert package.wheel_tag("aarch64") == "py3-none-manylinux_2_17_aarch64"


def test_a_wheel_carries_the_reader_of_tarmac_and_leaves_out_the_one_that_needs_a_library_of_the_machine() -> None:
    carried = {item.place.name: item for item in package.inventory()}
    assert carried[traces.TARMAC].is_needed and carried[traces.TARMAC].is_host
    assert traces.CORESIGHT not in carried
