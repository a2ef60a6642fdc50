# SPDX-License-Identifier: BSD-3-Clause
"""What the doctor looks for, and what it says of that."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from latlab.core.errors import DataError, NotBuilt
from latlab.core.lifecycle import doctor
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from support.runs import run_with


def test_images_that_cannot_be_used_are_named_and_none_is_needed_where_others_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(firmware: Path, table: object) -> None:
        if "old" in firmware.parts:
            raise DataError(f"{firmware} has another event table")

    monkeypatch.setattr(doctor, "check_events", check)
    monkeypatch.setattr(doctor, "list_images", lambda: [Path("old"), Path("new")])
    old, new = doctor._images()
    assert (old.result, old.usable, old.needed) == ("old/firmware.elf has another event table", False, False)
    assert (new.result, new.usable, new.needed) == ("new", True, False)
    monkeypatch.setattr(doctor, "list_images", lambda: [Path("old")])
    old, none = doctor._images()
    assert not old.usable and not none.usable and not none.needed and none.result == "none is usable; the first run builds `make qemu_virt`"


def test_images_are_needed_where_nothing_can_build_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(missing: NotBuilt) -> str:
        raise missing

    monkeypatch.setattr(doctor, "list_images", lambda: [])
    monkeypatch.setattr(doctor, "first_run_of", cannot)
    (none,) = doctor._images()
    assert not none.usable and none.needed and none.result.startswith("none is usable")


def test_a_qemu_that_is_not_there_is_named_with_what_is_missing(tmp_path: Path) -> None:
    (found,) = doctor._qemu(tmp_path / "qemu-system-aarch64")
    assert not found.usable and found.needed and str(tmp_path / "qemu-system-aarch64") in found.result


def test_all_that_a_run_needs_is_looked_for_in_the_order_in_which_it_is_needed(tmp_path: Path) -> None:
    found = [one.subject for one in doctor.findings(store=str(tmp_path / "kept.db"))]
    assert found[:6] == ["latlab", "Python", "Python packages", "psycopg", "labgrid", "QEMU"] and found[-1] == "store"
    tools = found.index("aarch64-linux-gnu-gcc")
    assert found[tools : tools + 3] == ["aarch64-linux-gnu-gcc", "cmake", "ninja"]
    assert found[tools + 3].startswith("images")


@pytest.mark.parametrize(
    ("look", "said", "needed"),
    [
        (lambda: doctor._packages(["no-such-package"])[1], f"missing; run `{sys.executable} -m pip install no-such-package`", True),
        (lambda: doctor._optional("no-such-package", "dreams"), "not installed; only for dreams", False),
        (lambda: doctor._tool("no-such-tool"), "not installed; only to build the firmware", False),
    ],
)
def test_what_is_missing_is_said_and_whether_it_is_needed(look: Callable[[], doctor.DoctorFinding], said: str, needed: bool) -> None:
    found = look()
    assert (found.result, found.usable, found.needed) == (said, False, needed)


def test_what_is_there_is_told_with_its_version_or_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "version", lambda name: f"3.1 of {name}")
    (packages,) = doctor._packages(["altair", "numpy"])
    assert (packages.result, packages.usable) == ("altair 3.1 of altair, numpy 3.1 of numpy", True)
    found = doctor._optional("labgrid", "boards")
    assert (found.result, found.usable, found.needed) == ("3.1 of labgrid", True, False)
    tool = tmp_path / "ninja"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = doctor._tool("ninja")
    assert (found.result, found.usable, found.needed) == (str(tool), True, False)


@pytest.mark.parametrize(("version", "several"), [("9.2.4", False), ("10.0.2", True), ("11.1.0", True)])
def test_an_emulator_says_which_modes_it_can_be_used_for(tmp_path: Path, version: str, several: bool) -> None:
    emulator = tmp_path / "qemu-system-aarch64"
    emulator.write_text(f"#!/bin/sh\necho QEMU emulator version {version}\n")
    emulator.chmod(0o755)
    found, one, many, threads, _ = doctor._qemu(emulator)
    assert (found.subject, found.result, found.usable, found.needed) == ("QEMU", f"QEMU {version} at {emulator}", True, True)
    assert (one.subject, one.usable) == ("mode deterministic, one core", True)
    assert (many.subject, many.usable, many.needed) == ("mode deterministic, several cores", several, True)
    assert many.result.startswith("usable;" if several else "needs QEMU 10 or newer (Debian 12: bookworm-backports);")
    assert (threads.subject, threads.usable, threads.needed) == ("mode multi-thread", True, True)


def test_a_store_is_told_with_its_place_and_how_many_runs_it_has(tmp_path: Path) -> None:
    place = str(tmp_path / "kept.db")
    found = doctor._store(place)
    assert (found.result, found.usable) == (f"{place}, which the first run makes", True) and not Path(place).exists()
    Path(place).touch()
    assert not doctor._store(place).usable and not Path(place).stat().st_size
    Path(place).unlink()
    assert not doctor._store("/dev/null/store").usable
    kept = open_store(place)
    assert doctor._store(place).result == f"{place}, 0 runs"
    for count in ("1 run", "2 runs"):
        kept.finish(kept.begin(run_with()), RunStatus.COMPLETE)
        found = doctor._store(place)
        assert (found.result, found.usable, found.needed) == (f"{place}, {count}", True, True)
    (tmp_path / "none.db").write_bytes(b"no store at all\n" * 100)
    found = doctor._store(str(tmp_path / "none.db"))
    assert not found.usable and found.needed and "none.db" in found.result
