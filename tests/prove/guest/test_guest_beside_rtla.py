# SPDX-License-Identifier: BSD-3-Clause
"""rtla's automatic analysis beside `--causes`, in one boot at the same time: a stretch of masked interrupts, and a call that is held."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.attribution import attribute, with_parts
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from support.guest_modules import RTLA, rtla_entries, with_module

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(3600, 3600)
PRIORITY, INTERVAL_US, LATE_US, STOP_US = 40, 200, 70, 100
HOLD_NS = 260_000
"""Longer than the interval, so that a wake-up falls due in it, and early enough to be late."""
KINDS = {"masked": BlameKind.MASKED, "stolen": BlameKind.STOLEN}
MASKED_SEED = 2
"""The first that the module plants by it is a masked stretch of 260 us."""
JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
insmod /modules/arm_smccc_trng.ko || exit 3
insmod /modules/plant.ko || exit 3
echo {HOLD_NS} >/proc/latlab_el3/trng_hold_ns || exit 4
latlab-recorder -o /out/recorder.rec -k /out/kernel-events.bin -D 3600 -i {INTERVAL_US} -p {PRIORITY} -t {LATE_US} &
recorder=$!
for what in masked stolen; do
    timeout -k 1 60 {RTLA} timerlat top -a {STOP_US} -c 0 -q -p 200 -d 40 >/out/rtla-$what.txt 2>&1 &
    rtla=$!
    sleep 0.5
    # It reads every event's description first, which takes seconds.
    while [ "$(cut -d' ' -f3 /proc/$(pidof ld-linux-aarch64.so.1 | cut -d' ' -f1)/stat)" = R ]; do sleep 0.1; done
    sleep 0.3
    cut -d' ' -f1 /proc/uptime >/out/before-$what.txt
    case $what in
    masked) echo "{MASKED_SEED} 1" >/proc/plant ;;
    stolen) dd if=/dev/hwrng of=/dev/null bs=32 count=1 2>/dev/null ;;
    esac
    cut -d' ' -f1 /proc/uptime >/out/after-$what.txt
    wait $rtla
done
kill -TERM $recorder
wait $recorder
"""


def test_what_rtla_calls_latency_of_the_interrupt_both_times_is_told_apart_by_the_counters(tmp_path: Path) -> None:
    image = with_module(guest_image(), "plant", tmp_path, rtla_entries())
    done = run_guest(find_qemu(), GuestMachine(hold_firmware=True, cpu="cortex-a53"), image, JOB, LIMITS)
    files = done.output.files
    wakeups = read_record(files["recorder.rec"], "recorder")
    events = read_kernel_events(files["kernel-events.bin"], "events")
    found = with_parts(wakeups, attribute(wakeups, wakeups.outliers, ()), events, PRIORITY)
    for what, kind in KINDS.items():
        begin_s, end_s = (float(files[f"{when}-{what}.txt"]) for when in ("before", "after"))
        named = [entry for entry in found if begin_s - 0.02 <= entry.outlier.wake_ns / 1e9 <= end_s + 0.02]
        said = files[f"rtla-{what}.txt"].decode()
        print(what, [(entry.outlier.late_ns, str(entry.blame)) for entry in named], re.sub(r"(?s).*analyzing it", "", said)[:900])
        assert {entry.blame.kind for entry in named} & set(KINDS.values()) == {kind}
        latency = re.search(r"IRQ latency:\s+([0-9.]+) us", said)
        assert latency is not None and float(latency[1]) >= STOP_US, said
