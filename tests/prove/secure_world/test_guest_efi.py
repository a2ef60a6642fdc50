# SPDX-License-Identifier: BSD-3-Clause
"""A late wake-up that EFI's runtime services cause, on Debian's EDK2 and kernel: by the name of what ran, and by nothing else."""

from __future__ import annotations

from collections import Counter

import pytest

from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.attribution import attribute, with_parts
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(1800, 1800)
PRIORITY, LATE_US = 80, 200
JOB = f"""\
V=/sys/firmware/efi/efivars
printf "\\007\\000\\000\\000x" >/tmp/v
n=0
while :; do n=$((n+1)); cat /tmp/v >$V/L$n-12345678-1234-1234-1234-123456789abc; done &
writer=$!
latlab-recorder -o /out/recorder.rec -k /out/kernel-events.bin -D 1 -i 200 -p {PRIORITY} -t {LATE_US} || exit 6
kill $writer
ls $V | grep -c 12345678-1234 >/out/variables.txt
"""


def test_what_a_written_variable_takes_is_named_as_the_runtime_service() -> None:
    done = run_guest(find_qemu(), GuestMachine(cpu="cortex-a53", efi=True), guest_image(), JOB, LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    files = done.output.files
    wakeups = read_record(files["recorder.rec"], "recorder")
    found = with_parts(
        wakeups, attribute(wakeups, wakeups.outliers, ()), read_kernel_events(files["kernel-events.bin"], "events"), PRIORITY
    )
    told = Counter(entry.blame.name for entry in found)
    print(told, files["variables.txt"])
    assert int(files["variables.txt"]) > 50 and len(found) > 50
    assert told["work efi_call_rts"] >= 0.95 * len(found)
    assert all(name == "work efi_call_rts" or name.startswith("kworker/") for name in told)
