# SPDX-License-Identifier: BSD-3-Clause
"""A boot of the guest over an emulator that is made up: what it is given, and what is made of how it ends."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import sys
from pathlib import Path

import fdt
import pytest

from latlab.core.errors import LatlabError, NotBuilt, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.readers.device_tree import read_tree
from latlab.core.targets.process.console import Limits, MachineEnd
from latlab.core.targets.qemu.qemu import Qemu
from latlab.rt.targets.guest import guest
from latlab.rt.targets.guest.checkpoints import SHARED
from latlab.rt.targets.guest.guest import GuestMachine, GuestRun, check_firmware, find_firmware, phase_of, run_guest
from latlab.rt.targets.guest.guest_image import GuestImage
from support.initramfs import members

EMULATOR = r"""#!{python}
import json, os, re, sys, time
from pathlib import Path
place = Path(__file__).parent
words = " ".join(sys.argv[1:])
dump = re.search(r"dumpdtb=([^,\s]+)", words)
if dump:
    print("what it says", file=sys.stderr)
    if (place / "tree").is_file():
        Path(dump[1]).write_bytes((place / "tree").read_bytes())
    sys.exit(0)
(place / "words").write_text(json.dumps(sys.argv[1:]))
shared = re.search(r"mem-path=([^,\s]+)", words)[1]
(place / "shared").write_text(str(os.stat(shared).st_size))
(place / "initrd").write_bytes(Path(re.search(r"(?:loader,file=|-initrd )([^,\s]*initrd)", words)[1]).read_bytes())
if "-dtb" in sys.argv:
    (place / "guest.dtb").write_bytes(Path(sys.argv[sys.argv.index("-dtb") + 1]).read_bytes())
variables = re.search(r"unit=1,format=raw,file=([^,\s]+)", words)
if variables:
    (place / "variables").write_text(str(os.stat(variables[1]).st_size))
secure = [word for word in sys.argv if word.startswith("file:")]
Path(secure[0].removeprefix("file:")).write_text("latlab EL3 firmware: x\n")
sys.stdout.buffer.write((place / "console").read_bytes())
sys.stdout.buffer.flush()
time.sleep(float((place / "then").read_text()))
"""


class Emulator:
    """A program in a folder, which says what is in the file `console` and ends after the seconds in `then`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "qemu-system-aarch64"
        self.path.write_text(EMULATOR.replace("{python}", sys.executable))
        self.path.chmod(0o755)
        tree = fdt.FDT()
        tree.add_item(fdt.Node("chosen"), "/")
        (folder / "tree").write_bytes(tree.to_dtb(17))
        self.says([b"<LLG1:DONE status=0>"])

    def says(self, lines: list[bytes], then_s: float = 0) -> None:
        (self.folder / "console").write_bytes(b"".join(line + b"\r\n" for line in lines))
        (self.folder / "then").write_text(str(then_s))

    @property
    def words(self) -> list[str]:
        return list(json.loads((self.folder / "words").read_text()))

    def after(self, option: str) -> list[str]:
        return [value for name, value in zip(self.words, self.words[1:], strict=False) if name == option]


@pytest.fixture(name="emulator")
def fixture_emulator(tmp_path: Path) -> Emulator:
    folder = tmp_path / "emulator"
    folder.mkdir()
    return Emulator(folder)


@pytest.fixture(name="image")
def fixture_image(tmp_path: Path) -> GuestImage:
    (tmp_path / "image").mkdir()
    (tmp_path / "image" / "Image").write_bytes(b"kernel")
    (tmp_path / "image" / "initrd.gz").write_bytes(b"12345")
    return GuestImage(tmp_path / "image", "6.1", True)


@pytest.fixture(name="firmware")
def fixture_firmware(tmp_path: Path) -> Path:
    (tmp_path / "firmware").mkdir()
    (tmp_path / "firmware" / "firmware.bin").write_bytes(b"firmware")
    return tmp_path / "firmware"


def booted(emulator: Emulator, image: GuestImage, machine: GuestMachine, **more: object) -> GuestRun:
    qemu = Qemu(emulator.path, (10, 0, 2))
    return run_guest(qemu, machine, image, "echo job", Limits(60.0, 30.0), **more)  # type: ignore[arg-type]


