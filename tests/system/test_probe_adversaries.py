# SPDX-License-Identifier: BSD-3-Clause
"""The probe counts blocks of code. Code made to leave them in the middle is counted as by a call at each instruction."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from latlab.calls.analysis.proof import prove
from latlab.calls.model.crossings import Crossing, Sleep, Wake
from latlab.calls.readers.decoder import Decoder
from support.adversaries import Setting, changes, run, stretches

SEEDS = 60
SETTINGS = [
    Setting(),
    Setting(functions=True),
    Setting(cores=4),
    Setting(cores=4, functions=True),
    Setting(cores=4, has_clock=False),
    Setting(cores=4, has_clock=False, functions=True),
    Setting("cortex-a57"),
    Setting("cortex-a53", has_clock=False),
    Setting("neoverse-n1", cores=4),
]
EL3 = 7


@pytest.mark.qemu
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_traps_faults_and_rewritten_code_are_counted_as_by_a_call_at_each_instruction(tmp_path: Path, setting: Setting) -> None:
    first = 100_000 * SETTINGS.index(setting)
    usual, each = run(tmp_path, range(first, first + SEEDS), setting)
    proof = prove(Decoder().feed(usual), Decoder().feed(each), setting.has_clock)
    assert (proof.differences, proof.behind) == ((), ())
    found = changes(usual).values()
    assert min(map(len, found)) > SEEDS
    waits = [(one, two) for core in found for one, two in pairwise(core) if isinstance(one, Sleep) and isinstance(two, Wake)]
    assert [each for each in waits if each[1].sleeps == 1 and each[0].instructions != each[1].instructions] == []


@pytest.mark.qemu
@pytest.mark.parametrize("setting", [each for each in SETTINGS if each.functions], ids=str)
def test_functions_of_code_that_two_worlds_share_add_up_to_the_count(tmp_path: Path, setting: Setting) -> None:
    usual, _ = run(tmp_path, range(SEEDS), setting)
    found = list(stretches(usual))
    assert [each for each in found if each[1] != each[2] or each[3]] == []
    assert sum(crossing.left_world != EL3 for crossing, *_ in found) > SEEDS


@pytest.mark.qemu
def test_each_way_into_and_out_of_aarch32_is_seen(tmp_path: Path) -> None:
    log = tmp_path / "log"
    usual, _ = run(tmp_path, range(SEEDS), Setting("cortex-a57"), log)
    said = log.read_text()
    into = {level: said.count(f"Exception return from AArch64 EL{level} to AArch32") for level in (2, 3)}
    assert min(into.values()) > 3
    image32 = range(0x60800000, 0x60900000)
    seen = [each for each in changes(usual)[0] if isinstance(each, Crossing) and each.address in image32]
    assert {level: sum(each.left_world & 3 == level for each in seen) for level in (2, 3)} == into
    assert {each.entered & 3 for each in seen} == {1}
