# SPDX-License-Identifier: BSD-3-Clause
"""Platform files: what is refused, and how."""

import re

import pytest

from latlab.core.errors import UsageError
from latlab.core.model.run import CoreId
from latlab.psci.targets.board import board_text, load_board, parse_board, platform_names

JUNO = "juno"


def juno_text() -> str:
    from importlib import resources

    return (resources.files("latlab.catalog") / "platforms" / "juno.toml").read_text("utf-8")


def refused(text: str) -> str:
    with pytest.raises(UsageError) as error:
        parse_board(text.encode(), "here.toml")
    assert "here.toml" in str(error.value)
    return str(error.value)


def test_every_platform_of_the_catalogue_is_a_board() -> None:
    assert JUNO in platform_names()
    for name in platform_names():
        assert load_board(name).name == name


def test_a_missing_cost_is_named() -> None:
    text = re.sub(r"^busy_core_ns = .*$", "", juno_text(), count=1, flags=re.MULTILINE)
    assert "[system] lacks busy_core_ns" in refused(text)


def test_an_unknown_key_is_named() -> None:
    assert "'mesage_ns'" in refused(juno_text().replace("message_ns = 85000", "message_ns = 85000\nmesage_ns = 1"))


@pytest.mark.parametrize("value", ["-1", "1.5", '"fast"', "true", "10000000000000"])
def test_a_cost_that_is_no_time_is_refused(value: str) -> None:
    assert "message_ns" in refused(juno_text().replace("message_ns = 85000", f"message_ns = {value}"))


def test_impossible_topologies_are_refused() -> None:
    assert "at least one core" in refused(juno_text().replace("cores = 2", "cores = 0"))
    assert "at most 1024" in refused(juno_text().replace("cores = 2", "cores = 1021"))
    assert "not a core of this board" in refused(juno_text().replace('lead = "1.0"', 'lead = "2.0"'))
    assert "has no [class.a72]" in refused(juno_text().replace('class = "cortex-a57"', 'class = "a72"'))


def test_what_is_no_toml_is_refused_with_its_place() -> None:
    assert "line" in refused("name = \n")


def test_a_platform_takes_changes_after_its_name() -> None:
    board = load_board("juno,lock_scope=coordination,channel=per-core,message_ns=7,cortex-a53.entry_ns=9,clusters=1+2+3")
    assert (board.lock_scope, board.channel, board.costs["message_ns"], board.costs["cortex-a53.entry_ns"]) == (
        "coordination",
        "per-core",
        7,
        9,
    )
    assert board.topology.clusters == (1, 2, 3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("speed=1", "has no such cost or choice; it has lock, lock_scope, channel, clusters, noise_ns, seed, cortex-a57.call_ns"),
        ("lead=0.1", "has no such cost"),
        ("channel=none", "shared, per-core"),
        ("message_ns=-1", "whole number from 0"),
        ("clusters=0+1", "joined by +"),
        ("clusters=9999", "1024 in all"),
        ("message_ns", "'message_ns' is not a change of a platform; write it as key=value"),
        ("=3", "'=3' is not a change"),
    ],
)
def test_a_change_that_means_nothing_is_refused_with_what_would(change: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        load_board(f"juno,{change}")


def test_a_name_that_is_no_platform_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="juno"):
        load_board("venus")


def test_the_programs_text_has_every_cost_and_the_order() -> None:
    board = load_board(JUNO)
    lines = board_text(board, {0: (CoreId(1, 0), *(core for core in board.topology.cores if core != CoreId(1, 0)))}).splitlines()
    assert "order 0 2 0 1 3 4 5" in lines
    assert f"class 1 entry_ns {board.costs['cortex-a53.entry_ns']}" in lines
    assert lines[:2] == ["cluster 2 0", "cluster 4 1"]
