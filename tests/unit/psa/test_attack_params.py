# SPDX-License-Identifier: BSD-3-Clause
"""Both sides of what the program is told have to agree, and so have the numbers of the requests."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.psa.model import Attack, CallStep, Family, Flag, Operation
from latlab.psa.targets import attack_params, psa_subject
from latlab.psa.targets.attack_params import ATTACK_BYTES, HEADER_BYTES, MAGIC, MEMORY_BYTES, STEP_BYTES, Place, parameters_of
from latlab.psa.targets.attack_subject import REQUESTS
from latlab.psa.targets.psa_subject import PsaSubject
from support.places import ROOT

SUBJECT = PsaSubject("x", "mps2-an521", (), (1, 0, 0, 1, 0), 24, 16, 0, 0x28100000, 0x100000, 0x40200000, ())
HEADER = (ROOT / "probe" / "programs" / "psa_attacks" / "attacks.h").read_text()
ASKED = (ROOT / "firmware" / "spm" / "partitions" / "test" / "test_requests.h").read_text()


def names_of(text: str, enum: str) -> list[str]:
    body = re.search(rf"enum {enum} {{(.*?)}};", text, re.DOTALL)
    assert body
    return re.findall(r"^    ([A-Z_0-9]+)", body[1], re.MULTILINE)


def words_of(structure: str) -> int:
    body = re.search(rf"struct {structure} {{(.*?)}};", HEADER, re.DOTALL)
    assert body
    sizes = re.findall(r"^    uint32_t \w+(?:\[(\d+)\])?;", body[1], re.MULTILINE)
    return 4 * sum(int(size or 1) for size in sizes)


def test_structures_and_numbers_are_those_of_the_program() -> None:
    assert (words_of("params"), words_of("attack"), words_of("step")) == (HEADER_BYTES, ATTACK_BYTES, STEP_BYTES)
    assert f"{MAGIC:#x}U" in HEADER.lower().replace("u /*", "U /*")
    assert f"MEMORY_BYTES {MEMORY_BYTES:#x}U" in HEADER
    assert names_of(HEADER, "operation") == [f"STEP_{one.name}" for one in Operation]
    flags = dict(re.findall(r"^    ([A-Z_]+) = (\d+),", HEADER, re.MULTILINE))
    assert flags == {str(one.name): str(one.value) for one in Flag if one}


def test_requests_are_numbered_as_the_test_partitions_number_them() -> None:
    known = [names_of(ASKED, f"test_{who}_request") for who in ("server", "client", "driver")]
    assert {name: number for names in known for number, name in enumerate(names) if name in REQUESTS} == REQUESTS


def test_a_step_names_its_words_and_the_step_of_the_handler() -> None:
    pokes = CallStep(Operation.POKES, words=(0x28101000, 7), then=1)
    attacks = [
        Attack(Family.SYSTEM, "a", (CallStep(Operation.STORE, 1),)),
        Attack(Family.INTERRUPT, "b", (pokes, CallStep(Operation.CALL, 3)), 5, 2, 9),
    ]
    data = parameters_of(SUBJECT, attacks, Place(1, 4))
    behind = HEADER_BYTES + 2 * ATTACK_BYTES + 3 * STEP_BYTES
    assert struct.unpack_from("<6I", data) == (MAGIC, 0x40200000, 2, 1, 4, HEADER_BYTES + 2 * ATTACK_BYTES)
    assert struct.unpack_from("<7I", data, HEADER_BYTES + ATTACK_BYTES) == (1, 1, 5, 2, 9, 0, 0)
    assert struct.unpack_from("<7I", data, HEADER_BYTES + 2 * ATTACK_BYTES + STEP_BYTES) == (Operation.POKES, 0, 0, behind, 1, 3, 0)
    assert struct.unpack_from("<2I", data, behind) == (0x28101000, 7)


def test_programs_that_were_not_built_are_named_with_the_command_that_builds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (attack_params, psa_subject):
        monkeypatch.setattr(module, "search_folders", lambda: (tmp_path / "a", tmp_path / "b"))
    for name, find in (("psa_attacks", attack_params.find_attack_program), ("psa_calls", psa_subject.find_psa_program)):
        with pytest.raises(UsageError, match=rf"^spm/{name}\.elf is in none of {tmp_path}/a, {tmp_path}/b; build it with `make spm`$"):
            find()
        built = tmp_path / "b" / "spm" / f"{name}.elf"
        built.parent.mkdir(parents=True, exist_ok=True)
        built.touch()
        assert find() == built


def test_attacks_that_do_not_fit_into_the_memory_are_refused_and_those_that_just_do_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attacks = [Attack(Family.SYSTEM, "a", (CallStep(Operation.STORE, 1),))]
    needed = 0x8000 + len(parameters_of(SUBJECT, attacks, Place())) + 0x8000
    with pytest.raises(UsageError, match=f"^the attacks need {needed} bytes of non-secure memory, x has less$"):
        attack_params.write_attacks(replace(SUBJECT, ram_bytes=needed - 1), tmp_path, attacks, Place())
    monkeypatch.setattr(attack_params, "find_attack_program", lambda: tmp_path / "program.elf")
    monkeypatch.setattr(attack_params, "placed_program", lambda program, subject: bytes(64))
    attack_params.write_attacks(replace(SUBJECT, ram_bytes=needed), tmp_path, attacks, Place())
    assert (tmp_path / "parameters.bin").read_bytes() == parameters_of(SUBJECT, attacks, Place())
    assert struct.unpack("<16I", (tmp_path / "program.bin").read_bytes()) == (*[0] * 7, 0x28108000, *[0] * 8)
