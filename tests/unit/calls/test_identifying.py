# SPDX-License-Identifier: BSD-3-Clause
"""What files of firmware are is told by their content; what they do not say is asked for in one sentence."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.campaign import identifying
from latlab.calls.campaign.identifying import Look, look, read_files
from latlab.calls.readers.fip import with_bl33
from latlab.calls.readers.firmware_files import FileKind, identified
from latlab.calls.targets.subject import load_subject, placed, rendered
from latlab.core.errors import DataError, LatlabError, UsageError
from support import firmware_files as made

EM_AARCH64, EM_ARM, EM_MIPS, EM_RISCV = 183, 40, 8, 243


def looked(folder: Path, on: str | None = None, **files: bytes) -> Look:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return look(read_files([folder / name for name in files]), on)


def test_bl1_and_its_package_are_a_flash_for_the_machine_that_their_messages_name(tmp_path: Path) -> None:
    found = looked(tmp_path, one=made.package(made.BL31 + made.FOR_VIRT), two=made.BL1)
    assert found.subject
    assert [(image.file.name, image.flash, image.takes_program) for image in found.subject.images] == [
        ("two", 0, False),
        ("one", 0x40000, True),
    ]
    assert (found.subject.board.name, found.subject.options) == ("virt", "secure=on,gic-version=2")
    assert found.subject.name == "two v2.12.1(release)"


def test_code_that_drives_a_gicv3_gets_one(tmp_path: Path) -> None:
    found = looked(tmp_path, one=made.package(made.BL31 + made.FOR_VIRT + made.WRITE_SRE_EL3), two=made.BL1)
    assert found.subject and found.subject.options == "secure=on,gic-version=3"


def test_a_flash_with_the_package_in_it_is_one_image_and_the_program_takes_the_place_of_its_bl33(tmp_path: Path) -> None:
    flash = made.BL1.ljust(made.PAGE, b"\xff") + made.package(made.BL31 + made.FOR_VIRT)
    found = looked(tmp_path, flash=flash)
    assert found.subject and [(image.flash, image.takes_program) for image in found.subject.images] == [(0, True)]
    changed = with_bl33(flash, b"the program", "flash")
    assert changed[: made.PAGE] == flash[: made.PAGE]
    assert changed[made.PAGE :] == with_bl33(flash[made.PAGE :], b"the program", "flash")


def test_bl31_alone_starts_where_its_board_begins(tmp_path: Path) -> None:
    found = looked(tmp_path, bl31=made.BL31 + made.FOR_RASPBERRY_4)
    assert found.subject and found.subject.board.name == "raspi4b"
    assert [image.address for image in found.subject.images] == [0]
    asked = looked(tmp_path, "raspi4b", bl31=made.BL31)
    assert asked.subject and asked.subject.board.name == "raspi4b"


def test_opensbi_is_for_the_sbi_campaign(tmp_path: Path) -> None:
    found = looked(tmp_path, fw=made.OPENSBI)
    assert (found.sbi, found.subject) == (tmp_path / "fw", None)


@pytest.mark.parametrize("image", [made.RUSTSBI, made.elf(EM_RISCV) + b"Hello RustSBI!"])
def test_rustsbi_is_for_the_sbi_campaign_as_a_flat_image_and_as_an_elf_file(tmp_path: Path, image: bytes) -> None:
    """It is linked where QEMU puts it, unlike OpenSBI."""
    found = looked(tmp_path, fw=image)
    assert (found.sbi, found.subject) == (tmp_path / "fw", None)
    assert found.said[0].endswith("RustSBI's prototyper (riscv)")


def test_the_elf_file_of_rustsbi_names_the_functions_of_its_image(tmp_path: Path) -> None:
    assert looked(tmp_path, elf=made.elf(EM_RISCV) + b"Hello RustSBI!", fw=made.RUSTSBI).sbi == tmp_path / "fw"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"a": made.BL1}, "it does not start alone; name the package (fip.bin) of the same build too"),
        ({"a": made.package(b"")}, "it does not start alone; name BL1 (bl1.bin) of the same build too"),
        ({"a": made.BL31}, "its machine is unknown; if it is one of virt, raspi4b, sbsa-ref, name it with --machine, else"),
        ({"a": made.BL31 + made.FOR_VIRT}, "which virt does not start with; name bl1.bin and fip.bin of the same build"),
        ({"a": b"\xd0\x0d\xfe\xed" + made.BL31}, "a device tree, which describes a machine and has no code; name the firmware"),
        (
            {"a": b"\xd0\x0d\xfe\xedconfigurations" + made.BL31},
            "a FIT image, which holds others; take the firmware out of it with dumpimage",
        ),
        ({"a": made.EFI}, "an EFI program (aarch64), which calls firmware; name the firmware, or record the calls"),
        ({"a": b"\x55\xaa" + bytes(100)}, "an option ROM, which a PC's firmware or its UEFI runs, and which offers no calls"),
        ({"a": b"\0SeaBIOS (version %s)\0"}, "SeaBIOS (x86), a processor that the probe does not support; it supports AArch64"),
        ({"a": made.BL31 + made.FOR_RASPBERRY_4 + b"cortex_a76"}, "its machine is unknown"),
        ({"a": made.OPENSBI_32}, "for harts of 32 bits; the program that makes the calls is for 64"),
        ({"a": made.elf(EM_RISCV) + b"OpenSBI v%d.%d"}, "as an ELF file, which QEMU does not load at its address; name the flat image too"),
        ({"a": made.KERNEL}, "Linux (aarch64), which calls firmware; name the firmware, or record the calls with `latlab watch"),
        ({"a": made.KERNEL + made.XEN}, "Xen (aarch64), which calls firmware; name the firmware, or record the calls with"),
        ({"a": made.KERNEL + made.XEN[:14]}, "Linux (aarch64), which calls firmware"),
        ({"a": made.KERNEL + b"Linux version 6.12\0Xen version: %d.%d%s\0"}, "Linux (aarch64), which calls firmware"),
        ({"a": made.KERNEL + made.UBOOT.replace(b"riscv", b"arm")}, "U-Boot 2023.01 (arm"),
        ({"a": made.UBOOT}, "U-Boot 2023.01 (riscv), which calls firmware"),
        ({"a": made.UBOOT + made.READ_MHARTID}, "in M-mode, where it offers no calls"),
        ({"a": made.UBOOT.replace(b"riscv", b"x86")}, "a processor that the probe does not support"),
        ({"a": made.UEFI}, "a UEFI firmware volume, which calls firmware"),
        ({"a": made.elf(EM_MIPS)}, "a processor that the probe does not support"),
        (
            {"a": made.elf(EM_ARM, is_64=False)},
            "it is not marked for an M-profile core; the probe does not support AArch32 otherwise",
        ),
        ({"a": made.elf(EM_AARCH64)}, "with no symbols, which a machine cannot start; name the flat image too (such as bl1.bin with"),
        ({"a": made.elf(EM_RISCV)}, "which a machine cannot start; name the flat image too (such as fw_dynamic.bin)"),
        ({"a": made.elf(EM_RISCV) + made.UBOOT}, "U-Boot 2023.01 (riscv), which calls firmware"),
        ({"a": made.elf(EM_RISCV) + made.UBOOT + made.READ_MHARTID}, "U-Boot 2023.01 (riscv) in M-mode, where it offers no calls"),
        ({"a": b"root:x:0:0"}, "its content is unknown; latlab recognises TF-A"),
        ({"a": made.OPENSBI, "b": made.BL31}, "they are different firmware; name one at a time"),
    ],
)
def test_what_the_files_do_not_say_is_asked_for_in_one_sentence(tmp_path: Path, files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        looked(tmp_path, None, **files)
    assert sentence in str(raised.value) and "\n" not in str(raised.value)
    assert str(raised.value).startswith(str(tmp_path / "a"))


@pytest.mark.parametrize(
    ("platform", "board"), [("qemu_virt", "virt"), ("qemu_virt-hold", "virt"), ("raspi4", "raspi4b"), ("sbsa_ref", "sbsa-ref")]
)
def test_our_own_firmware_says_for_which_machine_it_is(tmp_path: Path, platform: str, board: str) -> None:
    found = looked(tmp_path, fw=f"\0latlab EL3 firmware: latlab-psci-0.1.0;{platform};release;gcc-12.2.0, GICv2\0".encode())
    assert found.subject and found.subject.board.name == board
    assert "latlab's EL3 firmware 0.1.0 (aarch64)" in found.said[0]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\x1f\x8b\x08" + bytes(20), "compressed by gzip; unpack it with gunzip"),
        (b"S00600004844521B\n", "S-records; make them flat with objcopy -I srec -O binary"),
        (b"!<arch>\ndebian-binary", "an archive, such as a package; unpack it"),
        (bytes(4096), "nothing but bytes of 0x00; build the firmware again"),
    ],
)
def test_what_has_to_be_unpacked_or_holds_nothing_says_so(tmp_path: Path, data: bytes, sentence: str) -> None:
    with pytest.raises(DataError, match=f"a: {sentence}"):
        looked(tmp_path, a=data)


def test_no_file_an_empty_one_and_a_damaged_one_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_files([tmp_path / "none"])
    cut = bytearray(made.elf(EM_AARCH64))
    cut[40:48] = (1 << 20).to_bytes(8, "little")  # where its sections are told
    for name, data in {"empty": b"", "damaged": b"\x7fELF\x09", "cut": bytes(cut)}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError, match=f"{name}: "):
            read_files([tmp_path / name])
    with (tmp_path / "large").open("wb") as file:
        file.truncate(identifying.MOST_BYTES + 1)
    with pytest.raises(UsageError, match="large: more than 512 MiB, and no firmware is so large"):
        read_files([tmp_path / "large"])
    with pytest.raises(DataError, match=r"cut off: its table ends at byte 1,048,576, it has 64; copy or build it again$"):
        read_files([tmp_path / "cut"])


@given(
    st.binary(max_size=300), st.sampled_from([b"", b"\x7fELF\x02\x01\x01", made.package(b"")[:40], made.BL31, made.OPENSBI]), st.integers()
)
def test_any_bytes_are_told_or_refused(tail: bytes, head: bytes, seed: int) -> None:
    data = bytearray(head + tail)
    if data:
        data[random.Random(seed).randrange(len(data))] ^= 0xFF
    try:
        assert identified(bytes(data)).kind in FileKind
    except LatlabError as error:
        assert "\n" not in str(error)


def test_the_subject_file_that_is_written_says_the_same_subject(tmp_path: Path) -> None:
    named = tmp_path / 'odd "name" \\ ä'
    named.mkdir()
    found = looked(named, one=made.package(made.BL31 + made.FOR_VIRT), two=made.BL1)
    assert found.subject
    (tmp_path / "s.toml").write_text(rendered(found.subject, tmp_path))
    assert load_subject(tmp_path / "s.toml") == found.subject
    elsewhere = tmp_path / "else"
    elsewhere.mkdir()
    (elsewhere / "s.toml").write_text(rendered(found.subject, elsewhere))
    assert load_subject(elsewhere / "s.toml") == found.subject


def test_the_subject_file_and_its_images_are_found_in_the_checkout_of_another_machine(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "build").mkdir(parents=True)
    found = looked(here / "build", one=made.package(made.BL31 + made.FOR_VIRT), two=made.BL1)
    assert found.subject
    (here / "s.toml").write_text(rendered(found.subject, here))
    here.rename(there)
    moved = load_subject(there / "s.toml")
    assert placed(moved) == moved and [image.file.parent for image in moved.images] == [there / "build"] * 2
