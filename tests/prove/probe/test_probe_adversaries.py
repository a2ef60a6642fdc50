# SPDX-License-Identifier: BSD-3-Clause
"""500 pieces of code made to be miscounted, in nine settings: the probe's counts are those of a call at each instruction."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.calls.analysis.proof import prove
from latlab.calls.readers.decoder import Decoder
from support.adversaries import Setting, run, stretches

FIRST, SEEDS, A_BOOT = 10_000_000, 500, 100
SETTINGS = [
    Setting(cores=cores, has_clock=has_clock, functions=functions)
    for cores in (1, 4)
    for has_clock in (True, False)
    for functions in (False, True)
] + [Setting("cortex-a57", cores=4)]


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_hundreds_of_pieces_of_code_are_counted_to_the_instruction(tmp_path: Path, setting: Setting) -> None:
    for first in range(FIRST, FIRST + SEEDS, A_BOOT):
        folder = tmp_path / str(first)
        folder.mkdir()
        usual, each = run(folder, range(first, first + A_BOOT), setting)
        proof = prove(Decoder().feed(usual), Decoder().feed(each), setting.has_clock)
        assert (proof.differences, proof.behind) == ((), ()), f"seeds {first} to {first + A_BOOT - 1}"
        if setting.functions:
            assert [one for one in stretches(usual) if one[1] != one[2] or one[3]] == [], f"seeds {first} to {first + A_BOOT - 1}"
