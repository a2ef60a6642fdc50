# SPDX-License-Identifier: BSD-3-Clause
"""`--instrument timerlat --causes` in one boot: stretches of masked interrupts and calls that the firmware holds, by both names."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.report.text import plain
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.namings import Agreement
from latlab.rt.campaign.measure import GuestOptions, run_rt_guest
from latlab.rt.campaign.results import results_of
from latlab.rt.model.timerlat import TimerlatPart
from latlab.rt.pages.wakeup_tables import brief_tables
from latlab.rt.targets.guest.cpio import file
from latlab.rt.targets.guest.guest import GuestMachine
from latlab.rt.targets.guest.guest_image import guest_image
from latlab.rt.targets.rt_job import Instrument, Workload
from support.guest_modules import RTLA, rtla_entries, with_module

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(3600, 3600)
MASKED_SEED = 2
"""The first that the module plants by it is a masked stretch of 260 us."""
HOLD_US = 260
LOAD = f"""\
insmod /modules/plant.ko
while sleep 0.4; do echo "{MASKED_SEED} 1" >/proc/plant; sleep 0.4; dd if=/dev/hwrng of=/dev/null bs=32 count=1 2>/dev/null; done"""
WORKLOAD = Workload(60, LOAD, Instrument.TIMERLAT, outlier_us=100, causes=True)


def test_what_rtla_calls_a_delay_of_the_interrupt_both_times_is_told_apart_by_the_recorder(tmp_path: Path) -> None:
    wrapper = file("usr/bin/rtla", f'#!/bin/sh\nexec {RTLA} "$@"\n'.encode(), executable=True)
    work = tmp_path / "image"
    work.mkdir()
    image = with_module(guest_image(), "plant", work, [*rtla_entries(), wrapper])
    store = open_store(str(tmp_path / "runs.sqlite"))
    machine = GuestMachine(hold_firmware=True, cpu="cortex-a53")
    run = store.load(run_rt_guest(store, find_qemu(), image, machine, WORKLOAD, GuestOptions(hold_us=HOLD_US), LIMITS))
    assert run.problems == ()
    ((_, result),) = results_of(run, store.logs(run.id))
    common = [naming for naming in result.namings if naming.recorder is not None]
    assert len(result.namings) >= 4 and len(common) >= len(result.namings) - 1
    by_kind = {naming.recorder.blame.kind: naming for naming in common if naming.recorder is not None}
    assert {naming.spike.parts[0].part for naming in common} == {TimerlatPart.IRQ_DELAY}
    assert by_kind.keys() == {BlameKind.MASKED, BlameKind.FIRMWARE}
    assert by_kind[BlameKind.MASKED].agreement is Agreement.SAME and by_kind[BlameKind.MASKED].spike.interrupted == "sh"
    assert by_kind[BlameKind.FIRMWARE].agreement is Agreement.NARROWER and "entry and exit" in by_kind[BlameKind.FIRMWARE].evidence
    (table,) = [table for table in brief_tables("", result) if plain(table.caption) == "Recorder and rtla, cause by cause"]
    print(*table.rows, *table.notes, sep="\n")
