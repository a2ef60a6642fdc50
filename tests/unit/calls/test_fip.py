# SPDX-License-Identifier: BSD-3-Clause
import struct

import pytest

from latlab.calls.readers.fip import BL33, ENTRY, HEADER, LAST, NAME, with_bl33
from latlab.core.errors import DataError

OTHER = bytes(range(16))


def package(*entries: tuple[bytes, bytes], ends: bool = True) -> bytes:
    table_bytes = HEADER.size + ENTRY.size * (len(entries) + 1)
    table, data = HEADER.pack(NAME, 0x12345678, 0), b""
    for uuid, content in entries:
        table += ENTRY.pack(uuid, table_bytes + len(data), len(content), 7)
        data += content
    if ends:
        table += ENTRY.pack(LAST, table_bytes + len(data), 0, 0)
    return table + data


def content_of(changed: bytes, number: int) -> tuple[bytes, int]:
    _, start, size, flags = ENTRY.unpack_from(changed, HEADER.size + ENTRY.size * number)
    return changed[start : start + size], flags


def test_the_program_takes_the_place_of_bl33_and_nothing_else_changes() -> None:
    before = package((OTHER, b"bl31 code"), (BL33, b"boot loader"))
    after = with_bl33(before, b"the program, which is longer", "fip.bin")
    assert content_of(after, 0) == (b"bl31 code", 7)
    assert content_of(after, 1) == (b"the program, which is longer", 7)
    assert ENTRY.unpack_from(after, HEADER.size + ENTRY.size * 2)[1] == len(after)


def test_a_package_without_bl33_is_refused() -> None:
    with pytest.raises(DataError, match=r"fip.bin: the package has no BL33"):
        with_bl33(package((OTHER, b"x")), b"p", "fip.bin")


@pytest.mark.parametrize("data", [b"", b"\x7fELF" + bytes(60), struct.pack("<I", NAME)])
def test_what_is_no_package_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(DataError, match=r"x.bin: not a firmware image package"):
        with_bl33(data, b"p", "x.bin")


def test_a_table_that_does_not_end_is_refused() -> None:
    with pytest.raises(DataError, match="does not end"):
        with_bl33(package((BL33, b""), ends=False), b"p", "fip.bin")


def test_a_package_whose_image_is_cut_off_is_refused() -> None:
    whole = package((OTHER, b"bl31 code"), (BL33, b"boot loader"))
    with pytest.raises(DataError, match=rf"fip.bin: an image ends at byte {len(whole):#x}, the file has {len(whole) - 1} bytes"):
        with_bl33(whole[:-1], b"p", "fip.bin")


@pytest.mark.parametrize("padding", [b"\xff", b"\0"])
def test_a_package_that_is_filled_up_to_its_flash_takes_the_program_without_growing(padding: bytes) -> None:
    whole = package((OTHER, b"bl31 code"), (BL33, b"boot loader"))
    after = with_bl33(whole + padding * 4096, b"the program", "fip.bin")
    assert content_of(after, 0) == (b"bl31 code", 7) and content_of(after, 1) == (b"the program", 7)
    assert len(after) < len(whole) + 64


def test_what_stands_behind_a_package_stays_where_it_is() -> None:
    whole = package((OTHER, b"bl31 code"), (BL33, b"boot loader"))
    after = with_bl33(whole + bytes(64) + b"more", b"the program", "fip.bin")
    assert after[len(whole) + 64 :].startswith(b"more") and content_of(after, 1) == (b"the program", 7)
