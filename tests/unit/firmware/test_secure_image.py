# SPDX-License-Identifier: BSD-3-Clause
"""What a secure image lets the non-secure world call."""

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from support.places import ROOT

API = {"nsc_psa_framework_version", "nsc_psa_version", "nsc_psa_connect", "nsc_psa_call", "nsc_psa_close", "nsc_psa_close_or_refuse"}
CLIENT_IDS = {"nsc_client_register", "nsc_client_select"}
TFM_API = {f"tfm_psa_{name}_veneer" for name in ("framework_version", "version", "connect", "call", "close")}
TFM_CLIENT_IDS = {f"tfm_nsce_{name}" for name in ("init", "acquire_ctx", "release_ctx", "load_ctx", "save_ctx")}
OFFERED = API | CLIENT_IDS | TFM_API | TFM_CLIENT_IDS
TEST_VENEERS = {"nsc_panic_word", "nsc_stack_limit"}


def _veneers(build: str) -> set[str]:
    path = ROOT / "build" / "spm" / build / "veneers.o"
    if not path.is_file():
        pytest.skip("no secure images; `make spm` builds them")
    with path.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {symbol.name for symbol in table.iter_symbols() if symbol.name}


def test_a_product_offers_the_psa_api_and_client_ids_by_both_names_and_nothing_else() -> None:
    assert _veneers("product_l2") == OFFERED


def test_the_veneers_of_tests_are_in_the_images_of_tests() -> None:
    assert _veneers("ipc_l2_test") == OFFERED | TEST_VENEERS
    assert _veneers("ipc_l2") == OFFERED | TEST_VENEERS | {"nsc_interrupted_pc"}
