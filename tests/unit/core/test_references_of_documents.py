# SPDX-License-Identifier: BSD-3-Clause
"""Which firmware a document's figures are of: the release that was named, or that of its title, or its file's name."""

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from latlab.core.store.references import _source


@pytest.mark.parametrize(
    ("title", "release", "firmware"),
    [
        ("Performance on Juno, 2.12.1", "v2.13", "v2.13"),
        ("Performance on Juno, 2.12.1", "", "2.12.1"),
        ("Performance on Juno", "", "psci-performance"),
    ],
)
def test_a_document_is_of_the_release_that_is_named_or_of_its_titles(title: str, release: str, firmware: str) -> None:
    reading: Any = SimpleNamespace(title=title, counter_hz=50_000_000, tables=())
    source = _source(Path("docs/psci-performance.rst"), reading, release)
    assert (source.firmware, source.platform, source.tick_ns, source.campaign) == (firmware, "juno", Decimal(20), "psci")
