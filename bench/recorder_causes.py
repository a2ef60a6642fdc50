# SPDX-License-Identifier: BSD-3-Clause
"""What `--causes` costs the wake-ups that it explains, on this machine, and with --guest in the guest, where the steal meter has a share.

The recorder takes turns of a second with and without it under the load that is there, the order of each pair exchanged, so that a machine
whose mood changes changes it for both. Printed is the median of each turn's percentile, and of the differences within a pair. In the guest
there is a third turn: with the kernel's events and without the meter, which is made blind by leaving it no call into the firmware.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from latlab.core.errors import LatlabError
from latlab.core.targets.linux.machine import Here
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from latlab.rt.targets.linux import check_survey, survey
from latlab.rt.targets.recorder_binary import recorder_for
from latlab.rt.targets.rt_job import Workload

PERCENTILES = (1.0, 50.0, 99.0)
GUEST_TURNS = {"without": "", "events": "", "events and meter": "insmod /modules/latlab_el3.ko || exit 3"}
GUEST_LIMITS = Limits(3600, 3600)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20, help="turns of each")
    parser.add_argument("--guest", metavar="CPU", help="in the guest on this processor instead, such as cortex-a57, idle")
    asked = parser.parse_args()
    pairs, workload = asked.pairs, Workload(1, load="idle")
    if asked.guest:
        return _in_guest(pairs, workload, asked.guest)
    here = Here()
    found = survey(here, workload.priority)
    try:
        check_survey(here, found, workload)
    except LatlabError as error:
        print(f"skipped: {error}")
        return 0
    program = recorder_for(found.machine)
    with tempfile.TemporaryDirectory() as folder:
        turns = np.array([_pair(program, workload, Path(folder), number % 2 == 1) for number in range(pairs)])
    print(f"{pairs} turns of a second each; ns on this machine's clock")
    for column, percent in enumerate(PERCENTILES):
        without, with_causes = turns[:, 0, column], turns[:, 1, column]
        low, middle, high = np.percentile(with_causes - without, (25, 50, 75))
        medians = f"{np.median(without):.0f} without, {np.median(with_causes):.0f} with"
        print(f"{percent:g} %: {medians}; difference {middle:+.0f}, quartiles {low:+.0f} and {high:+.0f}")
    return 0


def _in_guest(turns: int, workload: Workload, cpu: str) -> int:
    """All in one boot, each round of three turns beginning with another one."""
    done = run_guest(find_qemu(), GuestMachine(cpu=cpu), guest_image(), _guest_job(turns, workload), GUEST_LIMITS)
    if done.output.status != 0:
        raise LatlabError(f"the job in the guest ended with status {done.output.status}: {done.output.files.get('job.log', b'')!r}")
    files = done.output.files
    print(f"{turns} turns of a second each in one boot of {cpu}; ns on the guest's instruction clock")
    found = {}
    for number, name in enumerate(GUEST_TURNS):
        events = [read_kernel_events(files[f"{number}-{turn}.events"], name) for turn in range(turns) if number]
        seeing = [one.blind is None for kept in events for one in kept.meter]
        if number and any(sees is not (name == "events and meter") for sees in seeing):
            raise LatlabError(f"{name}: the meter sees in {sum(seeing)} of {len(seeing)} turns; nothing is compared")
        found[name] = np.array([_percentiles(files[f"{number}-{turn}.rec"]) for turn in range(turns)])
    for column, percent in enumerate(PERCENTILES):
        print(f"{percent:g} %: " + ", ".join(f"{np.median(values[:, column]):.0f} {name}" for name, values in found.items()))
    return 0


def _guest_job(turns: int, workload: Workload) -> str:
    """Without our own module nothing may be left that calls the firmware: neither PSCI's file in debugfs nor the TRNG's device."""
    options = f"-D 1 -i {workload.interval_us} -p {workload.priority} -t {workload.outlier_us}"
    lines = ["umount /sys/kernel/debug", "mount -t tmpfs none /sys/devices/platform"]
    for turn in range(turns):
        order = [(turn + step) % len(GUEST_TURNS) for step in range(len(GUEST_TURNS))]
        for number in order:
            keep = f"-k /out/{number}-{turn}.events" if number else ""
            lines.append(list(GUEST_TURNS.values())[number])
            lines.append(f"latlab-recorder -o /out/{number}-{turn}.rec {options} {keep} || exit 4")
            lines.append("rmmod latlab_el3 2>/dev/null")
    return "\n".join([*lines, "exit 0", ""])


def _pair(program: Path, workload: Workload, folder: Path, exchanged: bool) -> list[list[int]]:
    """Percentiles without and with, of all CPUs together."""
    order = (True, False) if exchanged else (False, True)
    found = {causes: _turn(program, workload, folder, causes) for causes in order}
    return [found[False], found[True]]


def _turn(program: Path, workload: Workload, folder: Path, causes: bool) -> list[int]:
    record, events = folder / "turn.rec", folder / "turn.events"
    options = ("-D", "1", "-i", str(workload.interval_us), "-p", str(workload.priority), "-t", str(workload.outlier_us))
    more = ("-k", str(events)) if causes else ()
    subprocess.run((str(program), "-o", str(record), *options, *more), check=True)
    if causes and (closed := read_kernel_events(events.read_bytes(), events.name).closed):
        raise LatlabError(f"the kernel's events cannot be opened on CPU {closed[0][0]}, errno {closed[0][1]}; nothing is compared")
    return _percentiles(record.read_bytes())


def _percentiles(record: bytes) -> list[int]:
    low, _, counts = np.array([interval for cpu in read_record(record, "recorder").cpus for interval in cpu.counts]).T
    rising = np.argsort(low, kind="stable")
    shares = np.cumsum(counts[rising]) / counts.sum()
    return [int(low[rising][np.searchsorted(shares, percent / 100)]) for percent in PERCENTILES]


if __name__ == "__main__":
    raise SystemExit(main())
