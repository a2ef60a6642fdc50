# SPDX-License-Identifier: BSD-3-Clause
"""The probe's classes of instructions beside a count of QEMU's own log of what ran, and their sum beside the count."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.calls.model.crossings import Context, Fragment
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.enums import InstructionClass
from support.adversaries import Setting, changes, run, stretches
from support.classified import build, by_log, by_probe

SEEDS = 8
ADVERSARIES = 40


@pytest.mark.qemu
@pytest.mark.parametrize(
    ("cores", "cpu", "has_clock"),
    [(1, "cortex-a57", True), (1, "max", True), (4, "neoverse-n1", True), (4, "cortex-a57", False)],
)
def test_each_class_is_what_qemus_log_of_every_instruction_says(tmp_path: Path, cores: int, cpu: str, has_clock: bool) -> None:
    seen: set[InstructionClass] = set()
    for seed in range(1000 * cores, 1000 * cores + SEEDS):
        program = build(tmp_path, seed, cores)
        told, logged = by_probe(tmp_path, cores, cpu, has_clock), by_log(tmp_path, program, cores, cpu)
        assert {core: classes for core, (_, classes) in told.items()} == logged, seed
        assert [count for count, _ in told.values()] == [classes.total() for _, classes in told.values()]
        assert len(told) == cores
        seen.update(*(classes for _, classes in told.values()))
    expected = set(InstructionClass) - {InstructionClass.UNCLASSIFIED, InstructionClass.BARRIER}
    assert seen == expected


@pytest.mark.qemu
@pytest.mark.parametrize("cores", [1, 4])
@pytest.mark.parametrize("has_clock", [True, False], ids=["clock", "threads"])
def test_asked_for_contexts_the_probe_still_counts_as_by_a_call_at_each_instruction(tmp_path: Path, cores: int, has_clock: bool) -> None:
    usual, each = run(tmp_path, range(7_000, 7_000 + ADVERSARIES), Setting(cores=cores, has_clock=has_clock, functions=True, contexts=True))
    found = list(stretches(usual))
    assert [one for one in found if one[1] != one[2] or one[3]] == []
    assert len(found) > ADVERSARIES
    fragments = [one for one in Decoder().feed(usual) if isinstance(one, Fragment)]
    assert all(one.context & Context.TOLD for one in fragments)
    assert {len(core) for core in changes(usual).values()} == {len(core) for core in changes(each).values()}
