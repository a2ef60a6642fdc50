# SPDX-License-Identifier: BSD-3-Clause
"""What the doctor says of images that cannot be used."""

from pathlib import Path

import pytest

from latlab.campaigns import doctor
from latlab.errors import DataError


def test_images_that_cannot_be_used_are_named_and_none_is_needed_where_others_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(firmware: Path, table: object) -> None:
        if "old" in firmware.parts:
            raise DataError(f"{firmware} has another event table")

    monkeypatch.setattr(doctor, "check_events", check)
    monkeypatch.setattr(doctor, "list_images", lambda: [Path("old"), Path("new")])
    old, new = doctor._images()
    assert (old.found, old.usable, old.needed) == ("old/firmware.elf has another event table", False, False)
    assert (new.found, new.usable, new.needed) == ("new", True, False)
    monkeypatch.setattr(doctor, "list_images", lambda: [Path("old")])
    old, none = doctor._images()
    assert not old.usable and not none.usable and none.needed and "make firmware" in none.found


def test_a_qemu_that_is_not_there_is_named_with_what_is_missing(tmp_path: Path) -> None:
    (found,) = doctor._qemu(tmp_path / "qemu-system-aarch64")
    assert not found.usable and found.needed and str(tmp_path / "qemu-system-aarch64") in found.found
