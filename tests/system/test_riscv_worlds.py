# SPDX-License-Identifier: BSD-3-Clause
"""A hart that walks through M, HS, VS, S, U and VU: the probe tells each world, and every crossing where the program makes it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from latlab.formats.probe.decoder import Decoder
from latlab.model.crossings import Arch, Mask, Masked, world_name
from support.adversaries_riscv import HS, SETTINGS, VS, VU, Crossed, M, Setting, U, build, faults, machine, run
from support.watched import LATLAB

SEEDS, TIMEOUT_S = 10, 60
WAYS = {(M, HS), (M, VS), (M, U), (M, VU), (HS, VS), (HS, VU), (HS, U), (VS, VU)}

pytestmark = [
    pytest.mark.qemu,
    pytest.mark.skipif(
        not (shutil.which("qemu-system-riscv64") and shutil.which("qemu-system-riscv32") and shutil.which("riscv64-linux-gnu-as")),
        reason="needs qemu-system-riscv and binutils-riscv64-linux-gnu",
    ),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_each_world_of_a_walk_is_told_and_each_crossing_is_where_the_program_makes_it(tmp_path: Path, setting: Setting) -> None:
    first = 1_000 * SETTINGS.index(setting)
    assert faults(tmp_path, range(first, first + SEEDS), setting) == []


def test_the_walks_go_every_way_between_worlds_with_delegated_traps_and_others(tmp_path: Path) -> None:
    made = build(tmp_path, range(60), Setting())
    ways = Counter((one.left, one.entered) for one in made)
    assert all(ways[way] > 20 and ways[way[::-1]] > 20 for way in WAYS)
    causes = {world: {one.cause for one in made if (one.left, one.entered) == (VS, world)} for world in (HS, M)}
    assert all(found >= {2, 10, 22} for found in causes.values())


def test_a_guests_call_to_its_hypervisor_is_a_call_of_watch(tmp_path: Path) -> None:
    made = build(tmp_path, range(SEEDS), Setting())
    command = (str(LATLAB), "watch", "--prove", "--format", "json", "--store", str(tmp_path / "store.db"), "--", *machine(tmp_path, Setting()))
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert {(one["from"], one["to"]): one["count"] for one in seen["crossings"]} == _named(made)
    assert any(call["kind"] == "call" and call["caller"] == "VS" and "HS" in call["median_by_world"] for call in seen["calls"])


def _named(made: list[Crossed]) -> dict[tuple[str, str], int]:
    return dict(Counter((world_name(Arch.RISCV, one.left), world_name(Arch.RISCV, one.entered)) for one in made))


@pytest.mark.parametrize("bits", [32, 64])
def test_a_guest_masks_nothing_and_no_mask_is_unknown(tmp_path: Path, bits: int) -> None:
    usual, _, made = run(tmp_path, range(SEEDS), Setting(bits, masked=True))
    masked = [each for each in Decoder().feed(usual) if isinstance(each, Masked)]
    assert {each.mask for each in masked} == {Mask.MASKED}
    ran = {line: {world for each in masked if each.line == line for world, *_ in each.worlds} for line in (0, 1)}
    assert ran == {0: {M}, 1: {M, HS}}
    assert any(one.left in (VS, VU) for one in made)
