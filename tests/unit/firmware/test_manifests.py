# SPDX-License-Identifier: BSD-3-Clause
"""Partition manifests: what is read, and the one sentence that a wrong one gives."""

import json
import random
import re
from typing import Any

import pytest

from support.manifests import GOOD, ManifestError, Platform, System, feature_header, mutated, outcome, parse, partition_from
from support.manifests import PLATFORM as BOARD
from support.places import ROOT

SENTENCE = re.compile(r"[a-z_]+\.json:[1-9]\d*: .+")
PLATFORM = Platform({"UART": (0x50201000, 0x1000), "NVM": (0x380F0000, 0x400)}, {"UART_IRQ": 35}, 128)


def manifest(**changes: Any) -> str:
    base: dict[str, Any] = {
        "psa_framework_version": 1.1,
        "name": "KEEPER",
        "type": "APPLICATION-ROT",
        "priority": "NORMAL",
        "model": "IPC",
        "entry_point": "keeper_main",
        "stack_size": "0x400",
    }
    return json.dumps({key: value for key, value in {**base, **changes}.items() if value is not None}, indent=1)


def read(text: str) -> Any:
    return partition_from(parse(text, "keeper.json", True), 0, PLATFORM)


def refused(text: str) -> str:
    with pytest.raises(ManifestError) as caught:
        System.of([read(text)], "ipc", 2)
    return str(caught.value)


def test_a_manifest_of_version_1_0_is_read() -> None:
    irq = {"description": "sent", "signal": "SENT_SIG", "source": "UART_IRQ"}
    region = {"name": "UART", "permission": "READ-WRITE"}
    partition = read(manifest(psa_framework_version=1.0, model=None, irqs=[irq], mmio_regions=[region], heap_size="0x100"))
    assert (partition.irqs[0].signal, partition.irqs[0].line, partition.irqs[0].first_level) == ("SENT_SIG", 35, False)
    assert (partition.regions[0].base, partition.regions[0].size, partition.heap_bytes) == (0x50201000, 0x1000, 0x100)


def test_an_interrupt_of_version_1_1_is_named() -> None:
    irq = read(manifest(irqs=[{"name": "SENT", "source": 7, "handling": "FLIH"}])).irqs[0]
    assert (irq.signal, irq.line, irq.first_level) == ("SENT_SIGNAL", 7, True)


def test_the_header_is_named_after_the_file() -> None:
    assert read(manifest()).header == "keeper"


def test_a_read_only_region_is_read_only() -> None:
    regions = [{"name": "UART", "permission": "READ-ONLY"}, {"base": 64, "size": 32, "permission": "READ-WRITE"}]
    assert [region.read_only for region in read(manifest(mmio_regions=regions)).regions] == [True, False]


def test_neighbouring_regions_take_one_place_in_the_mpu() -> None:
    regions = [{"base": base, "size": 32, "permission": "READ-WRITE"} for base in (64, 0, 32, 128, 192, 256)]
    partition = read(manifest(mmio_regions=regions))
    assert [(region.base, region.size) for region in partition.mapped] == [(0, 96), (128, 32), (192, 32), (256, 32)]
    assert System.of([partition], "ipc", 2).devices


