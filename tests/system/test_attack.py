# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run attack`: our own SPM, as ours and as somebody else's, and a call that cannot be attacked."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from conftest import Latlab
from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.psa.campaign.attack import Attacked, run_attack
from latlab.psa.model import AttackOutcome, Family
from latlab.psa.targets.attack_params import find_attack_program
from latlab.psa.targets.attack_subject import attack_subject, own_subject
from latlab.psa.targets.mps2 import PROGRAM
from latlab.psa.targets.psa_subject import load_psa_subject
from support.needs import found
from support.plugins import witness_here
from support.psa_subjects import own_text

pytestmark = pytest.mark.qemu

QUICK = ("registers", "stack seal", "handle", "system", "memory")
CALL = '[[call]]\nname = "echo"\nhandle = 0x40000206\nin = ["0102030405060708090a0b0c0d0e0f10"]\nout = [16]\n'


def attacked_as_foreign(folder: Path, call: str, *families: Family) -> Attacked:
    """The image with the test partitions, by a subject file."""
    found(find_attack_program)
    secure = found(lambda: own_subject("sfn_l1")).psa.images[0][0]
    path = folder / "subject.toml"
    path.write_text(own_text("sfn_l1", call, secure).replace("[version]\nsid = 0xf100\nexpect = 1\n", ""))
    store, qemu = open_store(str(folder / "store.sqlite")), found(lambda: find_qemu(Path(PROGRAM)))
    subject, only = attack_subject(load_psa_subject(path)), frozenset(one.value for one in families)
    return run_attack(store, qemu, subject, found(witness_here), Limits(900, 600), NullProgress(), only=only)


def test_nothing_of_our_own_spm_is_broken_and_every_row_has_its_evidence(latlab: Latlab) -> None:
    found(find_attack_program)
    found(witness_here)
    done = latlab("run", "attack", "--build", "ipc_l3", *(word for name in QUICK for word in ("--family", name)))
    assert done.returncode == 0, done.stderr
    run = json.loads(latlab("show", "last", "--format", "json").stdout)
    outcomes = Counter((row["family"], row["outcome"]) for row in run["attacks"])
    assert run["kind"] == "attacks"
    assert {family for family, _ in outcomes} == set(QUICK)
    assert {outcome for _, outcome in outcomes} == {"refused", "contained"}
    assert all(row["evidence"] for row in run["attacks"] if row["outcome"] == "contained")


def test_as_somebody_elses_it_is_attacked_without_its_partitions(tmp_path: Path) -> None:
    run = attacked_as_foreign(tmp_path, CALL, Family.POINTER, Family.PARTITION, Family.STACK)
    assert run.status is RunStatus.COMPLETE
    outcomes = Counter((one.family, one.outcome) for one in run.results)
    assert outcomes == {
        (Family.POINTER, AttackOutcome.REFUSED): 52,
        (Family.STACK, AttackOutcome.REFUSED): 2,
        (Family.PARTITION, AttackOutcome.NOT_TRIED): 1,
    }


def test_where_the_undisturbed_call_fails_nothing_is_told(tmp_path: Path) -> None:
    run = attacked_as_foreign(tmp_path, CALL.replace("206", "217"))
    assert (run.status, run.results) == (RunStatus.PARTIAL, ())
    assert "returned -129 where 0 is expected" in run.problems[0].message
