# SPDX-License-Identifier: BSD-3-Clause
"""`latlab identify` on real firmware: the same figures as by hand, and a file that repeats them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from latlab.calls.campaign.sbi import DEBIAN_FIRMWARE, PROGRAM, QEMU
from latlab.core.targets.qemu.images import search_folders
from support.places import ROOT
from system.test_watch import latlab

FIRMWARE = ROOT / "build" / "qemu_virt" / "firmware.bin"


@pytest.mark.qemu
def test_a_firmware_is_measured_from_its_file_alone_and_again_from_what_was_written(tmp_path: Path) -> None:
    if not FIRMWARE.is_file():
        pytest.skip("needs `make qemu_virt`")
    copied, written = tmp_path / "any.name", tmp_path / "again.toml"
    shutil.copy(FIRMWARE, copied)
    seen = latlab(tmp_path, "identify", str(copied), "-o", str(written))
    assert seen.returncode == 0, seen.stderr.decode()
    assert f"{copied}: latlab's EL3 firmware " in seen.stderr.decode()
    again = latlab(tmp_path, "run", "psci", "--subject", str(written), "--iterations", "2")
    tables = [done.stdout.decode().partition("Figures are medians")[2].partition("\nRun  ")[0] for done in (seen, again)]
    assert "PSCI_VERSION latency" in tables[0] and tables[0] == tables[1]


@pytest.mark.qemu
def test_opensbi_is_measured_and_the_command_that_repeats_it_is_said(tmp_path: Path) -> None:
    if not (shutil.which(QEMU) and DEBIAN_FIRMWARE.is_file() and any((folder / PROGRAM).is_file() for folder in search_folders())):
        pytest.skip("needs qemu-system-misc, opensbi and `make sbi`")
    seen = latlab(tmp_path, "identify", str(DEBIAN_FIRMWARE))
    assert seen.returncode == 0, seen.stderr.decode()
    assert "base.get_spec_version" in seen.stdout.decode()
    assert f"to repeat it: latlab run calls --abi sbi --firmware {DEBIAN_FIRMWARE} --iterations 2" in seen.stderr.decode()


@pytest.mark.qemu
def test_a_subject_file_that_says_something_else_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not FIRMWARE.is_file():
        pytest.skip("needs `make qemu_virt`")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firmware.toml").write_text("mine")
    done = latlab(tmp_path, "identify", str(FIRMWARE))
    assert (done.returncode, (tmp_path / "firmware.toml").read_text()) == (2, "mine")
    assert done.stderr.decode().splitlines()[-1] == "latlab: firmware.toml exists with other content; name another file with -o"
