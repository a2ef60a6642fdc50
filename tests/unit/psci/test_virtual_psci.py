# SPDX-License-Identifier: BSD-3-Clause
"""What `--target virtual:PLATFORM` asks for, and what is refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.psci.campaign import virtual_target as virtual_psci
from latlab.psci.campaign.virtual_target import topology_of, virtual_of


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_psci, "find_program", lambda: Path("/built/latlab_virtual"))


@pytest.mark.parametrize("topology", [None, "2,4"])
def test_a_platform_is_simulated_with_its_own_clusters(topology: str | None) -> None:
    found = virtual_of("virtual:juno", topology, 7)
    assert (found.board.name, str(found.board.topology), found.iterations) == ("juno", "2,4", 7)
    assert found.command == ("/built/latlab_virtual", "-", "7", "all", "dump")


def test_one_iteration_is_enough_and_none_is_too_few() -> None:
    assert virtual_of("virtual:juno", None, 1).iterations == 1
    for number in (0, -1):
        with pytest.raises(UsageError, match=f"--iterations {number}: a test has at least one"):
            virtual_of("virtual:juno", None, number)


@pytest.mark.parametrize("target", ["virtual", "virtual:", "virtua:juno", "juno", ":juno", ""])
def test_a_target_that_is_none_is_refused_with_those_there_are(target: str) -> None:
    with pytest.raises(UsageError, match=f"--target {target}: it is qemu, labgrid, or virtual:PLATFORM such as virtual:juno"):
        virtual_of(target, None, 20)


@pytest.mark.parametrize(("topology", "clusters"), [("4,2", r"4\+2"), ("1", "1"), ("2,2,2", r"2\+2\+2")])
def test_other_clusters_than_the_platform_s_are_refused_with_how_to_ask_for_them(topology: str, clusters: str) -> None:
    told = f"--topology {topology}: platform juno has 2,4; add clusters={clusters} to --target instead"
    with pytest.raises(UsageError, match=told):
        virtual_of("virtual:juno", topology, 20)


@pytest.mark.parametrize("text", ["", "two", "2,", "0"])
def test_clusters_that_cannot_be_read_are_refused_in_the_name_of_their_option(text: str) -> None:
    with pytest.raises(UsageError, match=r"^--topology: "):
        topology_of(text)
    with pytest.raises(UsageError, match=r"^--topology: "):
        virtual_of("virtual:juno", text, 20)
