# SPDX-License-Identifier: BSD-3-Clause
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.calls.targets.subject import command_line, find_program, flash_of, load_subject, own_subject, placed, subject_of_file
from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.targets.qemu.probe import refusal, with_probe
from latlab.core.targets.qemu.qemu import Qemu

QEMU = Qemu(Path("/usr/bin/qemu-system-aarch64"), (10, 0, 2))


def written(folder: Path, text: str, *files: str) -> Path:
    for name in files:
        (folder / name).write_bytes(name.encode())
    path = folder / "subject.toml"
    path.write_text(text)
    return path


def test_a_subject_names_its_images_beside_itself(tmp_path: Path) -> None:
    head = 'name = "TF-A"\ncores = 2\nsymbols = ["bl31.elf"]\n'
    text = head + '[[image]]\nfile = "bl1.bin"\nflash = 0\n[[image]]\nfile = "rom"\naddress = 0x1000\n'
    subject = load_subject(written(tmp_path, text, "bl1.bin", "rom"))
    assert (subject.name, subject.cores, subject.board.name, subject.symbols) == ("TF-A", 2, "virt", (tmp_path / "bl31.elf",))
    words = command_line(QEMU, subject, Path("/x/psci_calls.elf"), 7, tmp_path)
    assert f"loader,file={tmp_path}/rom,addr=0x1000,force-raw=on" in words
    assert "loader,file=/x/psci_calls.elf" in words
    assert "loader,addr=0x5fff0008,data=0x7,data-len=8" in words
    assert words[words.index("-smp") + 1] == "2"
    assert (tmp_path / "flash.bin").read_bytes() == b"bl1.bin"


def test_a_program_is_told_its_seed_and_its_flags(tmp_path: Path) -> None:
    subject = load_subject(written(tmp_path, 'cores_stay_on = true\n[[image]]\nfile = "a"\nflash = 0', "a"))
    words = command_line(QEMU, subject, Path("/x/psci_differ.elf"), 7, tmp_path, seed=0x12, flags=4)
    assert "loader,addr=0x5fff0010,data=0x12,data-len=8" in words
    assert "loader,addr=0x5fff0028,data=0x5,data-len=8" in words


def test_images_of_one_flash_stand_at_their_offsets(tmp_path: Path) -> None:
    text = '[[image]]\nfile = "b"\nflash = 4\n[[image]]\nfile = "a"\nflash = 0\n'
    assert flash_of(load_subject(written(tmp_path, text, "a", "b")), Path("x")) == b"a\xff\xff\xffb"


