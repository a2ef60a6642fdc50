# SPDX-License-Identifier: BSD-3-Clause
import base64
import gzip
import hashlib
from pathlib import Path
from typing import Any

import fdt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.errors import DataError, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.readers.device_tree import read_tree
from latlab.core.targets.linux.machine import Here
from latlab.rt.campaign.workloads import cpus_of
from latlab.rt.readers.guest_frames import read_frames
from latlab.rt.targets.guest.guest import Chosen, GuestMachine, check_machine, find_firmware, patch
from latlab.rt.targets.linux import Survey, check_survey, notes
from latlab.rt.targets.rt_job import Instrument, Workload, guest_script, script


def _framed(name: str, data: bytes) -> list[bytes]:
    text = base64.b64encode(gzip.compress(data, mtime=0))
    lines = [f"<LLG1:FILE name={name} bytes={len(data)} sha256={hashlib.sha256(data).hexdigest()}>".encode()]
    lines += [b"<LLG1:DATA " + text[i : i + 60] + b">" for i in range(0, len(text), 60)]
    return [*lines, f"<LLG1:END name={name}>".encode()]


@given(st.dictionaries(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.binary(max_size=300), max_size=3), st.data())
def test_files_come_back_whatever_else_the_console_says(files: dict[str, bytes], data: st.DataObject) -> None:
    lines = [line for name, content in files.items() for line in _framed(name, content)]
    noisy = [
        part
        for line in lines
        for part in (b"[ 1.0] kernel: noise < >", b"12:00:01 board| " + line + b"\r\n")
        if data.draw(st.booleans()) or b"LLG1" in part
    ]
    read = read_frames([*noisy, b"<LLG1:DONE status=0>"])
    assert (read.files, read.status, read.problems) == (files, 0, ())


def test_a_console_that_ends_inside_a_file_names_it_and_keeps_the_others() -> None:
    lines = [*_framed("a", b"1"), *_framed("b", b"2")[:-1]]
    read = read_frames(lines)
    assert read.files == {"a": b"1"} and read.status is None
    assert "inside the file b" in read.problems[0].message


def test_a_flipped_bit_costs_its_file_only() -> None:
    lines = [*_framed("a", b"x" * 100), *_framed("b", b"2")]
    lines[1] = lines[1].replace(b"A", b"B", 1)
    read = read_frames(lines)
    assert read.files == {"b": b"2"} and "a" in read.problems[0].message


@pytest.mark.parametrize(
    ("at", "line", "said"),
    [
        (1, b"<LLG1:DATA H4sI\xb5AAA>", "is not base64"),
        (0, b"<LLG1:FILE name=a bytes=" + 5000 * b"9" + b" sha256=0>", "without a name or a size"),
    ],
)
def test_a_damaged_line_is_named_whatever_bytes_it_holds(at: int, line: bytes, said: str) -> None:
    lines = _framed("a", b"1")
    read = read_frames([*lines[:at], line, *lines[at + 1 :], *_framed("b", b"2"), b"<LLG1:DONE status=" + 5000 * b"1" + b">"])
    assert (read.files, read.status) == ({"b": b"2"}, None)
    assert read.problems[0].line == at + 1 and said in read.problems[0].message


def _tree() -> bytes:
    tree = fdt.FDT()
    tree.add_item(fdt.Node("chosen"), "/")
    return bytes(tree.to_dtb(17))


def test_linux_gets_its_arguments_and_its_initrd() -> None:
    tree = read_tree(patch(_tree(), Chosen("quiet", 0x1_6800_0000, 0x1000)))
    assert tree.get_property("bootargs", "/chosen").value == "quiet"
    assert tree.get_property("linux,initrd-end", "/chosen").data == [1, 0x6800_1000]


def test_several_cpus_on_the_instruction_clock_are_refused() -> None:
    with pytest.raises(UsageError, match="4 vCPUs on the instruction clock"):
        check_machine(GuestMachine(cores=4))
    check_machine(GuestMachine(cores=4, mode=Mode.MULTI_THREAD))


@pytest.mark.parametrize("more", [{"hold_firmware": True}, {"firmware": Path("build")}, {"idle_states": True}])
def test_what_only_our_firmware_can_do_is_refused_where_edk2_runs(more: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"--efi boots EDK2 without EL3.*leave out --firmware, --hold and --idle-states"):
        check_machine(GuestMachine(efi=True, **more))


def test_missing_firmware_is_named_with_the_command_that_builds_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"qemu_virt-hold.*make qemu_virt-hold"):
        find_firmware(GuestMachine(hold_firmware=True, firmware=tmp_path))


