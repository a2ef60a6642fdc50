# SPDX-License-Identifier: BSD-3-Clause
"""Causes of late wake-ups that a kernel module and the firmware plant, and how `--causes` names them: without the firmware's own stamps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.readers.event_table import event_table
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.attribution import Attributed, attribute, with_parts
from latlab.rt.analysis.wakeup import percentile_ns
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.readers.el3_records import read_records
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from support.guest_modules import with_module

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(3600, 3600)
PRIORITY, LATE_US, HOLD_NS, TIMES, LASTS_S = 40, 45, 150_000, 1000, 12
BEFORE_NS = 100_000
MITIGATIONS_NS = 1_000
"""Of a few calls: this processor's kernel has the firmware flush branch predictors at switches, 38 instructions without a stamp."""
KINDS = {kind.value: kind for kind in (BlameKind.MASKED, BlameKind.UNPREEMPTED, BlameKind.INTERRUPT, BlameKind.SOFTIRQ, BlameKind.THREAD)}
JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
insmod /modules/arm_smccc_trng.ko || exit 3
insmod /modules/plant.ko || exit 3
echo {HOLD_NS} >/proc/latlab_el3/trng_hold_ns || exit 4
latlab-recorder -o /out/recorder.rec -k /out/kernel-events.bin -D {LASTS_S} -i 200 -p {PRIORITY} -t {LATE_US} &
recorder=$!
sleep 0.5
while sleep 0.011; do dd if=/dev/hwrng of=/dev/null bs=32 count=1 2>/dev/null; done &
reader=$!
echo "SEED {TIMES}" >/proc/plant || exit 5
kill $reader
wait $recorder || exit 6
cat /proc/plant >/out/planted.txt
cat /proc/latlab_el3/records >/out/el3-records.txt
"""


@dataclass(frozen=True, slots=True)
class Planted:
    kind: BlameKind
    begin_ns: int
    end_ns: int


@pytest.mark.parametrize("cpu", ["cortex-a53", "cortex-a72"])
@pytest.mark.parametrize("seed", [7, 11])
def test_of_six_causes_at_once_each_late_wake_up_is_named_by_its_own(cpu: str, seed: int, tmp_path: Path) -> None:
    """At least 95 % named rightly, at most 5 % unexplained, none wrongly."""
    machine = GuestMachine(hold_firmware=True, cpu=cpu)
    done = run_guest(find_qemu(), machine, with_module(guest_image(), "plant", tmp_path), JOB.replace("SEED", str(seed)), LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    files = done.output.files
    wakeups = read_record(files["recorder.rec"], "recorder")
    events = read_kernel_events(files["kernel-events.bin"], "events")
    assert not wakeups.problems and not events.problems
    truth = _planted(files["planted.txt"].decode()) + _stolen(wakeups, files["el3-records.txt"].decode())
    found = with_parts(wakeups, attribute(wakeups, wakeups.outliers, ()), events, PRIORITY)
    table = Counter((_true_kind(wakeups, truth, entry.outlier), entry.blame.kind) for entry in found)
    known = {pair: count for pair, count in table.items() if pair[0] is not None}
    print(cpu, seed, sorted((str(true), str(said), count) for (true, said), count in table.items()))
    right = sum(count for (true, said), count in known.items() if true is said)
    unexplained = sum(count for (_, said), count in known.items() if said is BlameKind.UNEXPLAINED)
    assert {true for true, _ in known} == {*KINDS.values(), BlameKind.STOLEN}
    assert sum(known.values()) > 300
    assert right >= 0.95 * sum(known.values()) and unexplained <= 0.05 * sum(known.values())
    assert right + unexplained == sum(known.values()), "named wrongly"
    assert all(_sum(entry) == entry.outlier.late_ns for entry in found)
    unstamped_ns = MITIGATIONS_NS if cpu == "cortex-a72" else 0
    accused = [entry for entry in found if any(part.blame.kind is BlameKind.STOLEN and part.ns > unstamped_ns for part in entry.parts)]
    assert accused and all(_was_called(truth, entry.outlier) for entry in accused), "a theft without a call"


def _was_called(truth: list[Planted], outlier: Outlier) -> bool:
    """In the lateness or shortly before: who had the core then and could not be preempted had to end first."""
    begin_ns = outlier.wake_ns - outlier.late_ns - BEFORE_NS
    return any(one.kind is BlameKind.STOLEN and one.begin_ns < outlier.wake_ns and one.end_ns > begin_ns for one in truth)


def _sum(entry: Attributed) -> int:
    return sum(part.ns for part in entry.parts)


def _planted(text: str) -> list[Planted]:
    rows = [line.split() for line in text.splitlines()]
    return [Planted(KINDS[kind], int(begin), int(end)) for kind, begin, end in rows]


def _stolen(wakeups: Wakeups, text: str) -> list[Planted]:
    assert wakeups.sync is not None and wakeups.counter_hz is not None
    at_ns, at_ticks = wakeups.sync

    def ns(ticks: int) -> int:
        return at_ns + (ticks - at_ticks) * 1_000_000_000 // (wakeups.counter_hz or 1)

    return [
        Planted(BlameKind.STOLEN, ns(call.in_ticks), ns(call.out_ticks)) for call in read_records(text, event_table(), "records").calls()
    ]


def _true_kind(wakeups: Wakeups, truth: list[Planted], outlier: Outlier) -> BlameKind | None:
    """The kind that took most of it, None where nothing planted filled half of what it is later than the median."""
    median_ns = percentile_ns(wakeups.cpus[0], 50) or 0
    took = Counter({kind: _taken(truth, outlier, kind) for kind in (*KINDS.values(), BlameKind.STOLEN)})
    kind, took_ns = took.most_common(1)[0]
    return kind if took_ns >= 0.5 * (outlier.late_ns - median_ns) else None


def _taken(truth: list[Planted], outlier: Outlier, kind: BlameKind) -> int:
    begin_ns = outlier.wake_ns - outlier.late_ns
    return sum(max(0, min(one.end_ns, outlier.wake_ns) - max(one.begin_ns, begin_ns)) for one in truth if one.kind is kind)