def test_images_that_overlap_are_refused(tmp_path: Path) -> None:
    text = '[[image]]\nfile = "long"\nflash = 0\n[[image]]\nfile = "b"\nflash = 2\n'
    with pytest.raises(DataError, match=r"b: at 0x2 of the flash it overlaps the image that ends at 0x4"):
        flash_of(load_subject(written(tmp_path, text, "long", "b")), Path("x"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name =", "not TOML"),
        ('name = "x"', "missing required field `image`"),
        ("image = []", "Expected `array` of length >= 1"),
        ('color = 1\n[[image]]\nfile = "a"\nflash = 0', "unknown field `color`"),
        ('machine = "sbsa"\n[[image]]\nfile = "a"\nflash = 0', "there are virt, raspi4b, sbsa-ref"),
        ('cores = 99\n[[image]]\nfile = "a"\nflash = 0', "cores = 99"),
        ('machine = "sbsa-ref"\ncores = 17\n[[image]]\nfile = "a"\nflash = 0', "1 to 16 on sbsa-ref"),
        ('takes_turns = 1\n[[image]]\nfile = "a"\nflash = 0', "Expected `bool | null`, got `int` - at `$.takes_turns`"),
        ('name = 3\n[[image]]\nfile = "a"\nflash = 0', "got `int` - at `$.name`"),
        ('symbols = "x"\n[[image]]\nfile = "a"\nflash = 0', "Expected `array`, got `str` - at `$.symbols`"),
        ('[[image]]\nfile = "a"', "flash = OFFSET or address = ADDRESS"),
        ('[[image]]\nfile = "a"\nflash = 0\naddress = 0', "flash = OFFSET or address = ADDRESS"),
        ('[[image]]\nfile = "a"\nflash = "0"', "got `str` - at `$.image[0].flash`"),
        ('[[image]]\nfile = "a"\nflash = -1', "at `$.image[0].flash`"),
        ('cores = true\n[[image]]\nfile = "a"\nflash = 0', "got `bool` - at `$.cores`"),
        ('cpu = 5\n[[image]]\nfile = "a"\nflash = 0', "got `int` - at `$.cpu`"),
        ('cpu = "max\\n"\n[[image]]\nfile = "a"\nflash = 0', "at `$.cpu`"),
        ('[[image]]\nfile = "a"\nflash = 0\npayload = "bl2"', "Invalid enum value 'bl2' - at `$.image[0].payload`"),
        ('[[image]]\nfile = "missing"\nflash = 0', "missing: no such file"),
        ('[[image]]\nfiles = "a"\nflash = 0', "unknown field `files`"),
    ],
)
def test_a_wrong_subject_is_refused_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(LatlabError) as caught:
        placed(load_subject(written(tmp_path, text, "a")))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_files_of_a_subject_can_stand_in_another_folder_than_its_own(tmp_path: Path) -> None:
    text = 'symbols = ["out/fw.elf"]\n[[image]]\nfile = "out/fw.bin"\nflash = 0\n[[image]]\nfile = "/rom"\naddress = 0\n'
    found = load_subject(written(tmp_path, text), Path("ci"))
    assert [image.file for image in found.images] == [Path("ci/out/fw.bin"), Path("/rom")]
    tree = tmp_path / "tree"
    (tree / "ci/out").mkdir(parents=True)
    (tree / "ci/out/fw.bin").write_bytes(b"code")
    one = placed(replace(found, images=found.images[:1]), tree)
    assert (one.images[0].file, one.symbols) == (tree / "ci/out/fw.bin", (tree / "ci/out/fw.elf",))


def test_a_file_goes_where_its_machine_starts(tmp_path: Path) -> None:
    (tmp_path / "bl31.bin").write_bytes(b"x")
    (image,) = subject_of_file(tmp_path / "bl31.bin", "raspi4b").images
    assert (image.address, image.flash) == (0, None)
    with pytest.raises(UsageError, match="virt, raspi4b"):
        subject_of_file(tmp_path / "bl31.bin", "juno")


def test_what_a_machines_usual_firmware_cannot_do_another_may(tmp_path: Path) -> None:
    image = '[[image]]\nfile = "a"\naddress = 0\n'
    usual = load_subject(written(tmp_path, f'machine = "raspi4b"\n{image}', "a"))
    other = load_subject(written(tmp_path, f'machine = "raspi4b"\ncores_stay_on = false\ntakes_turns = true\n{image}', "a"))
    assert (usual.cores_stay_on, usual.is_deterministic) == (True, False)
    assert (other.cores_stay_on, other.is_deterministic) == (False, True)
    usual_words, other_words = (command_line(QEMU, each, Path("/x/p.elf"), 1, tmp_path) for each in (usual, other))
    assert "tcg,thread=multi" in usual_words and "loader,addr=0x1fff0028,data=0x1,data-len=8" in usual_words
    assert "shift=4,sleep=off" in other_words and "loader,addr=0x1fff0028,data=0x0,data-len=8" in other_words


def test_our_own_firmware_is_found_by_the_name_of_its_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latlab.calls.targets.subject.search_folders", lambda: (tmp_path,))
    with pytest.raises(UsageError, match=r"raspi4/firmware\.bin is in none of .*make raspi4"):
        own_subject("raspi4b")
    (tmp_path / "raspi4").mkdir()
    for name in ("firmware.bin", "firmware.elf", "psci_calls_raspi4b.elf"):
        (tmp_path / "raspi4" / name).write_bytes(b"x")
    subject = own_subject("raspi4b")
    assert (subject.name, subject.cores_stay_on, subject.is_deterministic) == ("raspi4", False, True)
    assert subject.symbols == (tmp_path / "raspi4/firmware.elf",)
    assert find_program(subject.board) == tmp_path / "raspi4/psci_calls_raspi4b.elf"


