# SPDX-License-Identifier: BSD-3-Clause
from hypothesis import given
from hypothesis import strategies as st

from latlab.targets.guest.cpio import archive, character_device, file


def _parsed(data: bytes) -> dict[str, tuple[int, bytes]]:
    found: dict[str, tuple[int, bytes]] = {}
    at = 0
    while True:
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name = data[at + 110 : at + 110 + fields[11] - 1].decode()
        at += 110 + fields[11]
        at += -at % 4
        body = data[at : at + fields[6]]
        at += fields[6]
        at += -at % 4
        if name == "TRAILER!!!":
            return found
        found[name] = (fields[1], body)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8}){0,2}", fullmatch=True), st.binary(max_size=50), max_size=5))
def test_every_file_comes_back_with_its_data(files: dict[str, bytes]) -> None:
    parsed = _parsed(archive(file(path, data) for path, data in files.items()))
    assert {path: parsed[path][1] for path in files} == files


def test_folders_stand_before_what_is_in_them() -> None:
    names = list(_parsed(archive([file("a/b/c", b"x")])))
    assert names == ["a", "a/b", "a/b/c"]


def test_the_archive_is_padded_so_that_another_can_follow() -> None:
    assert len(archive([file("x", b"1")])) % 512 == 0


def test_the_same_entries_give_the_same_bytes() -> None:
    entries = [file("init", b"#!", executable=True), character_device("dev/console", 5, 1)]
    assert archive(entries) == archive(entries)
