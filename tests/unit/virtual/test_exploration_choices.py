# SPDX-License-Identifier: BSD-3-Clause
"""What is refused before anything is explored, and what is read from published figures."""

from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.core.store.references import load
from latlab.virtual.campaign.exploration import System, check_choices, explore_one
from latlab.virtual.campaign.prediction import acquisition_orders, measured_spans


def test_the_order_of_a_parallel_test_is_that_of_its_powerdowns() -> None:
    orders = acquisition_orders(measured_spans(load("published:tf-a/juno/v2.10")))
    assert [str(core) for core in orders["susp_deep_parallel"]] == ["1.0", "0.0", "1.1", "0.1", "1.2", "1.3"]


def test_a_program_that_explores_nothing_has_no_verdict(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\n")
    silent.chmod(0o755)
    with pytest.raises(UsageError, match="no verdict"):
        explore_one(silent, System("2", "1|1"), "coordination", 1)


@pytest.mark.parametrize(
    ("scopes", "system", "said"),
    [
        (["nope"], System("2", "1|1"), "is not a lock scope"),
        (["transition"], System("2", "1|1", interrupts="gicv4"), "is not an interrupt controller"),
        (["transition"], System("2", "1|1", bound=-1), "from 0"),
        (["transition"], System("2", "1|1", walks=-1), "from 0"),
        (["transition"], System("2", "1|1", bound=1, walks=10), "exclude each other"),
    ],
)
def test_choices_that_would_be_read_as_something_else_are_refused(scopes: list[str], system: System, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_choices(scopes, system)
