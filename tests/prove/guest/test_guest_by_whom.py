# SPDX-License-Identifier: BSD-3-Clause
"""Whose calls the thefts were: the steal meter in the guest, and the probe outside of the same boot as the one that knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.analysis.amounts.by_whom import by_whom, theft_sizes
from latlab.analysis.base.findings import StolenBy
from latlab.analysis.crossings.span_functions import SpanReader, kinds_of
from latlab.campaigns.watching import Seen
from latlab.formats.probe.decoder import Decoder
from latlab.formats.steal_meter import read_stolen
from latlab.targets.guest.guest import GuestMachine, run_guest
from latlab.targets.guest.guest_image import guest_image
from latlab.targets.process.console import Limits
from latlab.targets.qemu.probe import find_probe
from latlab.targets.qemu.qemu import find_qemu

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(3600, 3600)
INSTRUCTIONS_A_NS = 0.5
READS, INFOS = 6, 4
JOB = f"""\
insmod /modules/latlab_el3.ko || exit 3
insmod /modules/arm_smccc_trng.ko || exit 3
latlab-steal -o /out/steal.txt -t 0 -D 1 &
meter=$!
sleep 0.3
for i in $(seq {INFOS}); do cat /proc/latlab_el3/info >/dev/null; sleep 0.01; done
for i in $(seq {READS}); do dd if=/dev/hwrng of=/dev/null bs=64 count=1 2>/dev/null; done
wait $meter
"""
WRAPPER = """\
#!/bin/sh
case "$*" in
*dumpdtb*) exec {qemu} "$@" ;;
esac
exec {qemu} "$@" -plugin {probe},out={stream}
"""


def test_every_theft_is_put_down_to_calls_that_the_probe_saw_in_the_same_boot(tmp_path: Path) -> None:
    qemu, stream = find_qemu(), tmp_path / "probe.stream"
    wrapper = tmp_path / "qemu-system-aarch64"
    wrapper.write_text(WRAPPER.format(qemu=qemu.path, probe=find_probe(), stream=stream))
    wrapper.chmod(0o755)
    done = run_guest(replace(qemu, path=wrapper), GuestMachine(cpu="cortex-a53"), guest_image(), JOB, LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    found = read_stolen(done.output.files["steal.txt"], "steal.txt")
    seen, decoder = Seen(lambda samples: None), Decoder()
    seen.take(decoder.feed(stream.read_bytes()))
    assert seen.header is not None
    reader = SpanReader(seen.header.arch, seen.fragments, (), [])
    kinds = kinds_of(seen.tally, seen.header, seen.cores, reader)
    sizes = theft_sizes(found, INSTRUCTIONS_A_NS)
    told = [one.finding for one in by_whom("idle", sizes, kinds) if isinstance(one.finding, StolenBy)]
    by_name: Counter[str] = Counter()
    for one in told:
        (call,) = one.calls
        by_name[call.name] += one.thefts
    assert by_name["TRACE_INFO"] == INFOS and READS <= by_name["TRNG_RND"] <= READS + 2, "the kernel takes a seed by itself now and then"
    assert set(by_name) == {"TRACE_INFO", "TRNG_RND"}
