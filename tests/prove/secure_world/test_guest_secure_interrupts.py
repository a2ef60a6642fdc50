# SPDX-License-Identifier: BSD-3-Clause
"""Slow: interrupts of the normal world, of OP-TEE and of EL3 into calls of the real stack. Counts are of the versions that the archive has;
the rules are of any."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from latlab.rt.targets.guest.secure_world import SecureWorld, secure_world

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

FAST, YIELDING = "OPTEE_CALLS_UID", "OPTEE_CALL_WITH_ARG (rng 64 bytes)"
Waits = dict[str, dict[str, Any]]


@pytest.fixture(name="waits", scope="module")
def fixture_waits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Waits]:
    subject = secure_world(SecureWorld(secure_timer=True)) / "subject.toml"
    return {taker: _waits(subject, taker, tmp_path_factory.mktemp(taker)) for taker in ("normal", "secure", "el3")}


def _waits(subject: Path, taker: str, folder: Path) -> Waits:
    command = ("run", "calls", "--subject", str(subject), "--iterations", "1", "--sweep", "4", "--interrupt", taker, "--format", "json")
    store = ("--store", str(folder / "s.db"))
    done = subprocess.run((sys.executable, "-m", "latlab", *command, *store), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {wait["call"]: wait for wait in json.loads(done.stdout)["waits"]}


def test_a_fast_call_keeps_all_but_el3s_interrupt_for_all_of_it(waits: dict[str, Waits]) -> None:
    normal, secure, el3 = (waits[taker][FAST] for taker in ("normal", "secure", "el3"))
    length = normal["instructions"]
    assert normal["longest"] == normal["late"] == length == secure["late"]
    assert secure["longest"] == length + secure["at_once"]
    in_el3 = el3["longest_by_world"]
    assert set(in_el3) == {"EL3"} and el3["late"] < length and el3["longest"] < length


def test_a_yielding_call_keeps_linuxs_longest_and_el3s_shortest(waits: dict[str, Waits]) -> None:
    normal, secure, el3 = (waits[taker][YIELDING]["longest"] for taker in ("normal", "secure", "el3"))
    assert el3 < secure < normal < waits["normal"][YIELDING]["instructions"]


def test_each_longest_wait_is_split_by_function_without_a_rest(waits: dict[str, Waits]) -> None:
    for taker in ("secure", "el3"):
        for wait in (waits[taker][FAST], waits[taker][YIELDING]):
            assert sum(wait["longest_by_function"].values()) == sum(wait["longest_by_world"].values()) == wait["longest"]
            assert wait["longest_call"] > wait["instructions"]
