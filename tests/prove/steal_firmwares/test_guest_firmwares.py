# SPDX-License-Identifier: BSD-3-Clause
"""The steal meter above firmware of three kinds on five processors, held against what the probe counts of the same boot's calls."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from latlab.benchmarks.analysis.amount_findings import StolenBy
from latlab.commits.targets import clean
from latlab.core.model.run import CallsOfKind
from latlab.core.readers.event_table import event_table
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.by_whom import by_whom, slack, theft_sizes
from latlab.rt.model.stolen import Regime, Stolen
from latlab.rt.readers.el3_records import read_records
from latlab.rt.readers.steal_meter import read_stolen
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from latlab.rt.targets.guest.secure_world import secure_world, secure_world_of
from latlab.rt.targets.rt_job import USUAL_DRIVERS, Drivers, RngNode
from latlab.rt.targets.steal_job import Watch, guest_script
from support.debian_sources import copied, source
from support.places import ROOT
from support.probed_guest import LIMITS, probed_guest

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

CPUS = ("cortex-a53", "cortex-a57", "cortex-a72", "neoverse-n1", "max")
ALL_CALLS_STAMPED = ("cortex-a53", "neoverse-n1")
"""For these the kernel has no branch predictors flushed, which no ring sees; and other vCPUs' turns are told from a theft by its mark."""
READS, BYTES = 6, 64
INSTRUCTIONS_A_NS = 0.5
CALLS_OF_A_READ = 2.8
"""Three calls of the TRNG in EL3, the last of which asks for less."""
OPTEE_READ = 20_000
"""Instructions that a read takes at least where OP-TEE serves it."""
WORKAROUND, MOST_FLUSHES = "SMCCC_ARCH_WORKAROUND", 4
BUILD_S = 3600
TOOLS = ("CROSS_COMPILE=aarch64-linux-gnu-",)
KERNEL_AS_PAYLOAD = ("PRELOADED_BL33_BASE=0x60000000", "ARM_LINUX_KERNEL_AS_BL33=1")
TFA = (*TOOLS, "PLAT=qemu", "DEBUG=0", "QEMU_USE_GIC_DRIVER=QEMU_GICV3", "TRNG_SUPPORT=1", *KERNEL_AS_PAYLOAD)
JOB = """\
insmod /modules/latlab_el3.ko
DRIVERS
latlab-steal -o /out/steal.txt -t 200 -D 1 &
meter=$!
sleep 0.3
for i in $(seq READS); do dd if=/dev/hwrng of=/dev/null bs=BYTES count=1 2>/dev/null; sleep 0.02; done
wait $meter || exit 4
[ -e /proc/latlab_el3/records ] && cat /proc/latlab_el3/records >/out/el3-records.txt
exit 0
"""
"""From 200 ns on: what a kernel has the firmware flush at its switches of processes takes less."""


@pytest.fixture(scope="module")
def tfa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _tfa(tmp_path_factory.mktemp("tfa"))


@pytest.fixture(scope="module")
def optee() -> Path:
    return secure_world(secure_world_of("optee"))


@pytest.mark.parametrize("cpu", CPUS)
def test_above_our_firmware_each_theft_is_what_the_probe_counted(cpu: str, tmp_path: Path) -> None:
    regime = Regime.UNMARKED if cpu == "max" else Regime.RUNS
    _check(ROOT / "build" / "qemu_virt", cpu, regime, 0, tmp_path)


@pytest.mark.parametrize("cpu", CPUS)
def test_above_tf_a_each_theft_is_what_the_probe_counted(cpu: str, tfa: Path, tmp_path: Path) -> None:
    _check(tfa, cpu, Regime.STOPS, 0, tmp_path)


@pytest.mark.parametrize("cpu", CPUS)
def test_above_op_tee_each_theft_is_what_the_probe_counted(cpu: str, optee: Path, tmp_path: Path) -> None:
    _check(optee, cpu, Regime.STOPS, OPTEE_READ, tmp_path, Drivers(RngNode.OPTEE, optee=True))


