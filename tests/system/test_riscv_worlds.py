# SPDX-License-Identifier: BSD-3-Clause
"""A hart that walks through M, HS, VS, S, U and VU: the probe tells each world, and every crossing where the program makes it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from latlab.calls.model.crossings import Arch, world_name
from support import preloaded
from support.adversaries_riscv import build, faults, machine
from support.riscv_masks import HS, VS, VU, M, U
from support.riscv_walks import SETTINGS, Crossed, Setting

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
    made = build(tmp_path, range(100), Setting()).crossed
    ways = Counter((one.left, one.entered) for one in made)
    assert all(ways[way] > 20 and ways[way[::-1]] > 20 for way in WAYS)
    causes = {world: {one.cause for one in made if (one.left, one.entered) == (VS, world)} for world in (HS, M)}
    assert all(found >= {2, 10, 22} for found in causes.values())


def test_a_guests_call_to_its_hypervisor_is_a_call_of_watch(tmp_path: Path) -> None:
    made = build(tmp_path, range(SEEDS), Setting())
    command = (
        preloaded.command(),
        "watch",
        "--prove",
        "--format",
        "json",
        "--store",
        str(tmp_path / "store.db"),
        "--",
        *machine(tmp_path, Setting()),
    )
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert {(one["from"], one["to"]): one["count"] for one in seen["crossings"]} == _named(made.crossed)
    assert any(call["kind"] == "call" and call["caller"] == "VS" and "HS" in call["median_by_world"] for call in seen["calls"])


def _named(made: list[Crossed]) -> dict[tuple[str, str], int]:
    return dict(Counter((world_name(Arch.RISCV, one.left), world_name(Arch.RISCV, one.entered)) for one in made))
