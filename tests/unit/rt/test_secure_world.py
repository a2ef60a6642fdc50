# SPDX-License-Identifier: BSD-3-Clause
"""A secure world below the guest: what a user may ask for, what the builds are told, what a folder with one says. Nothing is built here."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import pytest

from latlab.calls.targets.subject import load_subject
from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.rt.campaign.secure_world_options import build_of, drivers_for, of_drivers
from latlab.rt.targets.guest import secure_world as worlds
from latlab.rt.targets.guest.secure_world import SecureWorld, Stack, jump_to_kernel, secure_world, secure_world_of, stack_in
from latlab.rt.targets.rt_job import Drivers, RngNode
from support.refusals import refused

STACK = Stack("2.12.1", "4.10.0", 0x60200000, True, (("NS_TIMER_SWITCH", "1"),))


def test_what_is_asked_for_is_what_the_builds_are_told() -> None:
    usual = secure_world_of("optee")
    assert dict(usual.options) == {
        "CFG_WITH_SOFTWARE_PRNG": "n", "CFG_HWRNG_PTA": "y", "CFG_ENABLE_EMBEDDED_TESTS": "n", "NS_TIMER_SWITCH": "1",
    }  # fmt: skip
    all_else = secure_world_of("optee,prng,timer-switch=0,embedded-tests,secure-timer")
    assert all_else == SecureWorld(True, False, True, True) and secure_world_of(str(all_else)) == all_else
    assert [value for _, value in all_else.options] == ["y", "n", "y", "0", "y"]


@pytest.mark.parametrize(
    ("text", "word"), [("tz", "tz"), ("optee,fast", "fast"), ("optee,", ""), ("", ""), ("optee,timer-switch=2", "timer-switch=2")]
)
def test_what_is_not_known_is_named_with_what_is(text: str, word: str) -> None:
    with pytest.raises(UsageError, match=f"--secure-world {text}: '{word}' is .*optee"):
        secure_world_of(text)


def test_the_boot_loader_hands_linux_its_tree_and_jumps_to_it() -> None:
    """A walk through its instructions as the architecture has them, loads relative to where they stand."""
    code = jump_to_kernel()
    registers: dict[int, int] = {1: 7, 2: 7, 3: 7}
    for at in range(0, len(code), 4):
        (word,) = struct.unpack_from("<I", code, at)
        if word >> 24 == 0x58:
            (registers[word & 31],) = struct.unpack_from("<Q", code, at + 4 * (word >> 5 & 0x7FFFF))
        elif word & ~31 == 0xAA1F03E0:
            registers[word & 31] = 0
        else:
            assert word & ~(31 << 5) == 0xD61F0000, hex(word)
            assert (registers[word >> 5 & 31], [registers[each] for each in range(4)]) == (0x60200000, [0x40000000, 0, 0, 0])
            return
    raise AssertionError("it jumps nowhere")


def test_a_folder_says_what_was_built_and_a_damaged_one_what_to_do(tmp_path: Path) -> None:
    assert stack_in(tmp_path) is None
    said = {"tf_a": "2.12.1", "optee": "4.10.0", "kernel_address": 0x60200000, "offers_rng": True, "options": [["NS_TIMER_SWITCH", "1"]]}
    (tmp_path / "secure-world.json").write_text(json.dumps(said))
    assert stack_in(tmp_path) == STACK
    assert build_of(STACK).firmware == "TF-A 2.12.1, OP-TEE 4.10.0" and build_of(STACK).options == STACK.options
    for damage in ("{", json.dumps(said | {"options": 3}), json.dumps({})):
        (tmp_path / "secure-world.json").write_text(damage)
        with pytest.raises(DataError, match=r"secure-world\.json: .*--rebuild"):
            stack_in(tmp_path)


def test_a_campaign_takes_the_same_flash_as_a_subject(tmp_path: Path) -> None:
    (tmp_path / "subject.toml").write_text(worlds.subject_text("optee,prng"))
    found = load_subject(tmp_path / "subject.toml")
    (image,) = found.images
    assert (found.name, image.flash, image.takes_program, found.cores) == ("tf-a-optee,prng", 0, True, 4)
    assert [path.name for path in found.symbols] == ["firmware.elf", "tee.elf"] and "dtb-randomness=off" in found.options


def test_linux_asks_optee_where_it_offers_numbers_else_the_firmware_and_nobody_where_told_so() -> None:
    own = Stack("2", "4", 0, False, ())
    assert drivers_for(STACK, None) == Drivers(RngNode.OPTEE, True)
    assert (drivers_for(own, None), drivers_for(None, None)) == (Drivers(RngNode.FIRMWARE, True), Drivers(RngNode.FIRMWARE, False))
    assert drivers_for(STACK, RngNode.NONE, 3) == Drivers(RngNode.NONE, True, 3)
    assert of_drivers(Drivers(RngNode.OPTEE, True, 3)) == {"hwrng_driver": True, "hwrng_node": "optee", "hwrng_quality": 3}
    assert of_drivers(Drivers(RngNode.NONE, True, 3)) == {"hwrng_driver": False, "hwrng_node": None, "hwrng_quality": None}
    for stack, why in ((None, "has no OP-TEE"), (own, "makes its numbers itself")):
        with pytest.raises(UsageError, match=f"--rng-node optee: .*{why}"):
            drivers_for(stack, RngNode.OPTEE)
    with pytest.raises(UsageError, check=refused(value="1025")):
        drivers_for(STACK, None, 1025)


def test_versions_are_read_from_the_sources_themselves(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("VERSION_MAJOR\t\t\t:= 2\nVERSION_MINOR\t:= 15\nVERSION := ${VERSION_MAJOR}\n")
    (tmp_path / "CHANGELOG.md").write_text("# OP-TEE - version 4.10.0 (2026-04-17)\n\n# OP-TEE - version 4.9.0\n")
    assert (worlds.tf_a_version(tmp_path), worlds.optee_version(tmp_path)) == ("2.15", "4.10.0")


def test_a_missing_tool_and_an_archive_that_refuses_are_told_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "apt-get" else f"/usr/bin/{name}")
    with pytest.raises(UsageError, match="apt-get is missing"):
        secure_world(SecureWorld())
    monkeypatch.setattr(worlds, "check_tools", lambda: None)
    said: list[str] = []

    def refuses(command: tuple[str, ...], cwd: Path | None = None) -> str:
        assert command[2:] == ("optee-os", str(tmp_path / "cache/secure-world/source/optee-os"), "sid", "trixie")
        raise LatlabError("sh ended with status 1: Debian's source package optee-os cannot be fetched: E: 404")

    monkeypatch.setattr(worlds, "run", refuses)
    with pytest.raises(LatlabError, match="optee-os cannot be fetched"):
        secure_world(SecureWorld(), say=said.append)
    assert said == ["fetching the source package optee-os"] and not list((tmp_path / "cache/secure-world").glob("*"))


def test_a_stack_that_is_there_is_not_built_again_and_another_wish_is_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What TF-A alone is told leaves OP-TEE's images as they are."""
    monkeypatch.setattr(worlds, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(worlds, "check_tools", lambda: None)
    monkeypatch.setattr(worlds, "_python", lambda: "python3")
    built: list[str] = []

    def makes(command: tuple[str, ...], cwd: Path | None = None) -> str:
        words = dict(word.split("=", 1) for word in command if "=" in word)
        if command[0] == "sh":
            Path(command[3]).mkdir(parents=True)
            (Path(command[3]) / "Makefile").write_text("VERSION_MAJOR := 2\n")
            (Path(command[3]) / "CHANGELOG.md").write_text("# OP-TEE - version 4.10.0 (today)\n")
        elif "O" in words:
            built.append("optee")
            (Path(words["O"]) / "core").mkdir()
            for name in ("tee-header_v2.bin", "tee-pager_v2.bin", "tee-pageable_v2.bin", "tee.elf"):
                (Path(words["O"]) / "core" / name).write_bytes(b"tee")
        else:
            built.append(f"tf-a {words['NS_TIMER_SWITCH']}")
            release = Path(words["BUILD_BASE"]) / "qemu/release"
            (release / "bl31").mkdir(parents=True)
            for name in ("bl1.bin", "fip.bin", "bl31/bl31.elf"):
                (release / name).write_bytes(name.encode())
        return ""

    monkeypatch.setattr(worlds, "run", makes)
    first, again = secure_world(SecureWorld()), secure_world(SecureWorld())
    other = secure_world(SecureWorld(timer_switch=False))
    assert first == again != other and built == ["optee", "tf-a 1", "tf-a 0"]
    flash = (first / "firmware.bin").read_bytes()
    assert flash.startswith(b"bl1.bin\xff") and flash[0x40000:] == b"fip.bin"
    stack = stack_in(other)
    assert stack is not None and dict(stack.options)["NS_TIMER_SWITCH"] == "0" and stack.name == "TF-A 2, OP-TEE 4.10.0"
    assert sorted(path.name for path in first.iterdir()) == ["firmware.bin", "firmware.elf", "secure-world.json", "subject.toml", "tee.elf"]