@pytest.mark.parametrize("cpu", ("cortex-a53", "max"))
def test_four_cpus_are_told_alike_and_each_theft_is_a_call(cpu: str, tmp_path: Path) -> None:
    """Its length is not held against anything: the vCPUs take turns on one clock."""
    machine = GuestMachine(4, firmware=ROOT / "build" / "qemu_virt", cpu=cpu)
    done = run_guest(find_qemu(), machine, guest_image(), _job(), LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    found = _complete(done.output.files["steal.txt"])
    calls = read_records(done.output.files["el3-records.txt"].decode(), event_table(), "records").calls()
    regime = Regime.UNMARKED if cpu == "max" else Regime.RUNS
    assert [one.calibration.regime for one in found.cpus if one.calibration] == [regime] * 4
    thefts = [(one.cpu, theft) for one in found.cpus for theft in one.thefts]
    assert len(thefts) >= READS
    for number, theft in thefts if cpu in ALL_CALLS_STAMPED else ():
        assert any(call.cpu == number and theft.begin_ticks < call.out_ticks and call.in_ticks < theft.end_ticks for call in calls), theft


@pytest.mark.parametrize("cpu", ("cortex-a72", "max"))
def test_above_tf_a_every_cpu_has_its_regime(cpu: str, tfa: Path) -> None:
    cores = 4
    done = run_guest(find_qemu(), GuestMachine(cores, firmware=tfa, cpu=cpu), guest_image(), guest_script(Watch(1)), LIMITS)
    found = _complete(done.output.files["steal-idle.txt"])
    assert [one.calibration.regime for one in found.cpus if one.calibration] == [Regime.STOPS] * cores


def _job(drivers: Drivers = USUAL_DRIVERS) -> str:
    return JOB.replace("DRIVERS", "\n".join(drivers.steps)).replace("READS", str(READS)).replace("BYTES", str(BYTES))


def _check(firmware: Path, cpu: str, regime: Regime, least: int, folder: Path, drivers: Drivers = USUAL_DRIVERS) -> None:
    """Each theft fits calls that the probe counted: to the instruction, and to a reading's two ticks where the system counter measures."""
    probed = probed_guest(GuestMachine(firmware=firmware, cpu=cpu), guest_image(), _job(drivers), folder)
    found = _complete(probed.run.output.files["steal.txt"])
    (one,) = found.cpus
    assert one.calibration is not None and one.calibration.regime is regime
    print(firmware.name, cpu, regime, Counter((theft.stolen_ns, theft.mark_cycles) for theft in one.thefts))
    sizes = theft_sizes(found, INSTRUCTIONS_A_NS)
    assert [size for size in sizes if not _fits(size, probed.kinds, slack([one.calibration], found.counter_hz, INSTRUCTIONS_A_NS))] == []
    trng = [count for kind in probed.kinds if kind.name.startswith("TRNG_RND") for count, _ in kind.instructions]
    least = least or round(CALLS_OF_A_READ * max(trng))
    assert sum(thefts for size, thefts in sizes.items() if size >= least) <= READS + 2
    # The meter may run between two calls of a read, which are then two thefts.
    assert sum(size * thefts for size, thefts in sizes.items() if size >= least / CALLS_OF_A_READ) >= READS * least


def _fits(size: int, kinds: Sequence[CallsOfKind], slack_instructions: int) -> bool:
    """Whether calls of one kind take as much, beside a few with which the kernel has branch predictors flushed in the same window."""
    flushes = {count for kind in kinds if kind.name.startswith(WORKAROUND) for count, _ in kind.instructions}
    rests = {size - times * flush for flush in flushes or {0} for times in range(MOST_FLUSHES + 1)}
    told = [entry.finding for rest in rests if rest > 0 for entry in by_whom("idle", {rest: 1}, kinds, slack_instructions)]
    return any(isinstance(finding, StolenBy) and finding.calls for finding in told)


def _complete(data: bytes) -> Stolen:
    found = read_stolen(data, "steal.txt")
    assert found.complete and not found.problems
    return found


def _tfa(folder: Path) -> Path:
    """A folder with firmware.bin, whose TRNG has numbers that are not random."""
    tree = copied(source("arm-trusted-firmware", "trixie"), folder / "tf-a")
    entropy = ROOT / "guest" / "secure_world" / "entropy.c"
    _make(tree, *TFA, "bl1", "bl2", "bl31", "fip", "qemu_fw.bios", BL31_SOURCES=str(entropy))
    (tree / "build/qemu/release/qemu_fw.bios").rename(folder / "firmware.bin")
    return folder


def _make(tree: Path, *words: str, **environment: str) -> None:
    with (tree / "latlab-build.log").open("wb") as log:
        subprocess.run(
            ("make", "-j2", *words), cwd=tree, env={**clean(), **environment}, stdout=log, stderr=log, timeout=BUILD_S, check=True
        )
