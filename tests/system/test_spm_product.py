# SPDX-License-Identifier: BSD-3-Clause
"""A product outside the tree: the installed SPM, a partition and an application of its own."""

import json
from pathlib import Path

import pytest

from support.spm_product import Product, installed, needed_tools

pytestmark = pytest.mark.qemu


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed_tools()
    return installed(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def product(tmp_path: Path, root: Path) -> Product:
    return Product.copy(tmp_path, root)


def counts(product: Product, machine: str = "mps2-an521") -> None:
    done = product.run(machine)
    assert (done.returncode, done.stdout) == (0, "application: counted to three\n"), done.stdout + done.stderr


@pytest.mark.parametrize("choice", ["BACKEND ipc LEVEL 1", "BACKEND ipc LEVEL 2"])
def test_the_sample_builds_on_the_installed_package_and_its_partition_answers(product: Product, choice: str) -> None:
    product.replace("CMakeLists.txt", "BACKEND ipc LEVEL 2", choice)
    product.build()
    counts(product)


def test_an_application_with_hard_floats_of_a_debug_build_links_with_an_spm_that_has_none(product: Product) -> None:
    product.replace("toolchain.cmake", "-mcpu=cortex-m33+nofp", "-mcpu=cortex-m33 -mfloat-abi=hard")
    product.replace("counter/counter.c", "last++;", 'last++;\n    __asm__ volatile("nop");')
    product.build("-DCMAKE_BUILD_TYPE=Debug")
    counts(product, "mps2-an505")


def test_a_program_with_a_scheduler_links_the_interface_with_a_lock(product: Product) -> None:
    product.replace("CMakeLists.txt", "product_ns)", "product_ns_rtos)")
    product.replace("CMakeLists.txt", "LEVEL 2", "LEVEL 3")
    product.replace("application/main.c", '#include "psa/client.h"', '#include "ns_interface.h"\nstatic void no_one_else(void) {}')
    start = "{ .lock = no_one_else, .unlock = no_one_else };\n    ns_interface_init(&hooks);\n    uint32_t count = 0;"
    product.replace("application/main.c", "uint32_t count = 0;", f"static const struct ns_interface_hooks hooks = {start}")
    product.build()
    counts(product)


def test_the_warnings_of_the_spm_are_for_its_own_code_alone(product: Product) -> None:
    careless = "static char narrow(int wide) { return wide; }"
    product.replace("counter/counter.c", "static uint32_t last;", f"static uint32_t last;\n{careless}")
    product.replace("application/main.c", "#define UART0_DATA", f"{careless}\n#define UART0_DATA")
    product.build()
    counts(product)
    commands = json.loads((product.folder / "build" / "compile_commands.json").read_text())
    foreign = [entry["command"] for entry in commands if entry["file"].endswith(("counter.c", "main.c", "start.c"))]
    assert len(foreign) == 3
    assert not [command for command in foreign if "-Werror" in command or "-Wconversion" in command]
    own = [entry["command"] for entry in commands if "sfn_loop.c" in entry["file"]]
    assert own and all("-Wconversion" in command and "-O2" in command for command in own)


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("CMakeLists.txt", "PARTITIONS counter", "PARTITIONS conter", "no spm_partition(conter ...) before it"),
        ("CMakeLists.txt", "LEVEL 2", "LEVEL 2 PLATFORM my_board", "no platform.cmake in"),
        ("counter/counter.json", '"0x00000100"', '"0x100000000"', "counter.json:12"),
    ],
)
def test_what_cannot_be_built_is_told_in_a_sentence(product: Product, file: str, old: str, new: str, told: str) -> None:
    product.replace(file, old, new)
    refused = product.configure()
    assert refused.returncode != 0
    assert told in " ".join(refused.stderr.split())