def an_elf(path: Path, entry: int) -> Path:
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, entry, 0, 0, 0, 64, 56, 0, 64, 0, 0)
    path.write_bytes(head)
    return path


def test_where_firmware_enters_flash_a_jump_to_the_program_stands_there(tmp_path: Path) -> None:
    image = '[[image]]\nfile = "a"\nflash = 0\n'
    program = an_elf(tmp_path / "p.elf", 0x1_0020_0040)
    words = command_line(QEMU, load_subject(written(tmp_path, f'machine = "sbsa-ref"\n{image}', "a")), program, 1, tmp_path)
    assert f"loader,file={program}" in words
    assert f"loader,file={tmp_path}/jump.bin,addr=0x10000000,force-raw=on" in words
    assert "loader,addr=0x1001fff0000,data=0x4c41544c41420001,data-len=8" in words
    assert (tmp_path / "jump.bin").read_bytes() == bytes.fromhex("44000058 80001fd6") + (0x1_0020_0040).to_bytes(8, "little")
    assert words[words.index("-global") + 1] == "bochs-display.romfile="


def test_commas_in_paths_reach_qemu_doubled() -> None:
    assert with_probe(("qemu",), Path("/a,b/p.so"), Path("/c,d"), True)[-1] == "/a,,b/p.so,out=/c,,d,functions=on"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("latlab probe: there is nowhere to write to; give out=FILE", "the probe: there is nowhere to write to"),
        ("qemu: Could not load plugin x.so: plugin requires API version 4, but this QEMU supports only up to version 1", "version 1"),
        (
            "qemu: Could not load plugin x.so: plugin requires API version 4, but this QEMU supports only a minimum version of 6",
            "version 6",
        ),
        ("qemu-system-aarch64: -plugin: invalid option", "built without plugins"),
        ("qemu-system-aarch64: -plugin x.so: plugin interface not enabled in this build", "built without plugins"),
        ("qemu: Could not load plugin x.so: x.so: undefined symbol: qemu_plugin_scoreboard_find", "older than version 4, it lacks qemu_"),
        ("qemu: Could not load plugin x.so: wrong ELF class", "wrong ELF class"),
    ],
)
def test_what_qemu_says_of_a_plugin_that_it_does_not_take_is_one_sentence(said: str, sentence: str) -> None:
    assert sentence in (refusal(said) or "")


def test_other_words_of_qemu_are_no_refusal() -> None:
    assert refusal("qemu-system-aarch64: warning: icount sleep disabled and no active timers") is None


@pytest.mark.parametrize(("data", "said"), [(b"", "an empty file, 0 bytes"), (b"\x7fELF\2", "an ELF file, which no machine starts")])
def test_an_image_that_cannot_be_code_is_refused_before_the_machine_starts(tmp_path: Path, data: bytes, said: str) -> None:
    image = tmp_path / "bl31.bin"
    image.write_bytes(data)
    with pytest.raises(DataError, match=f"bl31.bin: {said}"):
        placed(subject_of_file(image, "virt"))


DRIVES_GICV3 = bytes.fromhex("bfcc1ed5")  # msr ICC_SRE_EL3, xzr
PACKAGE = '[[image]]\nfile = "fip.bin"\nflash = 0\npayload = "bl33"\n'


@pytest.mark.parametrize(
    ("code", "head", "options"),
    [
        (DRIVES_GICV3, "", "secure=on,gic-version=3"),
        (b"nothing of it", "", "secure=on,gic-version=2"),
        (bytes.fromhex("a8cc3ed5"), "", "secure=on,gic-version=2"),  # mrs x8, ICC_SRE_EL3, as a debug build prints it
        (DRIVES_GICV3, 'options = "secure=on,gic-version=2,mte=on"\n', "secure=on,gic-version=2,mte=on"),
        (DRIVES_GICV3, 'machine = "raspi4b"\n', ""),
    ],
)
def test_the_machine_has_the_interrupt_controller_that_the_packages_code_drives(
    tmp_path: Path, code: bytes, head: str, options: str
) -> None:
    path = written(tmp_path, head + PACKAGE)
    (tmp_path / "fip.bin").write_bytes(b"before" + code + b"behind")
    assert placed(load_subject(path), named_in=path).options == options
