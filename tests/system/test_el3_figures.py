# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the paths, counted outside the firmware and held: no stamp moves and no path grows without somebody saying so."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from latlab.errors import LatlabError
from latlab.model.run import Topology
from latlab.targets.qemu.images import find_images
from support.on_qemu import boot
from support.places import ROOT

pytestmark = pytest.mark.firmware

PINNED = tomllib.loads((ROOT / "bench" / "pinned.toml").read_text())


def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("psci_insns", ROOT / "bench" / "psci_insns.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def same_compiler() -> None:
    try:
        said = subprocess.run(["aarch64-linux-gnu-gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
        find_images(Topology((2, 4)), "insn_probe")
    except (OSError, LatlabError) as error:
        pytest.skip(str(error))
    if said != PINNED["compiler"]:
        pytest.skip(f"the figures are those of GCC {PINNED['compiler']}, this is {said}")


def test_each_path_has_as_many_instructions_as_were_written_down() -> None:
    module = bench()
    measured = module.from_log(find_images(module.TOPOLOGY, module.PROBE))
    assert {name: int(measured[name]) for name in PINNED["instructions"]} == PINNED["instructions"]


def test_the_spans_of_a_deterministic_run_are_those_that_were_written_down(tmp_path: Path) -> None:
    console = boot("psci_bench", tmp_path, (2, 4), iterations=1)
    lines = re.findall(r"<RT_INSTR:test_rt_instr_(\w+_serial)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)/>", console)
    found = {f"{test}_{cluster}_{core}": [int(value) // 16 for value in values] for test, cluster, core, *values in lines}
    assert found == PINNED["spans"]
