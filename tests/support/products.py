# SPDX-License-Identifier: BSD-3-Clause
"""Which product a file of tests is about: in tests/unit the folder says it, for tests/system this table."""

from __future__ import annotations

from pathlib import Path

from support.places import TESTS

SYSTEM = {
    "psci": (
        "clang el3_delays el3_figures el3_machines el3_registers experiment_firmware firmware foreign_firmware labelled_faults labgrid_qemu"
        " qemu_real raspi4 sbsa_ref"
    ),
    "calls": (
        "hangs identify instruction_classes killed_machines masked masked_recount own_gate probe_adversaries probe_agrees probe_counts"
        " probe_naps riscv_worlds sbi sbi_refused smc watch"
    ),
    "psa": "attack psa_on_qemu psa_subject spm_forced spm_product tfm_abi",
    "rt": "followed_threads labgrid_boards linux_measurements recorder_running steal_boards",
    "virtual": "exploration virtual_time whatif",
    "commits": "bisect",
    "experiments": "design_on_qemu",
    "site": "documentation_in_a_browser pages_in_a_browser runs_beside_each_other",
    "core": "ci_documented ci_jobs ci_lineage ci_scripts labelled_cases store_postgresql wheel",
}
ALSO_UNIT = {"psci": ("firmware",), "site": ("docs",), "core": ("house", "runs", "mutants", "bench", "adopters"), "rt": ("benchmarks",)}
PRODUCTS = frozenset(SYSTEM)
_OF_FILE = {f"test_{name}": product for product, names in SYSTEM.items() for name in names.split()}
_OF_FOLDER = {folder: product for product, folders in ALSO_UNIT.items() for folder in folders}


def product_of(path: Path) -> str | None:
    """None for a folder that has tests of several products."""
    parts = path.relative_to(TESTS).parts if path.is_relative_to(TESTS) else ()
    match parts:
        case ("unit", folder, *_):
            return _OF_FOLDER.get(folder, folder)
        case ("system", name):
            return _OF_FILE.get(name.removesuffix(".py"), "") if name.startswith("test_") else None
        case ("truth", *_):
            return "core"
    return None
