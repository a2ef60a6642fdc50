# SPDX-License-Identifier: BSD-3-Clause
"""The guest's jobs on this machine: its /proc, /sys and /dev are folders of the test's, its modules are files that are copied there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from latlab.rt.targets import steal_job
from latlab.rt.targets.rt_job import Drivers, Instrument, RngNode, Workload, guest_script
from latlab.rt.targets.steal_job import Watch

NO_RNG = Drivers(RngNode.NONE)
WORKLOAD = Workload(1, "idle", Instrument.RECORDER)
SHARED, OTHER = "0x1af4 0x1110", "0x1af4 0x1111"


class Guest:
    """What is written to its console is kept line by line."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for module in ("latlab_el3", "arm_smccc_trng", "tee", "optee", "optee-rng"):
            self.file(f"modules/{module}.ko", "")
        self.file("modules/rings", "core 0.0 cpu=0 next=1 oldest=0\n0 5 1 0\n")
        self.file("proc/kallsyms", "ffff t crng_reseed\n")
        self.file("proc/stat", "cpu 1 2 3 4 5 6 7 8\n")
        self.file("sys/kernel/tracing/trace", "traced\n")
        for folder in ("dev", "out", "sys/kernel/tracing/events/latlab/crng_reseed", "proc/latlab_el3", "tmp"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "proc/latlab_el3").rmdir()
        self.program("insmod", f"echo $1 >>{root}/inserted\n[ -e {root}/foreign ] && exit 1\n" + self.rings())
        self.program("bin/latlab-recorder", f'echo "$@" >{root}/recorder\nsleep 0.2\n')

    def rings(self) -> str:
        place = f"{self.root}/proc/latlab_el3"
        return (
            f"case $1 in *latlab_el3.ko) mkdir {place}; echo known >{place}/info; cp {self.root}/modules/rings {place}/new_records;; esac"
        )

    def file(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str, body: str) -> None:
        self.file(name, f"#!/bin/sh\n{body}\n").chmod(0o755)

    def text(self, name: str) -> str:
        path = self.root / name
        return path.read_text() if path.is_file() else ""

    def run(self, script: str) -> tuple[int, str]:
        """The job's status and what it printed. A file of the kernel's takes every line that is written to it."""
        text = re.sub(r"/(sys|proc|dev|out|bin|tmp)\b(?!/null)", rf"{self.root}/\1", script).replace(
            "-e /modules/", f"-e {self.root}/modules/"
        )
        assert set(re.findall(r"/(?:sys|proc|dev)\b\S*", text.replace(f"{self.root}/", ""))) <= {"/dev/null"}, (
            "this machine's own stay as they are"
        )
        text = re.sub(r"(?<!>)>(\S*/dev/console|\"\$PHASE\")", r">>\1", text)
        text = re.sub(r"(?m)(^(?:\s|\{)*|\|\| )insmod ", rf"\1{self.root}/insmod ", text)
        done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, cwd=self.root, check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(name="guest")
def fixture_guest(tmp_path: Path) -> Guest:
    return Guest(tmp_path)


def test_a_measurement_in_the_guest_has_its_modules_its_probes_and_its_rings(guest: Guest) -> None:
    status, printed = guest.run(guest_script(WORKLOAD))
    assert (status, printed) == (0, "")
    assert guest.text("inserted").split() == ["/modules/latlab_el3.ko", "/modules/arm_smccc_trng.ko"]
    tracing = guest.root / "sys/kernel/tracing"
    assert (tracing / "trace_clock").read_text() == "mono\n" and (tracing / "events/latlab/enable").read_text() == "1\n"
    assert (tracing / "events/latlab/crng_reseed/trigger").read_text() == "stacktrace\n"
    assert (tracing / "kprobe_events").read_text().splitlines() == [
        "p:latlab/crng_reseed crng_reseed",
        "r:latlab/crng_reseed_done crng_reseed",
    ]
    assert guest.text("out/el3-info.txt") == "known\n"
    assert guest.text("out/el3-records.txt").splitlines()[:2] == ["core 0.0 cpu=0 next=1 oldest=0", "read"]
    phases = re.findall("name=([^>]*)", guest.text("dev/console"))
    assert phases == ["settling", "recorder", "collecting"] and guest.text("recorder").startswith("-o ")


def test_a_kernel_that_has_the_drivers_read_is_probed_there_too(guest: Guest) -> None:
    guest.file("proc/kallsyms", "ffff t crng_reseed\nffff t smccc_trng_read\n")
    assert guest.run(guest_script(WORKLOAD))[0] == 0
    probes = guest.text("sys/kernel/tracing/kprobe_events").splitlines()
    assert probes[2:] == ["p:latlab/hwrng smccc_trng_read", "r:latlab/hwrng_done smccc_trng_read"]
    assert guest.text("out/ftrace.txt") == "traced\n"


def test_above_optee_its_driver_is_loaded_and_the_numbers_come_from_whom_was_asked(guest: Guest) -> None:
    guest.file("proc/kallsyms", "ffff t crng_reseed\nffff t optee_rng_read\t[optee_rng]\n")
    guest.file("sys/module/rng_core/parameters/current_quality", "1024\n")
    assert guest.run(guest_script(WORKLOAD, Drivers(RngNode.OPTEE, True, 7)))[0] == 0
    assert guest.text("inserted").split() == [f"/modules/{name}.ko" for name in ("latlab_el3", "tee", "optee", "optee-rng")]
    assert guest.text("sys/kernel/tracing/kprobe_events").splitlines()[2:] == [
        "p:latlab/hwrng optee_rng_read",
        "r:latlab/hwrng_done optee_rng_read",
    ]
    assert guest.text("sys/module/rng_core/parameters/current_quality") == "7\n"