def test_a_damaged_image_is_refused_and_the_next_step_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from latlab.rt.targets.guest import guest_image

    monkeypatch.setattr(guest_image, "cache_folder", lambda: tmp_path)
    folder = tmp_path / "guest" / guest_image._source_stamp()
    folder.mkdir(parents=True)
    (folder / "Image").write_bytes(b"kernel")
    (folder / "initrd.gz").write_bytes(b"initrd")
    (folder / "image.json").write_text('{"kernel_release": "6.1", "smc_module": true, "sha256": {"Image": "0", "initrd.gz": "0"}}')
    with pytest.raises(DataError, match="latlab guest build --rebuild"):
        guest_image.guest_image()
    (folder / "image.json").write_text("{")
    with pytest.raises(DataError, match="latlab guest build --rebuild"):
        guest_image.guest_image()


def test_the_default_workload_is_the_published_one() -> None:
    workload = Workload(21600)
    assert workload.load_command == "stress-ng --cpu-method=all -c 4"
    assert workload.cyclictest == "cyclictest -m -Sp80 -D21600 -h400 -i200 -M -q"


def test_both_tools_measure_the_cpus_that_were_asked_for() -> None:
    workload = Workload(1, affinity=cpus_of("3,1-2", None))
    assert "-t3 -a3,1,2 -p80" in workload.cyclictest and "-a 3,1,2" in workload.recorder("recorder")
    assert cpus_of("", 2) == (0, 1) and cpus_of("4-7", 2) == (4, 5) and cpus_of("", None) == ()


@pytest.mark.parametrize(("affinity", "threads"), [("x", None), ("2-1", None), ("1-", None), ("0", 2), ("", 0), ("0-99999", None)])
def test_cpus_that_cannot_be_meant_are_refused(affinity: str, threads: int | None) -> None:
    with pytest.raises(UsageError, match=r"--affinity|--threads"):
        cpus_of(affinity, threads)


@pytest.mark.parametrize("instrument", list(Instrument))
def test_only_the_wanted_instruments_are_started(instrument: Instrument) -> None:
    text = guest_script(Workload(1, instrument=instrument))
    assert ("cyclictest" in text) == (instrument in (Instrument.BOTH, Instrument.CYCLICTEST))
    assert ("latlab-recorder" in text) == (instrument in (Instrument.BOTH, Instrument.RECORDER))
    assert ("rtla timerlat" in text) == (instrument is Instrument.TIMERLAT)


@pytest.mark.parametrize("causes", [True, False])
def test_with_causes_the_recorder_measures_first(causes: bool) -> None:
    workload = Workload(1, causes=causes)
    for text in (guest_script(workload), "\n".join(workload.commands)):
        assert (text.index("latlab-recorder -o") < text.index("cyclictest -m")) == causes


def test_a_job_that_is_stopped_leaves_no_load_behind(tmp_path: Path) -> None:
    import signal
    import subprocess
    import time

    workload = Workload(600, "idle", Instrument.RECORDER)
    text = f"OUT={tmp_path}\n" + script(workload, "/bin/echo").replace(
        "run /bin/echo", f"setsid sleep 987 & load=$!; echo $load >{tmp_path}/load\nrun sleep 987 #"
    )
    process = subprocess.Popen(["sh", "-c", text])
    while not (tmp_path / "load").exists() or not (tmp_path / "load").read_text().strip():
        time.sleep(0.02)
    load = int((tmp_path / "load").read_text())
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 143
    assert not Path(f"/proc/{load}").exists() or Path(f"/proc/{load}/stat").read_text().split()[2] == "Z"


GOOD = {
    "machine": "x86_64", "cyclictest": "/usr/bin/cyclictest", "stress-ng": "/usr/bin/stress-ng", "fifo": "yes", "dma_latency": "yes",
    "rt_runtime_us": "950000", "hypervisor": "none", "realtime": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("cyclictest", "lacks cyclictest; install the package rt-tests there"),
        ("stress-ng", "lacks stress-ng; install the package stress-ng there"),
        ("fifo", "lacks the right to real-time priority 80; run as root"),
    ],
)
def test_what_is_missing_is_said_before_anything_starts(missing: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check_survey(Here(), Survey({**GOOD, missing: ""}), Workload(1))


def test_an_ordinary_kernel_is_noted() -> None:
    assert any("not PREEMPT_RT" in note for note in notes(Survey(GOOD)))


@pytest.mark.parametrize(("said", "virtual"), [("none", False), ("", False), ("kvm", True), ("yes", True)])
def test_a_hypervisor_is_recognised(said: str, virtual: bool) -> None:
    assert Survey({"hypervisor": said}).is_virtual is virtual
