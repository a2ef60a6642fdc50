# SPDX-License-Identifier: BSD-3-Clause
"""Each test is of one product, so `make test PRODUCT=...` for all of them runs all tests; and a skip that nobody listed fails the run."""

from __future__ import annotations

import pytest

from support.places import TESTS
from support.products import PRODUCTS, product_of
from support.skips import Skips, reasons_allowed


def test_each_file_of_tests_is_of_one_product() -> None:
    files = [path for folder in ("unit", "system", "truth") for path in (TESTS / folder).rglob("test_*.py")]
    assert len(files) > 300
    assert [str(path) for path in files if product_of(path) not in PRODUCTS] == []


class Report:
    skipped = True

    def __init__(self, reason: str) -> None:
        self.longrepr = ("tests/x.py", 1, f"Skipped: {reason}")


@pytest.mark.parametrize(
    ("reason", "unlisted"),
    [
        ("no compiler for armv7l", []),
        ("no compiler for riscv64", ["no compiler for riscv64"]),
        ("x is not installed", ["x is not installed"]),
    ],
)
def test_a_skip_for_a_reason_that_is_not_listed_is_named(reason: str, unlisted: list[str]) -> None:
    skips = Skips()
    skips.pytest_runtest_logreport(Report(reason))
    assert skips.unlisted() == unlisted
    assert len(reasons_allowed()) > 5