def test_a_weak_dependency_may_be_missing() -> None:
    assert System.of([read(manifest(weak_dependencies=["NOBODY"]))], "ipc", 2).partitions


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": None}, "keeper.json:1: a manifest has no name; add it"),
        ({"name": "no name"}, "keeper.json:3: name is 'no name'; give a name of at most 64 letters, digits and underscores"),
        ({"name": "while"}, "keeper.json:3: name is 'while', which is a word of C or of the SPM; give another name"),
        ({"psa_framework_version": 1.2}, "keeper.json:2: psa_framework_version is 1.2; give 1.0 or 1.1"),
        ({"priority": "URGENT"}, "keeper.json:5: priority is 'URGENT'; give one of HIGH, NORMAL, LOW"),
        ({"stack_size": 64}, "keeper.json:8: stack_size is 64; give a number from 128 to 0x1000000"),
        ({"stack_size": "big"}, "keeper.json:8: stack_size is 'big'; give a whole number"),
        ({"entry_point": None}, "keeper.json:1: the partition keeper has no entry_point; add it"),
        ({"stak_size": 1}, "keeper.json:9: the partition keeper has the key 'stak_size', which means nothing here; mend or remove it"),
        ({"dependencies": ["NOBODY"]}, "keeper.json:10: depends on NOBODY, which no manifest has"),
        (
            {"mmio_regions": [{"name": "LED", "permission": "READ-ONLY"}]},
            "keeper.json:10: the platform has no device LED; give base and size, or name it in a platform file",
        ),
        (
            {"irqs": [{"name": "A", "source": "LED_IRQ", "handling": "SLIH"}]},
            "keeper.json:12: the platform has no interrupt LED_IRQ; give a number, or name it in a platform file",
        ),
        ({"irqs": [{"name": "A", "source": 128, "handling": "SLIH"}]}, "keeper.json:12: source is 128; give a number from 0 to 0x7f"),
        (
            {"mmio_regions": [{"base": 8, "size": 32, "permission": "READ-ONLY"}]},
            "keeper.json:10: the mmio region 0x8 of 0x20 bytes does not begin and end at a multiple of 32 in 32 bits of address",
        ),
    ],
)
def test_a_wrong_manifest_gives_a_sentence_with_file_and_line(changes: dict[str, Any], sentence: str) -> None:
    assert refused(manifest(**changes)) == sentence


@pytest.mark.parametrize("level", [1, 2, 3])
def test_mm_iovec_is_for_level_1(level: int) -> None:
    service = {"name": "KEEP", "sid": 1, "mm_iovec": "enable"}
    partition = read(manifest(services=[service]))
    if level == 1:
        system = System.of([partition], "ipc", level)
        assert system.services[0].mm_iovec and "HAS_MM_IOVEC 1" in feature_header(system)
        return
    with pytest.raises(ManifestError, match=r"keeper\.json:\d+: KEEP enables mm_iovec, which level . forbids"):
        System.of([partition], "ipc", level)
    service["mm_iovec"] = "disable"
    assert "HAS_MM_IOVEC 0" in feature_header(System.of([read(manifest(services=[service]))], "ipc", level))


def test_what_stands_twice_is_told_with_both_places() -> None:
    services = [{"name": "A", "sid": 1}, {"name": "B", "sid": "0x1"}]
    assert refused(manifest(services=services)) == "keeper.json:14: the sid 0x00000001 stands at keeper.json:10 already; give each its own"


def test_a_key_that_stands_twice_is_refused() -> None:
    assert (
        outcome('{"name": "A",\n"name": "B"}', "test_server", True)
        == "test_server.json:2: the key 'name' stands twice in one object; keep one"
    )


def test_five_separate_regions_are_too_many() -> None:
    regions = [{"base": 64 * i, "size": 32, "permission": "READ-ONLY"} for i in range(5)]
    assert refused(manifest(mmio_regions=regions)) == "keeper.json:1: 5 separate mmio regions; the limit is 4"


def test_the_tests_own_manifests_are_good() -> None:
    assert [outcome(text, name, is_json) for name, text in GOOD.items() for is_json in (True, False)] == [None] * 2 * len(GOOD)


def test_the_drop_in_profiler_has_the_same_client_here_and_in_tf_m() -> None:
    firmware = ROOT / "firmware" / "spm"
    here, there = (
        partition_from(parse(path.read_text(), "prof_client.json", True), 0, BOARD)
        for path in (firmware / "partitions/profiler/prof_client/prof_client.json", firmware / "profiler/drop_in/tfm/prof_client.json")
    )
    assert [region.base for region in here.regions] == [0x40000000] and there.regions == []
    assert (here.name, here.entry, [s.sid for s in here.services]) == (there.name, there.entry, [s.sid for s in there.services])
    assert [name for name, _ in here.dependencies] == [name for name, _ in there.dependencies]


@pytest.mark.parametrize("is_json", [True, False])
def test_a_manifest_that_chance_has_spoilt_is_good_or_gives_a_sentence(is_json: bool) -> None:
    chance = random.Random(1)
    outcomes = [outcome(mutated(chance, text), name, is_json) for _ in range(200) for name, text in GOOD.items()]
    assert all(sentence is None or SENTENCE.fullmatch(sentence) for sentence in outcomes)
    assert sum(sentence is not None for sentence in outcomes) > 400
