# SPDX-License-Identifier: BSD-3-Clause
"""Idle states as a flattened device tree has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.errors import DataError
from latlab.psci.model import IdleState
from latlab.psci.readers.idle_states import read_idle_states
from support.examples import examples
from support.idle_trees import Node, blob, idle_tree, words

SLEEP = {"arm,psci-suspend-param": 0x10000, "entry-latency-us": 300, "exit-latency-us": 1200, "min-residency-us": 2000}


def test_a_state_has_what_its_node_says_and_the_cpus_that_name_it() -> None:
    data = idle_tree([0, 1, 0x100], {"cpu-sleep-0": SLEEP, "unused": SLEEP}, {0: ["cpu-sleep-0"], 1: [], 0x100: ["cpu-sleep-0"]})
    found = read_idle_states(data, "a.dtb")
    assert found.cpus == (0, 1, 0x100)
    assert found.states == (IdleState("/cpus/idle-states/cpu-sleep-0", 0x10000, (0, 0x100), 300, 1200, 2000),)


def test_states_of_power_domains_are_those_of_the_cpus_in_them() -> None:
    domain: dict[str, bytes] = {"#power-domain-cells": words(0)}
    tree: Node = {
        "cpus": {
            "cpu@0": {"reg": words(0, 0), "power-domains": words(1)},
            "cpu@100": {"reg": words(0, 0x100), "power-domains": words(2)},
            "domain-idle-states": {"cluster-off": {"phandle": words(9), "wakeup-latency-us": words(0x61626300)}},
        },
        "psci": {
            "pd-cpu0": domain | {"phandle": words(1), "power-domains": words(3)},
            "pd-cpu1": domain | {"phandle": words(2), "power-domains": words(2)},
            "pd-cluster": domain | {"phandle": words(3), "domain-idle-states": words(9)},
        },
    }
    assert read_idle_states(blob(tree), "a.dtb").states == (
        IdleState("/cpus/domain-idle-states/cluster-off", None, (0,), wakeup_us=0x61626300),
    )


@pytest.mark.parametrize("data", [b"", b"/dts-v1/;\n/ { };\n", b"\x7fELF"])
def test_what_is_no_flattened_tree_is_refused_with_what_to_give(data: bytes) -> None:
    with pytest.raises(DataError, match=r"a\.dts: not a flattened device tree; give the \.dtb"):
        read_idle_states(data, "a.dts")


@given(st.data())
@examples(60)
def test_a_damaged_tree_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(idle_tree([0], {"cpu-sleep-0": SLEEP}))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(4, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        read_idle_states(bytes(whole[: data.draw(st.integers(4, len(whole)))]), "a.dtb")
    except DataError as error:
        assert str(error).startswith("a.dtb: ")
