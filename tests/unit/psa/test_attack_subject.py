# SPDX-License-Identifier: BSD-3-Clause
"""What an image offers to attack, and what a partition of ours attempts."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.psa.targets.attack_subject import REQUESTS, AttackSubject, Attempt, attack_subject, attempts, own_subject
from latlab.psa.targets.psa_subject import CallKind, PsaCall, PsaSubject
from support.made_attacks import DATA, NOTHING, VENEERS
from support.places import ROOT

SG = b"\x7f\xe9\x7f\xe9"
BASE = 0x1000_0000


def image(length: int = 0x1000, **parts: bytes) -> bytes:
    """Bytes with these parts at `at_HEX`."""
    data = bytearray(b"\xbf" * length)
    for name, part in parts.items():
        at = int(name.removeprefix("at_"), 16)
        data[at : at + len(part)] = part
    return bytes(data)


def seen(
    folder: Path, *images: tuple[bytes, int], calls: tuple[PsaCall, ...] = (DATA,), veneers: tuple[int, ...] = VENEERS
) -> AttackSubject:
    files = []
    for number, (data, address) in enumerate(images):
        (folder / f"{number}.bin").write_bytes(data)
        files.append((folder / f"{number}.bin", address))
    return attack_subject(PsaSubject("made", "mps2-an521", tuple(files), veneers, 16, 24, 0, 0x2820_0000, 1 << 20, 0, (*NOTHING, *calls)))


def test_the_secret_is_what_the_lowest_secure_part_begins_with(tmp_path: Path) -> None:
    found = seen(tmp_path, (image(0x100, at_0=b"x" * 32), 0x1000_8000), (image(0x200, at_0=bytes(range(32))), BASE))
    assert found.secret == (BASE, bytes(range(16)))
    assert found.secure_parts == (BASE, BASE + 0x100, 0x1000_8000, 0x1000_8080)
    assert (found.has_true_border, found.own_partition) == (False, None)


def test_the_middle_of_a_part_is_a_word_s_address(tmp_path: Path) -> None:
    assert seen(tmp_path, (image(0x10E), BASE)).secure_parts == (BASE, BASE + 0x84)


def test_what_lies_in_non_secure_memory_is_no_target(tmp_path: Path) -> None:
    assert seen(tmp_path, (image(), 0x0020_0000), (image(0x100), 0x3800_0000)).secret[0] == 0x3800_0000
    with pytest.raises(DataError, match="made: none of its images lies in secure memory"):
        seen(tmp_path, (image(), 0x0020_0000))


def test_an_sg_that_is_no_veneer_is_another_gateway(tmp_path: Path) -> None:
    data = image(0x9000, at_200=SG, at_302=SG, at_401=SG, at_8000=SG, at_8010=SG)
    assert seen(tmp_path, (data, BASE)).other_gateways == (BASE + 0x200, BASE + 0x302), "an odd address is none"
    assert seen(tmp_path, (data, BASE), veneers=(0, 0, 0, BASE + 0x201, 0)).other_gateways == (BASE + 0x302, BASE + 0x8000, BASE + 0x8010)
    many = seen(tmp_path, (image(0x1000, at_0=(SG + b"\0" * 4) * 40), BASE)).other_gateways
    assert many == tuple(BASE + 8 * number for number in range(16))


def test_opcodes_that_overlap_are_all_found(tmp_path: Path) -> None:
    assert seen(tmp_path, (image(at_100=SG + SG[:2]), BASE)).other_gateways == (BASE + 0x100, BASE + 0x102)


def test_a_part_that_begins_with_a_gateway_is_entered_there_and_nowhere_as_ungated(tmp_path: Path) -> None:
    found = seen(tmp_path, (image(0x200, at_0=SG), BASE), (image(0x200, at_100=SG), 0x1001_0000))
    assert found.ungated == (BASE + 0x100, 0x1001_0000)


def test_handlers_are_the_secure_addresses_of_the_vector_table_each_once(tmp_path: Path) -> None:
    words = [0x3800_2000, BASE + 0x101, BASE + 0x203, BASE + 0x101, 0, 0x0020_0001, 0x5000_0001, 0x3000_0001]
    found = seen(tmp_path, (image(at_0=struct.pack("<8I", *words)), BASE))
    assert found.handlers[:3] == (BASE + 0x100, BASE + 0x202, 0x3000_0000), "neither the stack nor what is no secure code"
    full = struct.pack("<200I", *(BASE + 0x1001 + 2 * number for number in range(200)))
    assert seen(tmp_path, (image(at_0=full), BASE)).handlers == tuple(BASE + 0x1002 + 2 * number for number in range(60))


def test_the_data_call_is_one_that_is_served_with_the_most_to_attack(tmp_path: Path) -> None:
    plain = PsaCall("plain", CallKind.ON_HANDLE, 1)
    outputs = PsaCall("outputs", CallKind.ON_CONNECTION, 2, outputs=(4,))
    both = PsaCall("both", CallKind.ON_CONNECTION, 3, inputs=(b"1",), outputs=(4,))
    refused = replace(DATA, name="refused", expected=-129)

    def chosen(*calls: PsaCall) -> str:
        return seen(tmp_path, (image(), BASE), calls=calls).data_call.name

    assert chosen(plain, outputs) == "outputs"
    assert chosen(both, outputs, plain) == "both"
    assert chosen(both, DATA) == "data", "one that needs no connection"
    assert chosen(refused, plain) == "plain"
    with pytest.raises(DataError, match=r"names no \[\[call\]\] that is served"):
        chosen(refused)
    with pytest.raises(DataError, match=r"made: its file names no"):
        chosen()


def test_a_build_that_is_not_there_is_named_with_those_that_are_known(tmp_path: Path) -> None:
    builds = "sfn_l1, ipc_l1, ipc_l2, ipc_l3, classic_l1, classic_l2, at_once_l1, at_once_l2"
    with pytest.raises(UsageError, match=rf"no ipc_l9_test/secure.elf in .*; build it with `make spm`, or use one of {builds}$"):
        own_subject("ipc_l9", tmp_path)


CLIENT, SERVER = 0x4000_0101, 0x4000_0206
SYMBOLS = {"spm_kernel": 0x3800_0800, "test_server_start": 0x3801_0000, "test_client_start": 0x3802_0000}
WHO = {"an application partition": (CLIENT, {"reads": 6, "writes": 5}), "the PSA RoT": (SERVER, {"reads": 10, "writes": 9})}
OWN = {
    "the SPM's memory": (0x3800_0000, 2),
    "the SPM's data": (0x3800_0800, 2),
    "the MPU's registers": (0xE000_ED94, 2),
    "an unassigned device": (0x5020_2000, 1),
    "address 0": (0, 1),
}
ACROSS = {
    ("an application partition", "the PSA RoT"): (0x3801_0000, 2, "it reached another partition"),
    ("the PSA RoT", "an application partition"): (0x3802_0000, 3, "it reached another partition"),
    ("an application partition", "the SPM's code"): (0x1000_0000, 2, "it reached the SPM's code"),
    ("an application partition", "the non-secure side"): (0x2820_1100, 2, "it reached the non-secure side"),
}
GIVES = {"an input": 8, "an output": 9, "its array of inputs": 10, "its array of outputs": 11}
ERRORS = {
    "a partition uses an invalid message handle": (SERVER, 19, 1),
    "a partition uses the handle of an answered message": (SERVER, 20, 1),
    "a partition names a vector beyond the fourth": (SERVER, 21, 1),
    "a partition writes from memory that wraps": (SERVER, 23, 1),
    "a partition writes more than was asked for": (SERVER, 24, 1),
    "a partition writes to a missing vector": (SERVER, 25, 1),
    "a partition uses another one's message": (CLIENT, 12, 1),
    "a secure client uses a closed handle": (CLIENT, 19, 1),
    "a partition makes the gateways' own supervisor call": (CLIENT, 31, 2),
}


@pytest.fixture(name="found", scope="module")
def fixture_found() -> dict[str, Attempt]:
    made = list(attempts(SYMBOLS, CLIENT))
    assert len({one.name for one in made}) == len(made) == 2 * 2 * len(OWN) + 2 * len(ACROSS) + 2 * (2 + len(GIVES)) + len(ERRORS)
    return {one.name: one for one in made}


def row(attempt: Attempt) -> tuple[int, int, int, int | None]:
    return attempt.handle, attempt.request, attempt.level, attempt.address


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(("what", "did"), [("reads", "read"), ("writes", "wrote")])
def test_a_partition_reaches_for_what_is_not_its_own(found: dict[str, Attempt], who: str, what: str, did: str) -> None:
    handle, requests = WHO[who]
    for where, (address, level) in OWN.items():
        attempt = found[f"{who} {what} {where}"]
        assert row(attempt) == (handle, requests[what], level, address)
        assert attempt.accepted == f"it {did} {where}"
    for (from_, whom), (address, level, accepted) in ACROSS.items():
        if from_ == who:
            assert row(found[f"{who} {what} {whom}"]) == (handle, requests[what], level, address)
            assert found[f"{who} {what} {whom}"].accepted == accepted


@pytest.mark.parametrize(("where", "address"), [("the SPM's memory", 0x3800_0000), ("the SPM's data", 0x3800_0800)])
def test_a_partition_has_the_spm_reach_for_it(found: dict[str, Attempt], where: str, address: int) -> None:
    read, write = found[f"psa_read into {where}"], found[f"psa_write from {where}"]
    assert (row(read), read.more) == ((SERVER, 13, 1, address), 4)
    assert (row(write), write.more) == ((SERVER, 14, 1, address), 0)
    assert (read.accepted, write.accepted) == (f"the SPM wrote {where} for a partition", f"the SPM read {where} for a partition")
    assert [name for name, one in found.items() if one.more or one.secret] == [
        f"psa_read into {each}" for each in ("the SPM's memory", "the SPM's data")
    ]
    for what, request in GIVES.items():
        attempt = found[f"a secure client gives {what} in {where}"]
        assert row(attempt) == (CLIENT, request, 1, address)
        assert attempt.accepted == f"{what} in {where} was accepted"


@pytest.mark.parametrize("name", ERRORS)
def test_a_partition_breaks_the_rules_of_its_calls(found: dict[str, Attempt], name: str) -> None:
    handle, request, level = ERRORS[name]
    assert row(found[name]) == (handle, request, level, None)
    assert found[name].accepted and found[name].more == 0


def test_a_request_has_the_number_by_which_the_test_partitions_know_it() -> None:
    """An enumeration of C counts from 0, and none of these has a number of its own."""
    header = (ROOT / "firmware/spm/partitions/test/test_requests.h").read_text()
    bodies = re.findall(r"enum \w+ \{(.*?)\};", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL), re.DOTALL)
    numbers = {name: number for body in bodies for number, name in enumerate(re.findall(r"\b([A-Z]\w+)\s*(?=,|$)", body.strip()))}
    assert {name: numbers.get(name) for name in REQUESTS} == REQUESTS


def test_a_call_that_needs_another_before_it_is_not_the_one_that_is_attacked(tmp_path: Path) -> None:
    alone = replace(DATA, name="put", outputs=())
    assert seen(tmp_path, (image(), BASE), calls=(alone, DATA)).data_call == DATA
    assert seen(tmp_path, (image(), BASE), calls=(alone, replace(DATA, is_alone=False))).data_call == alone
    with pytest.raises(DataError, match=r"names no \[\[call\]\] that is served alone"):
        seen(tmp_path, (image(), BASE), calls=(replace(DATA, is_alone=False),))
