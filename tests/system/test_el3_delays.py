# SPDX-License-Identifier: BSD-3-Clause
"""Hostile schedules, a short run of each kind; tests/prove has many."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.delays import BUILD, DELAYS, OS_INITIATED, SBSA_REF, Schedule, report, run
from support.monitored import Monitored
from support.needs import found

pytestmark = pytest.mark.qemu


@pytest.mark.parametrize(("gic", "mode"), [(2, 0), (3, OS_INITIATED)])
def test_nothing_sleeps_for_ever_wherever_its_cores_are_stopped(gic: int, mode: int, tmp_path: Path) -> None:
    run(Schedule((2, 2), gic, seed=1, flags=DELAYS | mode, transitions=1_500), tmp_path)


def test_nothing_sleeps_for_ever_on_sbsa_ref_whose_cores_have_other_numbers(tmp_path: Path) -> None:
    run(Schedule((6, 6), 3, seed=1, transitions=1_000, build=SBSA_REF), tmp_path)


def test_no_other_build_waits_anywhere() -> None:
    images = found(lambda: find_images(Topology((1,)), "psci_stress"))
    assert b"arch_meet" not in images.firmware_elf.read_bytes()
    assert b"arch_meet" in (images.folder.with_name("qemu_virt-delays") / "firmware.elf").read_bytes()


@pytest.mark.parametrize(("gic", "build"), [(2, BUILD), (3, BUILD), (3, SBSA_REF)])
def test_what_is_left_says_where_every_core_is_and_where_cores_waited(gic: int, build: str, tmp_path: Path) -> None:
    schedule = Schedule((2, 1) if build == BUILD else (3,), gic, seed=7, transitions=50, build=build)
    with Monitored(tmp_path, schedule.options(tmp_path)) as qemu:
        qemu.wait_for("status=pass")
        said = report(qemu, schedule, tmp_path).splitlines()
    assert said[0] == str(schedule)
    assert said[1].startswith("core 0: ") and "mask 0xf" in said[1]
    # A core is off to the others a few steps before it sleeps, and the machine stops at once: it may be at any of them, all at EL3.
    assert [bool(re.match(rf"core {core}: \w+\+0x[0-9a-f]+; .*running", said[1 + core])) for core in (1, 2)] == [True, True], said
    assert said[4] == "where cores waited:" and re.fullmatch(r"\w+\+0x[0-9a-f]+: waited \d+ times, \d+ us at most", said[5])


def test_another_seed_waits_at_other_places(tmp_path: Path) -> None:
    def places(seed: int) -> set[str]:
        schedule = Schedule((2,), 3, seed, transitions=50)
        with Monitored(tmp_path, schedule.options(tmp_path)) as qemu:
            qemu.wait_for("status=pass")
            said = report(qemu, schedule, tmp_path)
        (tmp_path / "normal.log").unlink()
        return {line.split(":")[0] for line in said.split("where cores waited:\n")[1].splitlines()}

    first, second = places(1), places(2)
    assert first - second and second - first
