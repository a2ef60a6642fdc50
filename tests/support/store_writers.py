# SPDX-License-Identifier: BSD-3-Clause
"""Writers of one run at once, each with a store of its own, while the run is read."""

from __future__ import annotations

from threading import Thread

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Problem, Run, Sample
from latlab.core.store.listing import heads, set_label
from latlab.core.store.store import open_store
from support.runs import unfinished_run

PARTS = 60


def readings_of_a_run_that_is_written(place: str) -> list[Run]:
    """What was read of one run while it got PARTS parts, each a sample and a problem, and as many labels. The last one is whole."""
    store = open_store(place)
    run_id = store.begin(unfinished_run())

    def add() -> None:
        own = open_store(place)
        for at in range(PARTS):
            sample = Sample("t", Metric.POWERDOWN, CoreId(0, 0), 0, at, 5)
            own.add(run_id, [sample], problems=[Problem(at, "a CRC")], logs={"console": b"x"})

    def label() -> None:
        own = open_store(place)
        for at in range(PARTS):
            set_label(own, run_id, f"label {at}")

    writers = [Thread(target=add), Thread(target=label)]
    for writer in writers:
        writer.start()
    found: list[Run] = []
    while any(writer.is_alive() for writer in writers):
        found.append(store.load(run_id))
        store.logs(run_id)
        heads(store)
    for writer in writers:
        writer.join()
    return [*found, store.load(run_id)]
