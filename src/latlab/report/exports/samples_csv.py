"""Every sample of a run as one line of CSV."""

from __future__ import annotations

import csv
import io

from latlab.model import Run

COLUMNS = ("test", "metric", "cluster", "core", "boot", "iteration", "value_ticks", "value", "unit")


def render(run: Run) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for s in run.samples:
        value = f"{s.value_ticks * run.tick.value:.12g}"
        writer.writerow([s.test, s.metric.value, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks, value, run.tick.unit])
    return stream.getvalue()
