# SPDX-License-Identifier: BSD-3-Clause
"""How much of each wake-up's lateness was stolen, held against the stamps of a firmware that holds its TRNG; and two idle minutes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.readers.event_table import event_table
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.attribution import Attributed, attribute, with_parts
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.readers.el3_records import read_records
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(7200, 7200)
PRIORITY = 40
HOLDS_NS = (0, 2_000, 50_000, 200_000)
WAY_NS = 200
"""Into EL3 and out of it, which no stamp has: 160 to 185 ns for a call that lies wholly within the lateness, else only the way out."""
EXACT_NS = 100
MASKED_NS = 8_000
"""For so long the kernel itself masks interrupts now and then just when a thread is due: what was taken before cannot be told from that."""
MOSTLY = 0.95
JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
insmod /modules/arm_smccc_trng.ko || exit 3
for hold in {" ".join(map(str, HOLDS_NS))}; do
    echo $hold >/proc/latlab_el3/trng_hold_ns
    latlab-recorder -o /out/recorder-$hold.rec -k /out/events-$hold.bin -D 2 -i 4000 -p {PRIORITY} -t 5 &
    recorder=$!
    sleep 0.5
    while kill -0 $recorder 2>/dev/null; do dd if=/dev/hwrng of=/dev/null bs=64 count=2 2>/dev/null; done
    wait $recorder || exit 4
    cat /proc/latlab_el3/records >/out/records-$hold.txt
done
"""
IDLE_MINUTES, LATE_US = 2, 30
IDLE_JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
latlab-recorder -o /out/recorder-idle.rec -k /out/events-idle.bin -D {IDLE_MINUTES * 60} -i 1000 -p {PRIORITY} -t {LATE_US} || exit 4
cat /proc/latlab_el3/records >/out/records-idle.txt
"""


@dataclass(frozen=True, slots=True)
class Late:
    """Of one late wake-up: what is called stolen, and what the firmware stamped in its lateness; `straddles`: a call began before."""

    outlier: Outlier
    stolen_ns: int
    stamped_ns: float
    calls: int
    straddles: bool


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    return _run(JOB)


@pytest.mark.parametrize("hold_ns", HOLDS_NS)
def test_the_stolen_part_of_a_wake_up_is_what_the_firmware_stamped_in_it(files: Mapping[str, bytes], hold_ns: int) -> None:
    """A call that had ended before the thread was due stole nothing of it, although it lies between the same two readings."""
    found = list(_lates(files, str(hold_ns)))
    hit, spared = [late for late in found if late.calls], [late for late in found if not late.calls]
    off_ns = sorted(late.stolen_ns - late.stamped_ns for late in hit)
    print(
        hold_ns,
        len(found),
        len(hit),
        sum(late.straddles for late in hit),
        off_ns[:3],
        off_ns[-3:],
        sorted(late.stolen_ns for late in spared)[-12:],
    )
    assert len(found) > 400 and (len(hit) > 20 or hold_ns <= 2_000)
    allowed_ns = [max(EXACT_NS, 0.01 * late.stamped_ns, WAY_NS * (late.calls - late.straddles)) for late in hit]
    right = [abs(late.stolen_ns - late.stamped_ns) <= ns for late, ns in zip(hit, allowed_ns, strict=True)]
    assert sum(right) >= MOSTLY * len(hit) and all(abs(ns) <= MASKED_NS for ns in off_ns)
    assert sum(late.stolen_ns <= EXACT_NS for late in spared) >= MOSTLY * len(spared)
    assert all(late.stolen_ns <= MASKED_NS for late in spared)


def test_in_idle_minutes_nothing_is_called_stolen_that_the_firmware_did_not_stamp() -> None:
    """The kernel takes a seed from the firmware by itself now and then."""
    found = list(_lates(_run(IDLE_JOB), "idle"))
    print(len(found), [(late.outlier.late_ns, late.stolen_ns, late.stamped_ns) for late in found if late.calls or late.stolen_ns])
    assert [late for late in found if late.stolen_ns > EXACT_NS and not late.calls] == []


def _run(job: str) -> Mapping[str, bytes]:
    done = run_guest(find_qemu(), GuestMachine(hold_firmware=True, cpu="cortex-a53"), guest_image(), job, LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    return done.output.files


def _lates(files: Mapping[str, bytes], name: str) -> Iterator[Late]:
    wakeups = read_record(files[f"recorder-{name}.rec"], "recorder")
    events = read_kernel_events(files[f"events-{name}.bin"], "events")
    assert not wakeups.problems and not events.problems
    calls = [
        (_ns(wakeups, call.in_ticks), _ns(wakeups, call.out_ticks))
        for call in read_records(files[f"records-{name}.txt"].decode(), event_table(), "records").calls()
    ]
    first_ns = min((begin_ns for begin_ns, _ in calls), default=0.0)
    for entry in with_parts(wakeups, attribute(wakeups, wakeups.outliers, ()), events, PRIORITY):
        due_ns, end_ns = entry.outlier.wake_ns - entry.outlier.late_ns, entry.outlier.wake_ns
        within = [(begin, end) for begin, end in calls if end > due_ns and begin < end_ns]
        if entry.parts and due_ns > first_ns:
            stamped_ns = sum(min(end, end_ns) - max(begin, due_ns) for begin, end in within)
            yield Late(entry.outlier, _stolen(entry), stamped_ns, len(within), any(begin < due_ns for begin, _ in within))


def _stolen(entry: Attributed) -> int:
    return sum(part.ns for part in entry.parts if part.blame.kind is BlameKind.STOLEN)


def _ns(wakeups: Wakeups, ticks: int) -> float:
    assert wakeups.sync is not None and wakeups.counter_hz is not None
    at_ns, at_ticks = wakeups.sync
    return at_ns + (ticks - at_ticks) * 1e9 / wakeups.counter_hz
