# SPDX-License-Identifier: BSD-3-Clause
"""A subject of the psa campaign: its TOML file, and what the program is told."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.targets.qemu.qemu import Qemu
from latlab.psa.targets import psa_params
from latlab.psa.targets.psa_params import HEADER_WORDS, Shots, parameters_of, placed_program, write_program
from latlab.psa.targets.psa_subject import CallKind, PsaSubject, command_line, load_psa_subject
from support.import_library import import_library

QEMU = Qemu(Path("/usr/bin/qemu-system-arm"), (10, 0, 2))
VENEERS = {"framework_version": 0x240, "version": 0x248, "call": 0x260}
HEAD = '[[image]]\nfile = "s.elf"\n[veneers]\nfile = "veneers.o"\n'
CALL = '[[call]]\nname = "get"\nhandle = 0x40000102\ntype = 1002\nin = ["0900", 3]\nout = [16]\nexpect = -140\n'
CONNECTED = '[[call]]\nname = "echo"\nsid = 0xf100\nversion = 2\n'


def written(folder: Path, text: str) -> Path:
    (folder / "s.elf").touch()
    (folder / "veneers.o").write_bytes(import_library({f"tfm_psa_{name}_veneer": address for name, address in VENEERS.items()}))
    path = folder / "tf-m.toml"
    path.write_text(text)
    return path


def loaded(folder: Path, text: str = HEAD) -> PsaSubject:
    return load_psa_subject(written(folder, text))


def test_a_subject_of_tf_m_needs_its_image_and_its_veneers_alone(tmp_path: Path) -> None:
    subject = loaded(tmp_path)
    assert (subject.name, subject.machine, subject.code, subject.ram) == ("tf-m", "mps2-an521", 0x100000, 0x28100000)
    assert subject.veneers == (0x241, 0x249, 0, 0x261, 0)
    assert subject.mark_address == 0x244
    assert [call.name for call in subject.calls] == ["nothing", "framework_version", "version", "refused"]
    words = command_line(QEMU, subject, tmp_path, 0x20)
    assert words[words.index("-kernel") + 1] == str(tmp_path / "s.elf")
    assert f"loader,file={tmp_path}/program.bin,addr=0x100000,force-raw=on" in words
    assert f"loader,file={tmp_path}/parameters.bin,addr=0x28100000,force-raw=on" in words


def test_an_image_without_an_elf_header_goes_where_the_file_says(tmp_path: Path) -> None:
    subject = loaded(tmp_path, HEAD.replace('file = "s.elf"', 'file = "s.elf"\naddress = 0x10000000'))
    words = command_line(QEMU, subject, tmp_path, 0)
    assert "-kernel" not in words
    assert f"loader,file={tmp_path}/s.elf,addr=0x10000000,force-raw=on" in words


def test_a_call_on_a_connection_brings_connect_and_close_with_it(tmp_path: Path) -> None:
    calls = {call.name: call for call in loaded(tmp_path, HEAD + CALL + CONNECTED).calls}
    assert [calls[name].kind for name in ("connect", "close", "echo")] == [CallKind.CONNECT, CallKind.CLOSE, CallKind.ON_CONNECTION]
    assert (calls["connect"].service, calls["connect"].version) == (0xF100, 2)
    assert (calls["get"].kind, calls["get"].inputs, calls["get"].outputs) == (CallKind.ON_HANDLE, (b"\x09\x00", b"\x00\x07\x0e"), (16,))


def test_a_call_says_that_it_needs_another_before_it(tmp_path: Path) -> None:
    assert [call.is_alone for call in loaded(tmp_path, HEAD + CALL + CALL.replace("get", "put") + "alone = false\n").calls[-2:]] == [
        True,
        False,
    ]


def test_the_program_is_told_each_call_its_bytes_and_its_interrupts(tmp_path: Path) -> None:
    subject = loaded(tmp_path, HEAD + CALL)
    data = parameters_of(subject, 20, 0xE0, {"get": Shots(1, 2, 300)})
    head = struct.unpack_from(f"<{HEADER_WORDS}I", data)
    assert head == (0x3150434C, len(data), 0x40200000, 20, 0xE0, 0x241, 0x249, 0, 0x261, 0, len(subject.calls))
    row = struct.unpack_from("<4Ii17I", data, 4 * HEADER_WORDS + 88 * 4)
    control = 1002 | 2 << 24 | 1 << 16
    assert row[:7] == (5, 0x40000102, 1, control, -140, 2, 1)
    first, second = row[7:9]
    assert (data[first : first + 2], data[second : second + 3]) == (b"\x09\x00", b"\x00\x07\x0e")
    assert first % 8 == second % 8 == 0
    assert (row[11:15], row[15:19], row[19:]) == ((2, 3, 0, 0), (16, 0, 0, 0), (1, 2, 300))


def test_the_words_of_the_program_that_are_addresses_are_those_of_the_subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psa_params, "flat_program", lambda path: struct.pack("<9I", 0, 0x21, 0, 0, 0, 0, 0, 0, 7))
    words = struct.unpack("<9I", placed_program(tmp_path, loaded(tmp_path)))
    assert words == (0x28200000, 0x100021, 0, 0, 0, 0, 0, 0x28100000, 7)


def test_more_bytes_than_the_memory_has_are_refused(tmp_path: Path) -> None:
    text = HEAD + "[non_secure]\nram_bytes = 0x8000\n" + CALL.replace("[16]", "[20000]")
    with pytest.raises(UsageError, match="bytes of non-secure memory, tf-m has 32768; send less"):
        write_program(loaded(tmp_path, text), tmp_path, 1, 0, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name =", "not TOML"),
        ('name = "x"', "missing required field `image`"),
        (HEAD + 'color = "red"', "unknown field `color`"),
        (HEAD + '"co\\nlor" = "red"', "unknown field `co\\nlor`"),
        (HEAD.replace('"s.elf"', "3"), "Expected `str`, got `int` - at `$.image[0].file`"),
        ("image = []\n" + HEAD[HEAD.index("[veneers]") :], "it has no [[image]]"),
        ('machine = "mps3"\n' + HEAD, "there are mps2-an521, mps2-an505"),
        (HEAD.replace("s.elf", "missing"), "missing: no such file"),
        (HEAD.replace("veneers.o", "s.elf"), "not an ELF file"),
        (HEAD + 'names = "nsc_{}"\n', "veneers.o has no symbol nsc_framework_version"),
        (HEAD + CALL + CALL, "two calls are named 'get'"),
        (HEAD + CALL.replace('"get"', '"version"'), "two calls are named 'version'"),
        (HEAD + CALL.replace('"get"', '"Get it"'), "small letters, digits and _"),
        (HEAD + CALL + "sid = 1\n", "one of handle = or sid ="),
        (HEAD + '[[call]]\nname = "x"\n', "one of handle = or sid ="),
        (HEAD + CALL.replace("[16]", "[1, 2, 3]"), "more than 4 vectors"),
        (HEAD + CALL.replace("[16]", "[-1]"), "an output of -1 bytes"),
        (HEAD + CALL.replace("[16]", "[10073204761]"), "an output of 10073204761 bytes; name 0 to 1048576"),
        (HEAD + CALL.replace(", 3]", ", -3]"), "an input of -3 bytes"),
        (HEAD + CALL.replace("-140", "0x80000000"), "`int` <= 2147483647"),
        (HEAD + CALL.replace('"0900"', '"09xx"'), "its bytes in hexadecimal"),
    ],
)
def test_a_wrong_subject_is_refused_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(LatlabError) as caught:
        loaded(tmp_path, text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
