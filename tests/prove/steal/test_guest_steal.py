# SPDX-License-Identifier: BSD-3-Clause
"""The steal meter in the guest against the firmware's own stamps, and against a kernel that masks interrupts for as long."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from latlab.calls.model.calls import Call
from latlab.core.readers.event_table import event_table
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.campaign.steal_results import repeated
from latlab.rt.model.stolen import Blind, Regime, Stolen, Theft
from latlab.rt.readers.el3_records import info_of, read_records
from latlab.rt.readers.steal_meter import read_stolen
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from support.guest_modules import with_module
from support.places import ROOT

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
    machine = GuestMachine(hold_firmware=True, cpu="cortex-a53")
    done = run_guest(find_qemu(), machine, with_module(image, "irqs_off", folder), JOB, LIMITS)
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


THIEF_PERIOD_NS, THIEF_NS, THIEF_S = 47_000_000, (2_000, 7_050, 150_000), 4
THIEF_JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
for ns in {" ".join(map(str, THIEF_NS))}; do
    echo "{THIEF_PERIOD_NS} $ns" >/proc/latlab_el3/thief_ns || exit 4
    latlab-steal -o /out/steal-$ns.txt -D {THIEF_S} || exit 5
done
"""


@pytest.mark.parametrize("cpu", ["cortex-a53", "max"])
def test_a_secure_timer_that_makes_no_call_is_found_each_time(cpu: str) -> None:
    """With its period and its length, by an interrupt controller and a timer of which Linux knows nothing. On `max` both counters stop,
    and while they are opened anew nothing is measured."""
    machine = GuestMachine(cpu=cpu, firmware=ROOT / "build" / "qemu_virt-thief")
    done = run_guest(find_qemu(), machine, guest_image(), THIEF_JOB, LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    for ns in THIEF_NS:
        found = _read(done.output.files, f"steal-{ns}.txt")
        (seen,) = found.seeing
        taken = [theft for theft in seen.thefts if ns <= theft.stolen_ns <= 1.01 * ns + 200]
        measured_s = sum(second.measured_ticks for second in seen.seconds) / found.counter_hz
        assert abs(len(taken) - measured_s * 1e9 / THIEF_PERIOD_NS) <= 2, (ns, measured_s, seen.thefts)
        (again,) = [one for one in repeated(found) if one.period.outliers == len(taken)]
        assert again.period.period_s == pytest.approx(THIEF_PERIOD_NS / 1e9, rel=1e-4) and again.period.concentration > 0.9


@pytest.mark.parametrize("cpu", ["cortex-a53", "cortex-a72", "max"])
def test_a_firmware_in_which_all_counters_go_on_is_recognised_and_refused(cpu: str) -> None:
    machine = GuestMachine(cpu=cpu, firmware=ROOT / "build" / "qemu_virt-secure-counts")
    job = "insmod /modules/latlab_el3.ko || exit 3\nlatlab-steal -o /out/steal.txt -D 1\n"
    done = run_guest(find_qemu(), machine, guest_image(), job, LIMITS)
    found = read_stolen(done.output.files["steal.txt"], "steal.txt")
    assert [cpu.blind for cpu in found.cpus] == [Blind.NOTHING_SEEN] and not found.cpus[0].thefts


def _read(files: Mapping[str, bytes], name: str) -> Stolen:
    found = read_stolen(files[name], name)
    assert found.complete and not found.problems
    return found


def _calls_in(calls: tuple[Call, ...], theft: Theft) -> list[Call]:
    return [call for call in calls if theft.begin_ticks < call.out_ticks and call.in_ticks < theft.end_ticks]