def framed(name: str, data: bytes) -> list[bytes]:
    text = base64.b64encode(gzip.compress(data, mtime=0))
    head = f"<LLG1:FILE name={name} bytes={len(data)} sha256={hashlib.sha256(data).hexdigest()}>".encode()
    return [head, b"<LLG1:DATA " + text + b">", f"<LLG1:END name={name}>".encode()]


def test_above_a_built_secure_world_the_kernel_lies_where_its_boot_loader_jumps_to(
    emulator: Emulator, image: GuestImage, firmware: Path
) -> None:
    said = {"tf_a": "2.12.1", "optee": "4.10.0", "kernel_address": 0x60200000, "offers_rng": True, "options": [["NS_TIMER_SWITCH", "1"]]}
    (firmware / "secure-world.json").write_text(json.dumps(said))
    booted(emulator, image, GuestMachine(firmware=firmware))
    kernel, _ = [value for value in emulator.after("-device") if value.startswith("loader")]
    assert str(image.kernel) in kernel and "addr=0x60200000" in kernel


def test_the_machine_has_the_kernel_the_job_and_the_shared_memory(
    emulator: Emulator, image: GuestImage, firmware: Path, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    done = booted(emulator, image, GuestMachine(cores=1, firmware=firmware, cpu="cortex-a53"), folder=work)
    assert done.command == (str(emulator.path), *emulator.words)
    assert (emulator.after("-cpu"), emulator.after("-smp"), emulator.after("-m")) == (["cortex-a53"], ["1"], ["1024"])
    assert emulator.after("-bios") == [str(firmware / "firmware.bin")]
    assert emulator.after("-M") == ["virt,secure=on,gic-version=3,acpi=off,dtb-randomness=off"]
    assert (emulator.after("-nic"), emulator.after("-display"), emulator.after("-monitor")) == (["none"], ["none"], ["none"])
    assert emulator.after("-icount") == ["shift=1,sleep=off"] and emulator.after("-rtc") == ["base=2026-01-01T00:00:00,clock=vm"]
    kernel, initrd = [value for value in emulator.after("-device") if value.startswith("loader")]
    assert str(image.kernel) in kernel and "addr=0x60000000" in kernel
    assert str(work / "initrd") in initrd and "addr=0x68000000" in initrd
    assert "ivshmem-plain,memdev=shared" in emulator.after("-device")
    assert emulator.after("-object") == [f"memory-backend-file,id=shared,size={16 << 20},mem-path={work / SHARED},share=on"]
    assert (emulator.folder / "shared").read_text() == str(16 << 20)
    assert emulator.words[-1] == "-no-reboot"


def test_edk2_starts_the_kernel_on_a_machine_without_el3_and_has_an_empty_flash_for_its_variables(
    emulator: Emulator, image: GuestImage, tmp_path: Path
) -> None:
    booted(emulator, image, GuestMachine(efi=True))
    assert emulator.after("-bios") == [str(tmp_path / "image" / "edk2.fd")]
    assert emulator.after("-M") == ["virt,gic-version=3,acpi=off"]
    assert emulator.after("-kernel") == [str(image.kernel)] and not [one for one in emulator.after("-device") if "loader" in one]
    (arguments,) = emulator.after("-append")
    assert {"efi=runtime", "rdinit=/init", "cpuidle.off=1", "randomize_kstack_offset=on"} <= set(arguments.split())
    assert (emulator.folder / "variables").read_text() == str(64 << 20)
    assert emulator.after("-icount") == ["shift=1,sleep=off"]


def test_without_the_instruction_clock_time_is_the_host_s(emulator: Emulator, image: GuestImage, firmware: Path) -> None:
    booted(emulator, image, GuestMachine(cores=4, mode=Mode.MULTI_THREAD, firmware=firmware))
    assert emulator.after("-smp") == ["4"] and emulator.after("-rtc") == []
    assert "-icount" not in emulator.words


def test_the_job_follows_the_image_in_the_initramfs(emulator: Emulator, image: GuestImage, firmware: Path) -> None:
    booted(emulator, image, GuestMachine(firmware=firmware))
    initrd = (emulator.folder / "initrd").read_bytes()
    assert initrd.startswith(b"12345\0\0\0")
    assert members(initrd[initrd.index(b"070701") :])["job"].data == b"echo job"
    assert initrd.index(b"070701") % 4 == 0


@pytest.mark.parametrize(("idle", "random"), [(False, True), (True, False)])
def test_the_kernel_is_told_where_its_initramfs_lies_and_what_it_may_do(
    idle: bool, random: bool, emulator: Emulator, image: GuestImage, firmware: Path
) -> None:
    booted(emulator, image, GuestMachine(idle_states=idle, kstack_randomised=random, firmware=firmware))
    tree = read_tree((emulator.folder / "guest.dtb").read_bytes())
    arguments = tree.get_property("bootargs", "/chosen").value.split()
    assert {"console=ttyAMA0", "rdinit=/init", "panic=-1", "nokaslr", "quiet", "loglevel=4"} <= set(arguments)
    assert f"randomize_kstack_offset={'on' if random else 'off'}" in arguments
    assert ("cpuidle.off=1" in arguments) is not idle
    begin, end = (tree.get_property(f"linux,initrd-{name}", "/chosen").data[-1] for name in ("start", "end"))
    assert (begin, end - begin) == (0x6800_0000, (emulator.folder / "initrd").stat().st_size)


def test_what_the_job_left_comes_back_and_every_line_is_shown(emulator: Emulator, image: GuestImage, firmware: Path) -> None:
    lines = [b"booting", *framed("a", b"result"), b"<LLG1:DONE status=3>"]
    emulator.says(lines)
    seen: list[bytes] = []
    done = booted(emulator, image, GuestMachine(firmware=firmware), watch=seen.append)
    assert (done.output.files, done.output.status, done.outcome.end, done.outcome.sentence) == ({"a": b"result"}, 3, MachineEnd.EXIT, "")
    assert [line.strip() for line in seen] == lines and done.console == b"".join(seen)
    assert (done.secure, done.stderr) == (b"latlab EL3 firmware: x\n", b"")


def test_a_kernel_that_panics_is_ended_with_its_own_words(emulator: Emulator, image: GuestImage, firmware: Path) -> None:
    emulator.says([b"[ 1.0] Kernel panic - not syncing: no init"], then_s=60)
    done = booted(emulator, image, GuestMachine(firmware=firmware))
    assert done.outcome.end is not MachineEnd.EXIT
    assert done.outcome.sentence == "the guest's kernel panicked: [ 1.0] Kernel panic - not syncing: no init"


def test_a_guest_that_goes_down_before_its_job_has_ended_is_told(emulator: Emulator, image: GuestImage, firmware: Path) -> None:
    emulator.says([b"one", b"two"])
    done = booted(emulator, image, GuestMachine(firmware=firmware))
    assert done.outcome.end is MachineEnd.DEATH
    assert done.outcome.sentence == "the guest stopped or reset before its job ended, after 2 lines of console"


def test_an_emulator_that_gives_no_tree_is_told_with_what_it_said(emulator: Emulator, image: GuestImage, firmware: Path) -> None:
    (emulator.folder / "tree").unlink()
    with pytest.raises(LatlabError, match=r"gave no device tree: what it says; `latlab doctor` says which QEMU is needed"):
        booted(emulator, image, GuestMachine(firmware=firmware))


def test_the_phase_is_what_the_job_says_that_it_does() -> None:
    assert phase_of(b"<LLG1:PHASE name=hotplug:3/7>\r\n") == "hotplug:3/7"
    assert phase_of(b"PHASE name=x") == "" and phase_of(b"<LLG1:DONE status=0>") == ""


def test_the_firmware_is_found_in_the_named_folder_or_in_the_build_s_own_below_it(firmware: Path) -> None:
    assert find_firmware(GuestMachine(firmware=firmware)) == firmware
    for name, hold in (("qemu_virt", False), ("qemu_virt-hold", True)):
        (firmware / name).mkdir()
        (firmware / name / "firmware.bin").touch()
        assert find_firmware(GuestMachine(firmware=firmware, hold_firmware=hold)) == firmware / name


def test_firmware_that_is_missing_is_one_that_a_checkout_can_build_unless_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest, "search_folders", lambda: (tmp_path / "build", tmp_path / "package"))
    with pytest.raises(NotBuilt, match=r"no firmware\.bin in") as missing:
        check_firmware(GuestMachine(hold_firmware=True))
    assert missing.value.target == "qemu_virt-hold"
    with pytest.raises(UsageError, match=r"no firmware\.bin in") as named:
        check_firmware(GuestMachine(firmware=tmp_path / "named"))
    assert not isinstance(named.value, NotBuilt)
    check_firmware(GuestMachine(efi=True))
