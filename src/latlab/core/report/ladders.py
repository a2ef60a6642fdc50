# SPDX-License-Identifier: BSD-3-Clause
"""The queue of a parallel test as a chart: spans in the order in which cores were served, and the ladders fitted to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from latlab.core.comparison.queue_model import Ladders
from latlab.core.comparison.wording import heading_unit, scale_of
from latlab.core.report.chart import Chart, finished
from latlab.core.report.colours import EARLIER, MAIN
from latlab.core.report.vega import alt

LADDER_PX = (430, 260)
COLOURS = (EARLIER, MAIN)
NOTE = "Points are cores (cluster.core) sorted by their powerdown; dashes are the fitted queue model. The order of the cores is random."


def ladder_chart(title: str, ladders: Mapping[str, Ladders], unit: str) -> Chart:
    """The first iteration of each; the names of the ladders, two at most, stand in the legend. `unit` is that of their figures."""
    points = [point for name, ladder in ladders.items() for point in _points(ladder, name, unit)]
    base = alt.Chart(alt.InlineData(values=points), width=LADDER_PX[0], height=LADDER_PX[1])
    names = list(ladders)
    colour = alt.Color(
        "run:N",
        scale=alt.Scale(domain=names, range=list(COLOURS[-len(names) :])),
        legend=alt.Legend(title=None, orient="top-left", labelLimit=300) if len(names) > 1 else None,
    )
    x = alt.X("place:O", title="position in the queue", axis=alt.Axis(labelAngle=0))
    shown = heading_unit(unit)
    fitted = base.mark_line(strokeDash=[5, 3], interpolate="linear").encode(x=x, y=alt.Y("ladder:Q", title=shown), color=colour)
    spans = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=x,
        y=alt.Y("span:Q", title=shown),
        color=colour,
        shape=alt.Shape(
            "role:N",
            scale=alt.Scale(domain=["last core down of its cluster", "other"], range=["diamond", "circle"]),
            legend=alt.Legend(title=None, orient="top-left", labelLimit=300),
        ),
        tooltip=["core:N", "place:O", "span:Q", "ladder:Q", "run:N"],
    )
    above = -14 if len(names) == 1 else alt.expr(f"datum.run == '{names[0]}' ? -14 : 16")
    labels = base.mark_text(dy=above, fontSize=11).encode(x=x, y="span:Q", text="core:N", color=colour)
    return Chart(title, NOTE, finished(fitted + spans + labels))


def _points(ladders: Ladders, run: str, unit: str) -> list[dict[str, Any]]:
    scale = scale_of(unit)
    out = []
    for place, core in enumerate(ladders.names_in_order()):
        ladder = float(ladders.predicted[0, place])
        out.append(
            {
                "run": run,
                "core": str(core),
                "place": place + 1,
                "span": float(ladders.spans[0, place]) / scale,
                "ladder": None if np.isnan(ladder) or place < ladders.head[0] else ladder / scale,
                "role": "last core down of its cluster" if ladders.last_man[0, place] else "other",
            }
        )
    return out
