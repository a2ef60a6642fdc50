# SPDX-License-Identifier: BSD-3-Clause
"""EL3's locks and swaps are exclusive pairs: a build with the atomic instructions of Armv8.1 is refused, and an image has none."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from support.places import ROOT

EL3 = ROOT / "firmware" / "el3"
EVENTS = ROOT / "build/host/firmware/trace/include/trace_events.h"
COMPILER = "aarch64-linux-gnu-gcc"
LSE = re.compile(r"\t(?:cas|casp|swp|ld(?:add|clr|eor|set|smax|smin|umax|umin))(?:a|l|al)?[bh]?\t")
OUTLINED = re.compile(r"__aarch64_(?:cas|swp|ld)\w+")

pytestmark = pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no {COMPILER}")


def compiled(*options: str) -> subprocess.CompletedProcess[str]:
    folders = (EL3 / "arch/aarch64/include", ROOT / "firmware/trace", EVENTS.parent)
    includes = [f"-I{folder}" for folder in folders]
    text = '#include "arch.h"\nbool swap(struct arch_shared *word) { return arch_shared_compare_swap(word, 1, 2); }\n'
    command = [COMPILER, "-O2", "-ffreestanding", "-DLATLAB_DELAYS=0", *includes, *options, "-S", "-x", "c", "-", "-o", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


@pytest.fixture
def events() -> None:
    if not EVENTS.exists():
        pytest.skip("build/host has no event table; run cmake --preset host && cmake --build --preset host")


@pytest.mark.usefixtures("events")
@pytest.mark.parametrize("option", ["-march=armv8.1-a", "-march=armv8-a+lse", "-mcpu=cortex-a76", "-mcpu=neoverse-n2"])
def test_a_build_with_the_atomic_instructions_is_refused(option: str) -> None:
    refused = compiled("-mno-outline-atomics", option)
    assert refused.returncode != 0 and "EL3 is built without LSE" in refused.stderr


@pytest.mark.usefixtures("events")
@pytest.mark.parametrize("option", ["-march=armv8-a", "-mcpu=cortex-a57", "-mcpu=cortex-a72"])
def test_a_swap_is_an_exclusive_pair(option: str) -> None:
    accepted = compiled("-mno-outline-atomics", option)
    assert accepted.returncode == 0, accepted.stderr
    assert "ldaxr" in accepted.stdout and "stlxr" in accepted.stdout and not LSE.search(accepted.stdout)


@pytest.mark.usefixtures("events")
def test_what_is_looked_for_is_there_where_the_compiler_calls_a_helper_that_chooses() -> None:
    assert OUTLINED.search(compiled("-moutline-atomics").stdout)
    assert LSE.search("\tcasal\tw1, w2, [x0]\n") and LSE.search("\tldaddal\tw1, w2, [x0]\n") and not LSE.search("\tldaxr\tw0, [x1]\n")


@pytest.mark.parametrize("build", ["qemu_virt", "qemu_virt-hardened", "qemu_virt-debug", "sbsa_ref", "raspi4", "clang_qemu_virt"])
def test_an_image_has_no_other_atomic_instruction(build: str) -> None:
    image = ROOT / "build" / build / "firmware.elf"
    if not image.exists():
        pytest.skip(f"build/{build} has no firmware.elf; run make {build}")
    listing = subprocess.run(["aarch64-linux-gnu-objdump", "-d", str(image)], capture_output=True, text=True, check=True).stdout
    assert "ldaxr" in listing
    assert not LSE.search(listing) and not OUTLINED.search(listing)
