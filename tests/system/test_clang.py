# SPDX-License-Identifier: BSD-3-Clause
"""The firmware of both profiles as Clang and lld make it: what it promises does not depend on the compiler."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.psa.targets import mps2
from support.on_mps2 import printed
from support.on_qemu import boot
from support.places import ROOT

pytestmark = pytest.mark.qemu

PRESET = "clang_qemu_virt"
SPM = replace(mps2.BOARDS["mps2-an521"], images="clang_spm")


@pytest.mark.skipif(not (ROOT / "build" / PRESET / "firmware.bin").is_file(), reason="needs clang, lld, llvm and `make clang`")
@pytest.mark.parametrize(("gic", "el"), [(2, 1), (3, 2)])
def test_conformance_of_el3_does_not_depend_on_the_compiler(gic: int, el: int, tmp_path: Path) -> None:
    ours, theirs = (boot("psci_conformance", tmp_path, gic=gic, el=el, build=build) for build in ("qemu_virt", PRESET))
    assert theirs.strip().splitlines()[-1] == ours.strip().splitlines()[-1]
    assert theirs.strip().endswith(" passed, 0 failed")


@pytest.mark.skipif(not (ROOT / "build" / SPM.images / "sfn_l1_test").is_dir(), reason="needs clang, lld, llvm and `make clang`")
@pytest.mark.parametrize("build", ["sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3", "classic_l1", "classic_l2"])
def test_conformance_of_the_spm_does_not_depend_on_the_compiler(build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(mps2.BOARDS, "mps2-an521", SPM)
    assert ", failed 0, " in printed(f"{build}_test", "conformance")
