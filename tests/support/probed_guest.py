# SPDX-License-Identifier: BSD-3-Clause
"""A boot of the guest with the probe outside: the calls that its firmware was entered by, each to the instruction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.calls.analysis.span_functions import SpanReader, kinds_of
from latlab.calls.campaign.watching import StreamAccumulator
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import CallsOfKind
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import Qemu, find_qemu
from latlab.rt.targets.guest.guest import GuestMachine, GuestRun, run_guest
from latlab.rt.targets.guest.guest_image import GuestImage
from support.plugins import probe_here

LIMITS = Limits(3600, 3600)
WRAPPER = """\
#!/bin/sh
case "$*" in
*dumpdtb*) exec {qemu} "$@" ;;
esac
exec {qemu} "$@" -plugin {probe},out={stream}
"""


@dataclass(frozen=True, slots=True)
class Probed:
    """`kinds` are the calls of the whole boot by kind."""

    run: GuestRun
    kinds: Sequence[CallsOfKind]


def probed_guest(machine: GuestMachine, image: GuestImage, job: str, folder: Path) -> Probed:
    """`folder` is where the probe's stream goes; it exists."""
    qemu, stream = find_qemu(), folder / "probe.stream"
    done = run_guest(_with_plugin(qemu, folder, stream), machine, image, job, LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    seen, decoder = StreamAccumulator(lambda samples: None), Decoder()
    seen.take(decoder.feed(stream.read_bytes()))
    assert seen.header is not None
    reader = SpanReader(seen.header.arch, seen.fragments, (), [])
    return Probed(done, kinds_of(seen.tally, seen.header, seen.cores, reader))


def _with_plugin(qemu: Qemu, folder: Path, stream: Path) -> Qemu:
    wrapper = folder / "qemu-system-aarch64"
    wrapper.write_text(WRAPPER.format(qemu=qemu.path, probe=probe_here(), stream=stream))
    wrapper.chmod(0o755)
    return replace(qemu, path=wrapper)
