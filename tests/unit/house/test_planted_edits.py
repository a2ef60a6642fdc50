# SPDX-License-Identifier: BSD-3-Clause
"""What the slow proofs plant still has its place: each edit's text stands once in the sources, which a proof finds out hours later."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mutants.plan import read_planted
from prove.firmware.test_el3_delays import MENDS
from prove.spm_schedules import test_spm_forced_everywhere, test_spm_schedules
from support.places import ROOT, TESTS
from support.planted_holes import FOLDERS, HOLES
from support.taken_back import LATE_WAKE_V2, NOT_FORGOTTEN

SPM, EL3 = ROOT / "firmware" / "spm", ROOT / "firmware" / "el3"
EDITS = [
    *((f"hole: {hole.name}", SPM / file, before) for hole in HOLES for file, before, _ in hole.edits),
    *((f"schedule: {name}", SPM / file, now) for name, (file, now, _) in test_spm_schedules.FAULTS.items()),
    *((f"forced: {name}", SPM / file, now) for name, (_, file, now, _) in test_spm_forced_everywhere.FAULTS.items()),
    *((f"delays: {name}", EL3 / mend.file, mend.now) for name, mend in MENDS.items()),
    *((f"mend: {mend.file}", EL3 / mend.file, mend.now) for mend in (LATE_WAKE_V2, NOT_FORGOTTEN)),
    *((f"mutant: {one.fault}", ROOT / one.file, one.before) for one in read_planted(TESTS / "mutants" / "planted.toml")),
]


@pytest.mark.parametrize(("file", "text"), [edit[1:] for edit in EDITS], ids=[edit[0] for edit in EDITS])
def test_the_text_of_a_planted_edit_stands_once_in_its_file(file: Path, text: str) -> None:
    assert file.read_text().count(text) == 1


def test_the_copy_in_which_holes_are_planted_has_every_folder_of_its_build() -> None:
    rules = (SPM / "CMakeLists.txt").read_text()
    assert {"firmware", *re.findall(r"\$\{FIRMWARE_DIR\}/\.\./(\w+)", rules)} <= set(FOLDERS)
    assert "include(../../cmake/" in rules and "cmake" in FOLDERS
