# SPDX-License-Identifier: BSD-3-Clause
"""The check of a machine's set-up: of a machine as it is now, or of the machine of a run beside the run's causes."""

from __future__ import annotations

from latlab.core.errors import DataError
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.rt.analysis.setup_effects import SetupEffect, setup_effects
from latlab.rt.campaign.results import results_of
from latlab.rt.targets.linux import collected
from latlab.rt.targets.machine_inventory import COLLECTED, read_collected
from latlab.rt.targets.machine_setup import PRIORITY, setup_checks


def setup_of_machine(machine: Machine) -> tuple[SetupEffect, ...]:
    """Raises DataError if the machine does not answer."""
    data = collected(machine)
    if not data:
        raise DataError("gives no answer about its set-up; it must be a Linux machine with a POSIX shell", place=machine.name)
    return setup_effects(setup_checks(read_collected(data)), None)


def setup_of_run(store: Store, reference: str) -> tuple[SetupEffect, ...]:
    """Raises DataError if the run did not keep what its machine said."""
    run = store.load(reference)
    files = store.logs(run.id)
    if COLLECTED not in files:
        raise DataError("keeps nothing of its machine's set-up", "measure with `latlab run rt --target linux`", place=run.id)
    results = [result.attributed for _, result in results_of(run, files) if result.attributed is not None]
    attributed = [entry for entries in results for entry in entries] if results else None
    checks = setup_checks(read_collected(files[COLLECTED]), run.conditions.priority or PRIORITY)
    return setup_effects(checks, attributed)
