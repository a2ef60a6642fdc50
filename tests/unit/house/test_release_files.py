# SPDX-License-Identifier: BSD-3-Clause
"""The version of a release is the tag's, said once; its bill of materials says what is in it."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

import package
import sbom
from latlab.calls.targets import traces
from support.places import ROOT

NAMED = "git", "-c", "user.name=a", "-c", "user.email=a@b"
PRINT = "include(${CMAKE_CURRENT_LIST_DIR}/cmake/version.cmake)\nmessage(${LATLAB_VERSION})\n"


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path) -> Path:
    (tmp_path / "cmake").mkdir()
    shutil.copy(ROOT / "cmake" / "version.cmake", tmp_path / "cmake")
    (tmp_path / "print.cmake").write_text(PRINT)
    return tmp_path


def version_in(tree: Path) -> str:
    done = subprocess.run(("cmake", "-P", "print.cmake"), cwd=tree, capture_output=True, text=True, check=True)
    return done.stderr.strip()


def commit(tree: Path, *tags: str) -> None:
    subprocess.run((*NAMED, "init", "-q"), cwd=tree, check=True)
    subprocess.run((*NAMED, "commit", "-q", "--allow-empty", "-m", "one"), cwd=tree, check=True)
    for tag in tags:
        subprocess.run((*NAMED, "tag", tag), cwd=tree, check=True)


def test_the_firmware_has_the_version_of_the_newest_tag_and_after_it_the_next(tree: Path) -> None:
    commit(tree)
    assert version_in(tree) == "0.1.0", "as the package has it before the first tag"
    commit(tree, "v0.9.14", "unrelated-3.0.0")
    assert version_in(tree) == "0.9.14"
    commit(tree)
    assert version_in(tree) == "0.9.15"


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("PKG-INFO", "Metadata-Version: 2.4\nName: latlab\nVersion: 1.2.3\n", "1.2.3"),
        ("PKG-INFO", "Version: 0.2.1.dev3+g1234567\n", "0.2.1"),
        (".git_archival.txt", "node: 12\ndescribe-name: v0.2.0\n", "0.2.0"),
        (".git_archival.txt", "describe-name: v0.2.0-3-g12345678\n", "0.2.1"),
        (".git_archival.txt", "describe-name: $Format:%(describe:tags=true,match=v[0-9]*)$\n", "0.1.0"),
    ],
)
def test_a_tree_without_git_says_its_version_in_a_file(tree: Path, name: str, text: str, version: str) -> None:
    (tree / name).write_text(text)
    assert version_in(tree) == version


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
