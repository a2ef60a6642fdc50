# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of releases: published times of each core above, instructions by class of the same releases stacked below."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from latlab.core.comparison.counted_findings import OUTSIDE
from latlab.core.model.enums import InstructionClass, Metric
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.release_counts import counts_of
from latlab.core.report.chart import finished

WIDTH, HIGH, LOW = 560, 200, 130
INSIDE = "all others"


def chart(runs: Sequence[Run], test: str, metric: Metric, title: str) -> dict[str, object]:
    """A span that was not counted, or only as a whole, has its times alone."""
    releases = [release(run) for run in runs]
    times = [
        {"release": release(run), "core": str(s.core), "us": s.value_ticks * run.tick.value / 1000}
        for run in runs
        for s in run.samples
        if (s.test, s.metric) == (test, metric)
    ]
    x = alt.X("release:N", sort=releases, title=None, axis=alt.Axis(labelAngle=0), scale=alt.Scale(domain=releases))
    published = (
        alt.Chart(alt.InlineData(values=times), title=title, width=WIDTH, height=HIGH)
        .mark_line(point=True)
        .encode(x=x, y=alt.Y("us:Q", title="µs"), color=alt.Color("core:N", title="core"))
    )
    panels = [panel for processor in _processors(runs[0]) for panel in _counted(runs, test, metric, processor, x)]
    return finished(alt.vconcat(published, *panels).resolve_scale(color="independent"))


def release(run: Run) -> str:
    return run.id.rpartition("/")[2]


def _processors(run: Run) -> list[str]:
    return list(dict.fromkeys(cluster.core.value for cluster in facts_of(run.platform).clusters))


def _counted(runs: Sequence[Run], test: str, metric: Metric, processor: str, x: alt.X) -> list[alt.Chart]:
    """What leaves the caches, by class, and all others, which are many and fast: on one scale the former would not be seen."""
    rows = []
    for run in runs:
        counts = counts_of(run.id, processor)
        span = counts.spans.get((test, metric)) if counts else None
        for name, amount in span.classes.items() if span else ():
            rows.append({"release": release(run), "class": name.value if name in OUTSIDE else INSIDE, "insns": amount})
    if not rows:
        return []
    known = [one.value for one in InstructionClass if one in OUTSIDE]
    return [
        _stack(rows, known, f"instructions on {processor} that leave the caches", x),
        _stack(rows, [INSIDE], f"all others on {processor}", x),
    ]


def _stack(rows: Sequence[dict[str, object]], classes: Sequence[str], title: str, x: alt.X) -> alt.Chart:
    shown = [row for row in rows if row["class"] in classes]
    colour = {"color": alt.Color("class:N", title="class", sort=list(classes))} if len(classes) > 1 else {}
    bars = alt.Chart(alt.InlineData(values=shown), title=alt.Title(title, fontSize=11), width=WIDTH, height=LOW).mark_bar(size=28)
    stacked: alt.Chart = bars.encode(x=x, y=alt.Y("sum(insns):Q", title="instructions"), **colour)
    return stacked
