# SPDX-License-Identifier: BSD-3-Clause
"""What a sweep of designs is asked for, and what is refused before it starts."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from latlab.core.errors import UsageError
from latlab.core.model.run import CoreId
from latlab.psci.targets.board import load_board
from latlab.virtual.campaign.whatif import Design, SweepPoint, counts_of, designs_of, jobs_of
from latlab.virtual.pages.whatif import Sweep, answer, check_output
from support.command import latlab


@pytest.mark.parametrize(
    ("option", "text"), [("--cores", "6,,16"), ("--cores", "0"), ("--cores", "1025"), ("--cluster", "four"), ("--cluster", "-1")]
)
def test_counts_that_are_none_are_refused_with_an_example(option: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"{option} {text!r}: .* such as 4,16"):
        counts_of(option, text)


def test_counts_are_sorted_and_each_taken_once() -> None:
    assert counts_of("--cores", "64,6,6") == [6, 64]


@pytest.mark.parametrize("chosen", [(("mcs",), (), ()), ((), ("global",), ()), ((), (), ("two",))])
def test_a_design_that_there_is_not_is_refused_with_those_that_there_are(chosen: tuple[tuple[str, ...], ...]) -> None:
    with pytest.raises(UsageError, match="it is one of"):
        designs_of(load_board("juno"), *chosen)


PLACES: dict[str, Any] = {"powerdown_median_ns": 1, "wakeup_median_ns": 1, "wakeup_worst_ns": 1, "worst_core": CoreId(0, 0)}


def points(worst_ns: Mapping[tuple[str, str], int]) -> tuple[SweepPoint, ...]:
    """Of locks and channels."""
    rest = {"cluster_size": 4, "cores": 64, "clusters": 16, "causes_ns": {}, "alone_ns": 1, "channel_floor_ns": None, **PLACES}
    return tuple(
        SweepPoint(design=Design(lock, "coordination", channel), powerdown_worst_ns=ns, **rest) for (lock, channel), ns in worst_ns.items()
    )


def test_a_choice_that_plays_no_part_is_not_named_as_the_best() -> None:
    equal = {("ticket", "shared"): 900, ("bakery", "shared"): 900, ("ticket", "per-core"): 200, ("bakery", "per-core"): 200}
    sweep = Sweep("juno", load_board("juno"), "susp_deep_parallel", points(equal))
    said = "At 64 cores the worst powerdown takes 0.9 µs (shared channel, coordination, clusters of 4), at best 0.2 µs "
    assert answer(sweep) == f"{said}(per-core channel, coordination, clusters of 4). The lock makes no difference."
    differ = answer(replace(sweep, points=points(equal | {("bakery", "shared"): 901})))
    assert "(bakery, shared channel" in differ and "difference" not in differ


@pytest.mark.parametrize("test", ["susp_deep_serial", "psci_version_parallel", "nothing_parallel"])
def test_a_test_in_which_no_cores_meet_is_refused(test: str) -> None:
    with pytest.raises(UsageError, match="susp_deep_parallel or cpu_susp_parallel"):
        jobs_of(load_board("juno"), [], [4], [4], test)


def test_a_file_of_another_kind_or_in_no_folder_is_refused_before_the_sweep(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.html"):
        check_output(tmp_path / "whatif.png")
    with pytest.raises(UsageError, match="no folder"):
        check_output(tmp_path / "none" / "whatif.html")


@pytest.mark.parametrize(
    "wrong",
    [
        ("--cores", "6,x"),
        ("--cluster", "0"),
        ("--lock", "spin"),
        ("--scope", "all"),
        ("--channel", "3"),
        ("--test", "nothing_parallel"),
        ("--platform", "nowhere"),
        ("-o", "whatif.png"),
    ],
)
def test_a_wrong_value_is_one_sentence_with_what_to_do_and_exit_code_2(wrong: tuple[str, str]) -> None:
    done = latlab("whatif", *wrong)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert wrong[1] in done.stderr
