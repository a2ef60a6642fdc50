# SPDX-License-Identifier: BSD-3-Clause
"""The veneers by TF-M's names: what they do, and what a call through them costs more than one through our own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.run import Run
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.psa.analysis.builds import cost_range, cost_tests
from latlab.psa.campaign.foreign import Asked, run_psa_subject
from latlab.psa.targets import mps2
from latlab.psa.targets.psa_subject import find_psa_program, load_psa_subject
from support.needs import found
from support.on_mps2 import printed
from support.plugins import probe_here
from support.psa_subjects import own_subject_file

pytestmark = pytest.mark.qemu

BUILDS = ("sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3", "classic_l1", "classic_l2")
CALL = {"ns_call_0": 6, "ns_call_256": 6, "ns_stateless_0": 6, "ns_stateless_16": 6, "ns_refused": 6}
MORE = CALL | {"ns_framework_version": 1, "ns_version": 1, "ns_connect": 1, "ns_close": 1}  # instructions


@pytest.mark.parametrize("build", BUILDS)
def test_a_program_made_for_tf_m_finds_its_veneers_words_and_client_ids(build: str) -> None:
    said = re.search(r"passed (\d+), failed 0", printed(f"{build}_test", "tfm_abi"))
    assert said and int(said[1]) >= 8


def test_the_veneers_of_tf_m_serve_beside_a_floating_point_unit() -> None:
    assert ", failed 0" in printed("ipc_l3_test", "tfm_abi", "mps2-an505")


def costs(store: Store, path: Path) -> Run:
    found(find_psa_program)
    qemu, probe = found(lambda: find_qemu(Path(mps2.PROGRAM))), found(probe_here)
    recorded = run_psa_subject(store, qemu, load_psa_subject(path), (), Asked(2, 0, 50), probe, Limits(300, 120), NullProgress())
    # How far so coarse a sweep reaches is the compiler's doing, and no matter of costs.
    assert [each for each in recorded.problems if not each.message.startswith("the sweep of ")] == []
    return store.load(recorded.run_id)


@pytest.mark.parametrize("build", ["sfn_l1", "ipc_l3"])
def test_a_call_through_tf_ms_veneers_costs_six_instructions_more_and_the_others_one(tmp_path: Path, build: str) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    path = own_subject_file(tmp_path, build)
    own = costs(store, path)
    text = path.read_text().replace("nsc_psa_{}", "tfm_psa_{}_veneer").replace("in_shift = 16\nout_shift = 20\n", "")
    path.write_text(text)
    by_their_names = costs(store, path)
    more = {test: (cost_range(own, test), cost_range(by_their_names, test)) for test in cost_tests([own])}
    assert {test: (b[0] - a[0], b[1] - a[1]) for test, (a, b) in more.items() if a and b} == {test: (n, n) for test, n in MORE.items()}
