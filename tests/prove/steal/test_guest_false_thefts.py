# SPDX-License-Identifier: BSD-3-Clause
"""Minutes of interrupts, softirqs, threads, masked stretches and overflows of the counters, none of which may be called a theft."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.calls.model.calls import Call
from latlab.core.readers.event_table import event_table
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.model.stolen import Regime, Theft
from latlab.rt.readers.el3_records import read_records
from latlab.rt.readers.steal_meter import read_stolen
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from support.guest_modules import with_module

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(7200, 7200)
MINUTES, INTERVAL_US = 2, 1000
ROUND, PAUSE_S = 400, 15
HALF_OF_32_BITS_S = 2**31 / 1e9
JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
insmod /modules/plant.ko || exit 3
latlab-steal -o /out/steal.txt -t 0 -D {MINUTES * 60} -i {INTERVAL_US} &
meter=$!
seed=1
while kill -0 $meter 2>/dev/null; do
    echo "$seed {ROUND}" >/proc/plant || exit 4
    cat /proc/plant >>/tmp/planted.txt
    seed=$((seed + 1))
    sleep {PAUSE_S}
done
wait $meter || exit 5
cut -d' ' -f1 /tmp/planted.txt | sort | uniq -c >/out/planted.txt
grep arm-pmu /proc/interrupts >/out/overflows.txt
cat /proc/latlab_el3/records >/out/el3-records.txt
"""


def test_what_is_called_a_theft_is_a_call_that_the_firmware_stamped(tmp_path: Path) -> None:
    """Two minutes of the guest's clock, most of which an idle guest skips. The kernel takes seeds from the firmware by itself, so there are
    thefts to find."""
    image = with_module(guest_image(), "plant", tmp_path)
    done = run_guest(find_qemu(), GuestMachine(cpu="cortex-a53"), image, JOB, LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    files = {name: data.decode() for name, data in done.output.files.items()}
    found = read_stolen(files["steal.txt"].encode(), "steal.txt")
    (seen,) = found.seeing
    assert found.complete and not found.problems and seen.calibration is not None and seen.calibration.regime is Regime.RUNS
    calls = read_records(files["el3-records.txt"], event_table(), "records").calls()
    within = [call for call in calls if min(t.begin_ticks for t in seen.thefts) < call.in_ticks < max(t.end_ticks for t in seen.thefts)]
    false = [theft for theft in seen.thefts if not any(_holds(theft, call) for call in calls)]
    windows, marked = sum(second.windows for second in seen.seconds), sum(second.marked for second in seen.seconds)
    planted = {kind: int(times) for times, kind in (line.split() for line in files["planted.txt"].splitlines())}
    overflows = int(files["overflows.txt"].split()[1])
    assert false == [] and marked == len(seen.thefts) and windows > 0.97 * MINUTES * 60e6 / INTERVAL_US
    assert [call for call in within if not any(_holds(theft, call) for theft in seen.thefts)] == []
    assert len(planted) == 5 and min(planted.values()) > 100 * MINUTES and overflows >= 0.9 * MINUTES * 60 / HALF_OF_32_BITS_S


def _holds(theft: Theft, call: Call) -> bool:
    return theft.begin_ticks < call.out_ticks and call.in_ticks < theft.end_ticks
