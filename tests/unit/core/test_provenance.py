# SPDX-License-Identifier: BSD-3-Clause
"""What a run says of the files that its machine was given, and of the tree that they lay in."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from latlab.core.model.provenance import LoadedFile, SourceTree
from latlab.core.readers.qemu_command import loaded_files
from latlab.core.targets import provenance
from latlab.core.targets.provenance import provenance_of


def git(folder: Path, *words: str) -> str:
    as_somebody = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    return subprocess.run(("git", *as_somebody, "-C", str(folder), *words), check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "bl31.bin").write_bytes(b"bl31")
    (folder / "source.c").write_text("int x;\n")
    git(folder, "init", "-q")
    git(folder, "add", "source.c")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def test_files_of_every_option_that_loads_one_are_found_once_and_consoles_are_not() -> None:
    command = [
        "qemu",
        "-M",
        "virt",
        "-bios",
        "a,b.bin",
        "-kernel",
        "k",
        "-device",
        "loader,file=c,,d.elf,addr=0x10",
        "-device",
        "loader,addr=1,data=2",
        "-drive",
        "if=pflash,format=raw,file=/x/flash,readonly=on",
        "-serial",
        "file:/t/log",
        "-device",
        "virtio-net,romfile=r",
        "-initrd",
        "k",
    ]
    assert loaded_files(command) == ("a,b.bin", "k", "c,d.elf", "/x/flash")


def test_a_file_in_a_built_tree_has_its_digest_and_the_trees_commit(tree: Path) -> None:
    file = tree / "build" / "bl31.bin"
    found = provenance_of(("qemu", "-bios", str(file)))
    assert found.files == (LoadedFile("bl31.bin", sha256(b"bl31").hexdigest()),)
    assert found.trees == (SourceTree(git(tree, "rev-parse", "HEAD"), True, ("bl31.bin",)),)


def test_a_tree_with_a_changed_source_is_not_clean(tree: Path) -> None:
    (tree / "source.c").write_text("int y;\n")
    (told,) = provenance_of(("qemu", "-kernel", str(tree / "build" / "bl31.bin"))).trees
    assert not told.is_clean and str(told).endswith("and changes that are not committed")


def test_a_tree_names_the_files_that_lie_in_it_and_no_others(tree: Path, tmp_path: Path) -> None:
    ours, outside = tree / "build" / "bl31.bin", tmp_path / "program.elf"
    outside.write_bytes(b"program")
    (told,) = provenance_of(("qemu", "-kernel", str(outside), "-bios", str(ours), "-device", f"loader,file={tree / 'source.c'}")).trees
    assert told.files == ("bl31.bin", "source.c")
    assert str(told).startswith("bl31.bin, source.c in commit ")


def test_what_cannot_be_read_or_has_no_tree_is_left_out_or_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "large").write_bytes(bytes(9))
    monkeypatch.setattr(provenance, "LARGEST_BYTES", 8)
    found = provenance_of(("qemu", "-bios", str(tmp_path / "none"), "-kernel", str(tmp_path / "large"), "-dtb", str(tmp_path)))
    assert found.files == (LoadedFile("none", ""), LoadedFile("large", ""), LoadedFile(tmp_path.name, ""))
    assert found.trees == ()


def test_without_git_the_files_are_told_all_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tree))
    found = provenance_of(("qemu", "-bios", str(tree / "build" / "bl31.bin")))
    assert [file.name for file in found.files] == ["bl31.bin"] and found.trees == ()
