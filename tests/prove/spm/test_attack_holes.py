# SPDX-License-Identifier: BSD-3-Clause
"""Every planted hole is named by an attack of its family; the same image without it is accused of nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.psa.campaign.attack import Attacked, run_attack
from latlab.psa.model import AttackOutcome
from latlab.psa.targets.attack_subject import own_subject
from latlab.psa.targets.mps2 import PROGRAM
from support.needs import found
from support.planted_holes import HOLES, Copy, Hole
from support.plugins import witness_here

LIMITS = Limits(1800, 600)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    yield Copy(tmp_path_factory.mktemp("holes"))


def attacked(folder: Path, images: Path, hole: Hole) -> Attacked:
    store = open_store(str(folder / "store.sqlite"))
    subject, qemu = own_subject(hole.build, images), found(lambda: find_qemu(Path(PROGRAM)))
    return run_attack(store, qemu, subject, found(witness_here), LIMITS, NullProgress(), only=frozenset({hole.family.value}))


@pytest.mark.parametrize("hole", HOLES, ids=lambda hole: hole.name)
def test_a_planted_hole_is_named_by_an_attack_of_its_family(copy: Copy, tmp_path: Path, hole: Hole) -> None:
    with copy.planted(hole) as images:
        run = attacked(tmp_path, images, hole)
    named = [one for one in run.results if one.outcome is hole.outcome]
    assert run.status is RunStatus.COMPLETE
    assert named
    assert all(one.evidence for one in named)


@pytest.mark.parametrize("build", sorted({hole.build for hole in HOLES}))
def test_the_image_without_a_hole_is_accused_of_nothing(copy: Copy, tmp_path: Path, build: str) -> None:
    copy.make(build)
    store, subject = open_store(str(tmp_path / "store.sqlite")), own_subject(build, copy.build)
    run = run_attack(store, found(lambda: find_qemu(Path(PROGRAM))), subject, found(witness_here), LIMITS, NullProgress())
    assert {one.outcome for one in run.results} == {AttackOutcome.REFUSED, AttackOutcome.CONTAINED}
