# SPDX-License-Identifier: BSD-3-Clause
"""Pairs and logs from the field (tests/data/field), by the commands that a user types: no gate passes over a CPU that never woke."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import Latlab
from support.command import Done
from support.command import latlab as here
from support.places import TESTS

FIELD = TESTS / "data" / "field"
DUE = ("--duration", "60s", "--interval", "1000")


def gate(store: Path, base: str, candidate: str, *options: str) -> Done:
    ids = []
    for name in (base, candidate):
        shown = here("import", FIELD / name, "--firmware", "F", *options, store=store).stdout
        found = re.search(r"^run  *(\S+),", shown, re.MULTILINE)
        assert found
        ids.append(found[1])
    return here("gate", *ids, store=store)


@pytest.mark.parametrize(
    ("base", "candidate", "options", "code", "said"),
    [
        ("thread-that-never-ran-base.txt", "thread-that-never-ran-input.txt", (), 3, "thread 1 in cyclictest: 0 of 60,000 wake-ups due"),
        ("thread-that-never-ran-base.txt", "thread-that-never-ran-good.txt", (), 0, "pass: no change beyond its threshold"),
        ("rtla-hist-no-sample-base.txt", "rtla-hist-no-sample-input.txt", (), 3, "CPU 1 in rtla-timerlat-Thr: 0 of 60,000 wake-ups due"),
        ("missed-wake-ups-base.txt", "missed-wake-ups-input.txt", DUE, 1, "thread 1 in cyclictest: 12,000 of 60,000 wake-ups due"),
        ("missed-wake-ups-base.txt", "missed-wake-ups-never.txt", DUE, 3, "thread 1 in cyclictest: 0 of 60,000 wake-ups due"),
    ],
)
def test_no_gate_passes_over_a_cpu_that_did_not_wake(
    tmp_path: Path, base: str, candidate: str, options: tuple[str, ...], code: int, said: str
) -> None:
    done = gate(tmp_path / "s.db", base, candidate, *options)
    assert done.returncode == code, done.stdout
    assert said in done.stdout


def test_the_same_two_runs_the_other_way_round_do_not_accuse_the_whole_one(tmp_path: Path) -> None:
    done = gate(tmp_path / "s.db", "thread-that-never-ran-input.txt", "thread-that-never-ran-base.txt")
    assert done.returncode == 3 and done.stdout.startswith("inconclusive: missing data; ") and "regressed" not in done.stdout


def test_a_thread_that_never_ran_has_no_figures_and_makes_its_run_partial(tmp_path: Path) -> None:
    done = here("import", FIELD / "starved-thread.txt", store=tmp_path / "s.db")
    assert re.search(r"^Minimum \(µs\) +4 +- +4$", done.stdout, re.MULTILINE)
    assert re.search(r"^Maximum \(µs\) +217 +- +340$", done.stdout, re.MULTILINE)
    assert "partial" in done.stdout and "1000000" not in done.stdout + done.stderr


def test_idle_states_of_two_levels_are_held_against_the_test_that_the_user_names(tmp_path: Path) -> None:
    log, tree = FIELD / "idle-states-hikey.log", FIELD / "idle-states-hikey.dtb"
    done = here("check-dt", log, tree, "--state", "cluster-sleep=susp_deep", store=tmp_path / "s.db")
    rows = [line.split(maxsplit=6) for line in done.stdout.splitlines() if re.match(r"(cpu|cluster)-sleep +[a-z]", line)]
    found = {(state, name): finding.strip() for state, name, _, _, _, _, finding in rows}
    assert done.returncode == 1
    assert found.pop(("cluster-sleep", "entry-latency")) == "too short"
    assert len(found) == 6 and set(found.values()) == {"not contradicted"}


@pytest.mark.qemu
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("qemu-system-arm", "-M", "musca-c1"), 'unsupported machine type: "musca-c1"'),
        (("qemu-system-aarch64", "-M", "virt,aia=aplic"), "aia' not found"),
    ],
)
def test_a_machine_that_this_qemu_does_not_have_is_refused_in_its_own_words(latlab: Latlab, words: tuple[str, ...], said: str) -> None:
    done = latlab("watch", "--timeout", "10", "--", *words, "-nographic")
    assert done.returncode == 2
    assert done.stderr.startswith("latlab: QEMU did not start the machine; it printed: ") and said in done.stderr.splitlines()[0]
