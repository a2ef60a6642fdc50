# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a run that was cut off, from its console."""

from __future__ import annotations

from collections.abc import Mapping

from latlab.core.lifecycle.life import text_of
from latlab.core.model.run import CoreTrace, Run
from latlab.core.readers.dump.dump import Iteration, read_dump
from latlab.core.readers.dump.frames import Boot
from latlab.core.readers.event_table import event_table
from latlab.core.store.store import Store
from latlab.psci.campaign.recording import sound_samples


def keep_iterations(store: Store, run: Run, files: Mapping[str, bytes]) -> None:
    """The console comes in pieces of several iterations, each of which is stored by itself: those that stand in the console alone."""
    if run.build.events_hash is None:
        return
    stored = set(map(_key, run.traces))
    boot: Boot | None = None
    for item in read_dump(map(text_of, files.get("console", b"").splitlines()), event_table()):
        if isinstance(item, Boot):
            boot = item
        elif isinstance(item, Iteration) and boot and item.traces and _key(item.traces[0]) not in stored:
            samples, fault = sound_samples(item, boot)
            store.add(run.id, samples, () if fault else item.traces, problems=[fault] if fault else ())


def _key(trace: CoreTrace) -> tuple[str, int, int]:
    return trace.test, trace.boot, trace.iteration
