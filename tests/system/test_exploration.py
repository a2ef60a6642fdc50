# SPDX-License-Identifier: BSD-3-Clause
"""The model checker of the psci core."""

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.virtual.campaign.exploration import System, explore_one, replay

pytestmark = pytest.mark.firmware


@pytest.mark.parametrize("scope", ["coordination", "transition"])
def test_every_interleaving_of_two_cores_keeps_the_rules(explorer: Path, scope: str) -> None:
    finding = explore_one(explorer, System("2", "1f|1"), scope, 1)
    assert finding.timeline == ""
    assert finding.states > 500


@pytest.mark.parametrize("scope", ["coordination", "transition"])
def test_every_interleaving_of_two_clusters_of_two_cores_keeps_the_rules(explorer: Path, scope: str) -> None:
    finding = explore_one(explorer, System("2,2", "2f|1|2B|0"), scope, 1)
    assert finding.verdict == "every interleaving keeps the rules"
    assert finding.states > 10_000


def test_a_planted_fault_is_found_and_its_counterexample_replayed(explorer: Path) -> None:
    faulty = explorer.parent / "latlab_explore_no_recheck"
    if not faulty.is_file():
        pytest.skip(f"{faulty.name} is not built; run `make virtual`")
    system = System("2", "1|1")
    finding = explore_one(faulty, system, "coordination", 1)
    assert finding.replay
    assert "BROKEN" in replay(faulty, system, "coordination", finding.replay)


@pytest.mark.parametrize("scope", ["coordination", "transition"])
@pytest.mark.parametrize(
    "system",
    [
        System("2", "1|1"),
        System("1,1", "2|2"),
        System("2", "22|11"),
        System("2", "1fa|1B"),
        System("2", "f|1A"),
        System("2", "r|1"),
        System("2", "11|00", os_initiated=True),
        System("2,1", "2|0|1", os_initiated=True),
        System("2", "oo1|p1"),
        System("2", "n1|r"),
        System("2", "xBB|f1"),
        System("2", "iBB|h1f", interrupts="gicv2-plain"),
        System("2,1", "iB|h|ih", interrupts="gicv2-hide"),
        System("2", "BB|h1f", interrupts="gicv2-hide"),
        System("2", "iB|f1", interrupts="gicv3-pass"),
    ],
    ids=lambda system: f"{system.clusters} {system.programs} {system.interrupts}",
)
def test_joined_steps_end_in_the_same_states_as_single_accesses(explorer: Path, system: System, scope: str) -> None:
    joined = explore_one(explorer, system, scope, 1)
    single = explore_one(explorer, replace(system, every_access=True), scope, 1)
    assert joined.verdict == single.verdict == "every interleaving keeps the rules"
    assert joined.ends == single.ends
    assert joined.states < single.states


def test_choices_that_cannot_be_made_are_refused(explorer: Path) -> None:
    with pytest.raises(UsageError, match="cannot be made"):
        replay(explorer, System("2", "1|1"), "coordination", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")


@pytest.mark.parametrize(
    ("clusters", "programs", "said"),
    [
        ("2", "1|1|1", "more programs than cores"),
        ("2", "1", "fewer programs than cores"),
        ("2,x", "1|1", "no list such as 2,2"),
        ("2x2", "1|1|1|1", "no list such as 2,2"),
        ("17", "1", "16 cores at most"),
        ("2", "y|1", "is made of 2, 1, 0"),
        ("2", "1-|1", "with - before them"),
        ("2", "h|1", "of an interrupt controller, and none is named"),
        ("2", "1111111111111111|1", "longer than 15"),
        ("2", "-1|1", "core 0 starts the others"),
    ],
)
def test_a_system_that_is_none_is_refused_with_what_is_wrong(explorer: Path, clusters: str, programs: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        explore_one(explorer, System(clusters, programs), "coordination", 1)


def test_a_replay_that_stops_half_way_is_not_called_broken(explorer: Path) -> None:
    told = replay(explorer, System("2", "1|1"), "coordination", "0,1,0,1")
    assert "no rule is broken so far" in told and "BROKEN" not in told


def test_a_replay_of_anything_but_numbers_is_refused(explorer: Path) -> None:
    with pytest.raises(UsageError, match="choice 1 is zz"):
        replay(explorer, System("2", "1|1"), "coordination", "0,zz")
