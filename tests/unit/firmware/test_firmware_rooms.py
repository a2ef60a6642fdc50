# SPDX-License-Identifier: BSD-3-Clause
"""How the firmware's sources are kept: its two products apart."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.places import ROOT


def _copy(folder: Path) -> Path:
    for name in ("firmware", "cmake", "probe/programs"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "pyproject.toml", folder)  # the version
    return folder / "firmware"


def _check(firmware: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["python3", firmware / "check_rooms.py", firmware], capture_output=True, text=True)


def test_neither_product_reaches_into_the_other() -> None:
    done = _check(ROOT / "firmware")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("el3/psci/psci_call.c", '#include "spm_panic.h"'),
        ("el3/psci/psci_call.c", '#include "../../spm/core/spm.h"'),
        ("el3/monitor/include/monitor.h", "#include <psa/client.h>"),
        ("spm/core/panic.c", '  #  include "psci.h"'),
        ("spm/arch/armv8m/switch.S", '#include "../../../el3/arch/aarch64/include/sysregs.h"'),
        ("spm/image.cmake", "include_directories(${FIRMWARE_DIR}/el3/psci/include)"),
        ("el3/tests/CMakeLists.txt", "include(../../spm/image.cmake)"),
    ],
)
def test_an_include_across_the_products_is_refused_with_its_place(tmp_path: Path, file: str, line: str) -> None:
    firmware = _copy(tmp_path)
    text = (firmware / file).read_text()
    (firmware / file).write_text(f"{text}{line}\n")
    done = _check(firmware)
    assert done.returncode == 1
    assert f"{file}:{text.count(chr(10)) + 1}: " in done.stderr and "they share trace/ alone" in done.stderr


def test_headers_of_the_same_name_are_each_products_own(tmp_path: Path) -> None:
    firmware = _copy(tmp_path)
    (firmware / "spm" / "core" / "timer.h").touch()
    assert _check(firmware).returncode == 0


def test_the_build_itself_refuses_an_include_across_the_products(tmp_path: Path) -> None:
    firmware = _copy(tmp_path)
    with (firmware / "spm" / "core" / "init.c").open("a") as source:
        source.write('#include "../../el3/arch/aarch64/include/sysregs.h"\n')
    build = tmp_path / "build"
    toolchain = f"--toolchain={ROOT}/cmake/arm-none-eabi.cmake"
    subprocess.run(["cmake", "-S", firmware / "spm", "-B", build, "-G", "Ninja", toolchain], check=True)
    done = subprocess.run(["cmake", "--build", build, "--target", "sfn_l1_bench"], capture_output=True, text=True)
    assert done.returncode != 0 and "they share trace/ alone" in done.stdout + done.stderr
