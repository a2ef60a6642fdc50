# SPDX-License-Identifier: BSD-3-Clause
"""What EL3 leaves in registers where it enters the normal world, what it grants there, and what it hides."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.entry_probe import probe
from support.on_qemu import boot
from support.pinned_figures import A_PROFILE

pytestmark = pytest.mark.firmware

LEVELS = [("", 1), (",virtualization=on", 2)]
NONSENSE = 0xBAD1DEA5BAD1DEA5
BIG_ENDIAN = {1: 3 << 24, 2: 1 << 25}
HVC = 0x16
NOT_SUPPORTED = 2**64 - 1
TICKS_PER_INSTRUCTION = 16


@pytest.mark.parametrize(("machine", "level"), LEVELS)
def test_nothing_of_el3_is_in_a_register_where_the_normal_world_is_entered(machine: str, level: int, tmp_path: Path) -> None:
    said = probe(tmp_path, "-smp", "2", machine=machine)
    assert said["el"] == level
    assert (said["cold"], said["first_on"], said["on"], said["resume"]) == (0, 0, 0, 0)


@pytest.mark.parametrize(("machine", "level"), LEVELS)
def test_a_core_that_was_off_has_its_registers_as_after_a_reset_whatever_it_had_set(machine: str, level: int, tmp_path: Path) -> None:
    said = probe(tmp_path, "-smp", "2", machine=machine)
    assert (said["cntp"], said["cntv"], said["group0"], said["group1"]) == (0, 0, 0, 0)
    names = ["sctlr"] + (["hcr", "cntvoff", "cnthp", "cnthctl", "vmpidr"] if level == 2 else [])
    assert [said[name] for name in names] == [said[f"first_{name}"] for name in names]
    if level == 2:
        assert (said["hcr"], said["cntvoff"], said["cnthp"], said["cnthctl"], said["vmpidr"]) == (1 << 31, 0, 0, 3, 0)


@pytest.mark.parametrize(("machine", "level"), LEVELS)
def test_a_core_that_a_big_endian_caller_starts_is_big_endian(machine: str, level: int, tmp_path: Path) -> None:
    said = probe(tmp_path, "-smp", "2", machine=machine)
    assert said["sctlr_big"] == said["sctlr"] | BIG_ENDIAN[level]


def test_a_hypervisor_can_be_called(tmp_path: Path) -> None:
    said = probe(tmp_path, machine=",virtualization=on")
    assert (said["first_hvc"], said["hvc"]) == (HVC, HVC)


@pytest.mark.parametrize(("machine", "level"), LEVELS)
def test_what_the_newest_core_reports_is_open_to_the_normal_world(machine: str, level: int, tmp_path: Path) -> None:
    said = probe(tmp_path, machine=f"{machine},mte=on", cpu="max")
    names = ["sve", "mte", "pauth", "tpidr2", "scxtnum", "pmu"] + (["fgt", "ecv", "hcx"] if level == 2 else [])
    assert {name: (said[f"first_{name}"], said[name]) for name in names} == dict.fromkeys(names, (0, 0))


@pytest.mark.parametrize("cpu", ["neoverse-v1", "cortex-a710"])
def test_a_core_with_some_of_the_features_has_those_and_no_panic(cpu: str, tmp_path: Path) -> None:
    said = probe(tmp_path, cpu=cpu)
    assert {name: (said[f"first_{name}"], said[name]) for name in ("sve", "pauth")} == dict.fromkeys(("sve", "pauth"), (0, 0))
    assert said["tpidr2"] == 1, "the core has no SME"


@pytest.mark.parametrize(("machine", "level"), LEVELS)
def test_what_el3_does_not_grant_is_undefined_and_no_panic(machine: str, level: int, tmp_path: Path) -> None:
    said = probe(tmp_path, machine=f"{machine},mte=on", cpu="max", build="qemu_virt-bare")
    names = ["sve", "mte", "pauth", "tpidr2", "scxtnum"] + (["fgt", "ecv", "hcx"] if level == 2 else [])
    assert {name: said[name] for name in names} == dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    ("cpu", "one", "two", "three"),
    [
        ("cortex-a53", 1, 1, 1),
        ("cortex-a57", 0, NOT_SUPPORTED, 0),
        ("cortex-a72", 0, NOT_SUPPORTED, 0),
        ("cortex-a76", 1, 1, NOT_SUPPORTED),
        ("max", 1, 1, NOT_SUPPORTED),
    ],
)
def test_a_core_is_told_which_workarounds_it_needs_and_can_call_them(cpu: str, one: int, two: int, three: int, tmp_path: Path) -> None:
    said = probe(tmp_path, cpu=cpu)
    assert (said["workaround1"], said["workaround2"], said["workaround3"]) == (one, two, three)
    assert said["called1"] == 0x8000_8000, "x0 stays as it was"
    assert said["called3"] == (NOT_SUPPORTED if three == NOT_SUPPORTED else 0x8000_3FFF)
    assert said["changed1"] == said["changed3"] == 0


@pytest.mark.parametrize("machine", [machine for machine, _ in LEVELS])
@pytest.mark.parametrize("cpu", ["cortex-a53", "cortex-a57", "cortex-a72", "cortex-a76"])
def test_a_workaround_that_a_core_has_is_answered_in_the_vector(cpu: str, machine: str, tmp_path: Path) -> None:
    """Both for the cores that need it and for those that do not; the rest goes the way of a call that nobody knows."""
    said = probe(tmp_path, cpu=cpu, machine=machine)
    for number in (1, 3):
        if said[f"workaround{number}"] == NOT_SUPPORTED:
            assert said[f"cycles{number}"] > 100 * TICKS_PER_INSTRUCTION
        else:
            assert said[f"cycles{number}"] <= 24 * TICKS_PER_INSTRUCTION


@pytest.mark.parametrize(("machine", "level"), LEVELS)
def test_the_hardened_build_hides_the_cycles_of_a_call_and_gives_the_counter_back(machine: str, level: int, tmp_path: Path) -> None:
    plain, hardened = (probe(tmp_path, machine=machine, build=build) for build in ("qemu_virt", "qemu_virt-hardened"))
    call = A_PROFILE["instructions"]["version_round_trip"]
    assert plain["cycles"] >= call * TICKS_PER_INSTRUCTION * 3 / 4, "another compiler's call may be a little shorter"
    for said in ("first_cycles", "cycles"):
        assert hardened[said] < call * TICKS_PER_INSTRUCTION / 2
    assert (plain["pmcr"], hardened["first_pmcr"], hardened["pmcr"]) == (0, 0, 0)
    assert (hardened["workaround2"], hardened["on" if "on" in hardened else "resume"]) == (1, 0)


def test_the_newest_core_counts_no_cycle_of_el3_in_any_build(tmp_path: Path) -> None:
    said = probe(tmp_path, cpu="max")
    assert said["cycles"] < 10 * TICKS_PER_INSTRUCTION


@pytest.mark.parametrize(("machine", "level"), LEVELS)
def test_the_hostile_build_leaves_nothing_that_a_power_down_may_lose(machine: str, level: int, tmp_path: Path) -> None:
    said = probe(tmp_path, "-smp", "2", machine=machine, build="qemu_virt-hostile")
    kept = probe(tmp_path, "-smp", "2", machine=machine)
    assert (said["cold"], said["resume"], said["first_on"]) == (0, NONSENSE, NONSENSE)
    assert said["vectors"] != 0 and kept["vectors"] == 0, "who forgets to set its vectors again is caught by this build alone"


@pytest.mark.parametrize(("gic", "el"), [(2, 1), (3, 1), (3, 2)])
def test_conformance_does_not_depend_on_what_a_power_down_could_lose(gic: int, el: int, tmp_path: Path) -> None:
    console = boot("psci_conformance", tmp_path, (2, 1), gic=gic, el=el, build="qemu_virt-hostile")
    assert console.strip().endswith(" passed, 0 failed")


def test_random_transitions_survive_a_hostile_power_down(tmp_path: Path) -> None:
    assert boot("psci_stress", tmp_path, count=2_000, build="qemu_virt-hostile").strip().endswith("lost=0 status=pass")


def test_the_hardened_build_conforms(tmp_path: Path) -> None:
    assert boot("psci_conformance", tmp_path, (2, 1), build="qemu_virt-hardened").strip().endswith(" passed, 0 failed")
