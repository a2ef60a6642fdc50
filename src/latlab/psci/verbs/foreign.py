# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign on firmware of others. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from latlab.calls.verbs.subject_options import SubjectOptions, check_given, subject_of
from latlab.core.cli.output import err
from latlab.core.store.address import Place

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.core.targets.process.console import Limits
    from latlab.psci.campaign.recording import Recorded


def run(
    options: SubjectOptions, firmware: Path | None, qemu: Path | None, iterations: int, limits: Limits, store: Place | None
) -> tuple[Store, Recorded]:
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.plugins import probe_for
    from latlab.core.cli.stores import open_store
    from latlab.core.report.progress import RunProgress
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.psci.campaign.foreign import run_psci_subject
    from latlab.psci.campaign.measure import CAMPAIGN_TESTS

    check_given(options.subject, firmware, options.machine, iterations)
    subject, images = subject_of(options, firmware)
    opened, program = open_store(store), find_qemu(qemu)
    plugin = probe_for(program.path, options.probe)
    with Interrupts() as interrupts, RunProgress(err(), f"{subject.name}, {program}", iterations * CAMPAIGN_TESTS) as progress:
        return opened, run_psci_subject(
            opened, program, subject, images, iterations, plugin, limits, progress, interrupts.asked, options.classes
        )
