# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the paths, counted outside the firmware and held: no stamp moves and no path grows without somebody saying so."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from latlab.core.errors import LatlabError
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.on_qemu import boot
from support.pinned_figures import A_PROFILE as PINNED
from support.pinned_figures import skip_by_another_compiler
from support.places import ROOT

pytestmark = pytest.mark.firmware

BUILDS = ("qemu_virt", "qemu_virt-hold", "qemu_virt-bare")


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
        skip_by_another_compiler("aarch64-linux-gnu-gcc", PINNED)
        find_images(Topology((2, 4)), "insn_probe")
    except (OSError, LatlabError) as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("build", "pinned"), [("", "instructions"), ("hardened", "hardened"), pytest.param("debug", "debug", marks=pytest.mark.slow)]
)
def test_each_path_has_as_many_instructions_as_were_written_down(build: str, pinned: str) -> None:
    module = bench()
    measured = module.from_log(find_images(module.TOPOLOGY, module.PROBE, build=build))
    assert {name: int(measured[name]) for name in PINNED[pinned]} == PINNED[pinned]


def test_the_spans_of_a_deterministic_run_are_those_that_were_written_down(tmp_path: Path) -> None:
    console = boot("psci_bench", tmp_path, (2, 4), iterations=1)
    lines = re.findall(r"<RT_INSTR:test_rt_instr_(\w+_serial)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)/>", console)
    found = {f"{test}_{cluster}_{core}": [int(value) // 16 for value in values] for test, cluster, core, *values in lines}
    assert found == PINNED["spans"]


def figures(console: str, tests: str = r"\w+") -> list[str]:
    lines = re.findall(rf"<RT_INSTR:test_rt_instr_{tests}\t.*/>", console)
    assert lines
    return lines


def test_figures_do_not_depend_on_what_else_is_built_in(tmp_path: Path) -> None:
    """Another length of the boot, and another address of most of the code."""
    found = {build: figures(boot("psci_bench", tmp_path, (2, 4), iterations=2, build=build)) for build in BUILDS}
    assert all(lines == found[BUILDS[0]] for lines in found.values())


def test_serial_figures_do_not_depend_on_how_the_boot_was_compiled_and_where(tmp_path: Path) -> None:
    """Parallel ones may: the emulator hands over between cores in another order."""
    elsewhere = ROOT / "build" / "qemu_virt-cold-O1"
    toolchain = ROOT / "cmake" / "aarch64-linux-gnu.cmake"
    configure = ["cmake", "-S", str(ROOT), "-B", str(elsewhere), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O2"]
    subprocess.run([*configure, f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", "-DLATLAB_COLD=-O1"], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", str(elsewhere), "--target", "firmware", "psci_bench"], check=True, capture_output=True)
    ours, theirs = (boot("psci_bench", tmp_path, (2, 4), iterations=2, build=build) for build in (BUILDS[0], elsewhere.name))
    assert (elsewhere / "firmware.bin").read_bytes() != (elsewhere.with_name(BUILDS[0]) / "firmware.bin").read_bytes()
    assert figures(theirs, r"\w+_serial") == figures(ours, r"\w+_serial")
