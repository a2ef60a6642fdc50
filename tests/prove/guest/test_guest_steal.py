# SPDX-License-Identifier: BSD-3-Clause
"""The steal meter in the guest against the firmware's own stamps, and against a kernel that masks interrupts for as long."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.catalog import event_table
from latlab.formats.dump.el3_records import info_of, read_records
from latlab.formats.steal_meter import read_stolen
from latlab.model.calls import Call
from latlab.model.stolen import Regime, Stolen, Theft
from latlab.targets.guest.cpio import archive, file
from latlab.targets.guest.debian import unpack
from latlab.targets.guest.guest import GuestMachine, run_guest
from latlab.targets.guest.guest_image import CROSS, guest_image
from latlab.targets.linux.recorder_binary import cache_folder
from latlab.targets.qemu.console import Limits
from latlab.targets.qemu.qemu import find_qemu
from latlab.targets.tools import run

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

HOLDS_NS = (0, 2_000, 50_000, 200_000)
LIMITS = Limits(3600, 3600)
READS = 12
OFF_EACH = 10
SLACK_TICKS = 2
JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
insmod /modules/arm_smccc_trng.ko || exit 3
insmod /modules/irqs_off.ko || exit 3
for hold in {" ".join(map(str, HOLDS_NS))}; do
    echo $hold >/proc/latlab_el3/trng_hold_ns
    latlab-steal -o /out/steal-$hold.txt -t 0 -D 2 &
    meter=$!
    sleep 0.7
    for i in $(seq {READS}); do dd if=/dev/hwrng of=/dev/null bs=64 count=1 2>/dev/null; done
    wait $meter || exit 4
done
echo 0 >/proc/latlab_el3/trng_hold_ns
latlab-steal -o /out/steal-masked.txt -t 0 -D 2 &
meter=$!
sleep 0.5
for ns in {" ".join(map(str, HOLDS_NS[1:]))}; do
    for i in $(seq {OFF_EACH}); do echo $ns >/proc/irqs_off_ns || exit 5; done
done
wait $meter || exit 4
cat /proc/latlab_el3/info >/out/el3-info.txt
cat /proc/latlab_el3/records >/out/el3-records.txt
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """Of one boot on a processor that needs no workaround calls, so that every call has its stamps."""
    folder = tmp_path_factory.mktemp("steal")
    image = guest_image()
    (folder / "Image").symlink_to(image.kernel)
    own = archive([file("modules/irqs_off.ko", _module(folder))])
    (folder / "initrd.gz").write_bytes(_padded(image.initrd.read_bytes()) + gzip.compress(own, mtime=0))
    machine = GuestMachine(hold_firmware=True, cpu="cortex-a53")
    done = run_guest(find_qemu(), machine, replace(image, folder=folder), JOB, LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    return done.output.files


def test_what_is_stolen_is_what_the_firmware_stamped_and_the_same_for_each_call_beside_it(files: Mapping[str, bytes]) -> None:
    """The stamps stand inside: the way in and out of EL3 is in no stamp, and the same for a call that is held for 0 and for 200 us."""
    calls = read_records(files["el3-records.txt"].decode(), event_table(), "records").calls()
    info = info_of(files["el3-info.txt"].decode())
    assert info is not None
    ns_of_a_tick = 1e9 / info[1]
    beside_ns: list[float] = []
    for hold_ns in HOLDS_NS:
        found = _read(files, f"steal-{hold_ns}.txt")
        (cpu,) = found.seeing
        assert cpu.calibration is not None and cpu.calibration.regime is Regime.RUNS
        assert len(cpu.thefts) >= READS
        for theft in cpu.thefts:
            within = _calls_in(calls, theft)
            assert within, f"{theft} without a call"
            stamped_ns = sum(call.out_ticks - call.in_ticks for call in within) * ns_of_a_tick
            beside_ns.append((theft.stolen_ns - stamped_ns) / len(within))
    assert min(beside_ns) > 0 and max(beside_ns) - min(beside_ns) <= 2 * SLACK_TICKS * ns_of_a_tick
    assert max(beside_ns) < 0.01 * HOLDS_NS[-1]


def test_masked_interrupts_are_never_marked(files: Mapping[str, bytes]) -> None:
    (cpu,) = _read(files, "steal-masked.txt").seeing
    assert cpu.thefts == () and sum(second.windows for second in cpu.seconds) > 9000


def _read(files: Mapping[str, bytes], name: str) -> Stolen:
    found = read_stolen(files[name], name)
    assert found.complete and not found.problems
    return found


def _calls_in(calls: tuple[Call, ...], theft: Theft) -> list[Call]:
    return [call for call in calls if theft.begin_ticks < call.out_ticks and call.in_ticks < theft.end_ticks]


def _module(folder: Path) -> bytes:
    """Built against the headers of the guest's kernel, which were fetched with it."""
    source, root = folder / "irqs_off", folder / "root"
    shutil.copytree(Path(__file__).with_name("irqs_off"), source)
    for package in (cache_folder() / "guest/apt/archives").glob("linux-[hk]*.deb"):
        unpack(package, root)
    (headers,) = (root / "usr/src").glob("linux-headers-*-rt-arm64")
    (common,) = (root / "usr/src").glob("linux-headers-*-common-rt")
    run(("make", "-s", "-C", str(common), f"O={headers}", f"M={source}", "ARCH=arm64", f"CROSS_COMPILE={CROSS}", "modules"))
    return (source / "irqs_off.ko").read_bytes()


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)
