# SPDX-License-Identifier: BSD-3-Clause
from hypothesis import given
from hypothesis import strategies as st

from latlab.rt.targets.guest.cpio import archive, character_device, file, folder
from support.initramfs import members


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8}){0,2}", fullmatch=True), st.binary(max_size=50), max_size=5))
def test_every_file_comes_back_with_its_data(files: dict[str, bytes]) -> None:
    parsed = members(archive(file(path, data) for path, data in files.items()))
    assert {path: parsed[path].data for path in files} == files


def test_folders_stand_before_what_is_in_them() -> None:
    found = members(archive([file("a/b/c", b"x"), folder("d")]))
    assert list(found) == ["a", "a/b", "a/b/c", "d"]
    assert [oct(one.mode) for one in found.values()] == ["0o40755", "0o40755", "0o100644", "0o40755"]
    assert [one.links for one in found.values()] == [2, 2, 1, 2]


def test_nobody_s_files_have_no_time_no_owner_and_numbers_of_their_own() -> None:
    found = members(archive([file("a", b"1", executable=True), character_device("b", 5, 1), file("c", b"")]))
    assert [one.inode for one in found.values()] == [1, 2, 3]
    assert {(one.owner, one.time, one.folder, one.checksum, one.links) for one in found.values()} == {((0, 0), 0, (0, 0), 0, 1)}
    assert [one.device for one in found.values()] == [(0, 0), (5, 1), (0, 0)]
    assert [oct(one.mode) for one in found.values()] == ["0o100755", "0o20600", "0o100644"]


def test_the_archive_is_padded_so_that_another_can_follow() -> None:
    assert len(archive([file("x", b"1")])) % 512 == 0


def test_the_same_entries_give_the_same_bytes() -> None:
    entries = [file("init", b"#!", executable=True), character_device("dev/console", 5, 1)]
    assert archive(entries) == archive(entries)