def test_the_mitigated_kernel_has_optee_and_asks_the_firmware_itself_or_nobody(guest: Guest) -> None:
    for node, last in ((RngNode.FIRMWARE, ["/modules/arm_smccc_trng.ko"]), (RngNode.NONE, [])):
        guest.file("inserted", "")
        assert guest.run(guest_script(WORKLOAD, Drivers(node, True)))[0] == 0
        assert guest.text("inserted").split()[1:] == ["/modules/tee.ko", "/modules/optee.ko", *last]


def test_what_is_not_wanted_is_not_set_up(guest: Guest) -> None:
    assert guest.run(guest_script(WORKLOAD, NO_RNG, trace=False))[0] == 0
    assert guest.text("inserted").split() == ["/modules/latlab_el3.ko"]
    assert guest.text("sys/kernel/tracing/kprobe_events") == "" == guest.text("out/ftrace.txt")


def test_a_firmware_without_rings_is_measured_all_the_same(guest: Guest) -> None:
    guest.file("foreign", "")
    status, printed = guest.run(guest_script(WORKLOAD, NO_RNG))
    assert (status, printed) == (0, "the firmware is not our own: it has no rings\n")
    assert guest.text("out/el3-records.txt") == "" and guest.text("recorder")


def test_a_guest_that_was_built_without_its_module_is_measured_and_says_so(guest: Guest) -> None:
    (guest.root / "modules/latlab_el3.ko").unlink()
    status, printed = guest.run(guest_script(WORKLOAD, NO_RNG))
    assert (status, printed) == (0, "this guest was built without a kernel module\n")
    assert guest.text("out/el3-records.txt") == "" and guest.text("recorder")


def test_a_dose_is_set_in_ns_and_without_a_firmware_that_can_hold_nothing_is_measured(guest: Guest) -> None:
    assert guest.run(guest_script(WORKLOAD, hold_us=50))[0] == 0
    assert guest.text("proc/latlab_el3/trng_hold_ns") == "50000\n"


def test_a_module_that_is_missing_ends_the_job_before_it_measures(guest: Guest) -> None:
    guest.file("foreign", "")
    assert guest.run(guest_script(WORKLOAD))[0] == 3 and guest.text("recorder") == ""
    assert guest.run(guest_script(WORKLOAD, NO_RNG, hold_us=50))[0] == 3 and guest.text("recorder") == ""


def test_with_idle_states_the_rings_are_read_while_it_is_measured(guest: Guest) -> None:
    guest.program("bin/latlab-recorder", "sleep 1.5")
    idle = Workload(1, "idle", Instrument.RECORDER, idle_states=True)
    assert guest.run(guest_script(idle))[0] == 0
    assert guest.text("out/el3-records.txt").count("read\n") >= 2 and not (guest.root / "tmp/reading").exists()


def test_the_memory_that_the_host_shares_is_found_among_the_devices(guest: Guest) -> None:
    for name, ids in (("0", OTHER), ("1", SHARED)):
        vendor, device = ids.split()
        guest.file(f"sys/bus/pci/devices/{name}/vendor", f"{vendor}\n")
        guest.file(f"sys/bus/pci/devices/{name}/device", f"{device}\n")
    assert guest.run(guest_script(WORKLOAD))[0] == 0
    assert guest.text("sys/bus/pci/devices/1/enable") == "1\n" and guest.text("sys/bus/pci/devices/0/enable") == ""
    assert f"-m {guest.root}/sys/bus/pci/devices/1/resource2_wc" in guest.text("recorder")


def test_the_steal_meter_looks_once_at_the_guest_as_it_is_and_once_under_its_load(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steal_job, "SETTLE_S", 0)
    guest.program("bin/latlab-steal", f'echo "$@" >>{guest.root}/meter\necho "cpu=0 calls=5" >$2\n')
    assert guest.run(steal_job.guest_script(Watch(3, "exec sleep 20", 100, 500)))[0] == 0
    out = guest.root / "out"
    assert guest.text("meter").splitlines() == [
        f"-o {out}/steal-{phase}.txt -c {out}/outside-{phase}.txt -D 3 -i 100 -t 500" for phase in ("idle", "load")
    ]
    assert re.findall("name=([^>]*)", guest.text("dev/console")) == ["idle", "load"] and (out / "heat.txt").is_file()
    assert guest.text("inserted").split() == ["/modules/latlab_el3.ko", "/modules/arm_smccc_trng.ko"]


def test_a_guest_that_is_not_loaded_is_looked_at_once_and_keeps_its_idle_states_where_they_are_wanted(guest: Guest) -> None:
    guest.program("bin/latlab-steal", f'echo "$@" >>{guest.root}/meter\nexit 5')
    assert guest.run(steal_job.guest_script(Watch(3, idle_states=True), NO_RNG))[0] == 5
    assert guest.text("meter").splitlines() == [
        f"-o {guest.root}/out/steal-idle.txt -c {guest.root}/out/outside-idle.txt -D 3 -i 200 -t 1000 -I"
    ]
    assert guest.text("inserted").split() == ["/modules/latlab_el3.ko"]
