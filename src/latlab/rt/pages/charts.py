# SPDX-License-Identifier: BSD-3-Clause
"""Charts of wake-up latencies: histograms, the survival curve, outliers in time with their causes."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import UNEXPLAINED
from latlab.core.model.distributions import Counts, Distribution
from latlab.core.report.chart import WIDE_PX, Chart, finished
from latlab.core.report.colours import of_series
from latlab.core.report.vega import alt
from latlab.rt.analysis.causes import cause_name, pooled
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.wakeup import together
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.pages import cause_details
from latlab.rt.pages.histogram import histogram

HIGH_PX = 300
NOBODY = said_blame(UNEXPLAINED)
MOST_POINTS, MOST_PARTS = 500, 100


def charts(result: RtResult) -> list[Chart]:
    """All, in the order of a page."""
    return [*histograms(result), *cause_details.charts(result), *later_charts(result)]


def histograms(result: RtResult) -> list[Chart]:
    """Of each tool, a line for each CPU."""
    return [chart for wakeups in result.wakeups for chart in (histogram(wakeups),) if chart]


def later_charts(result: RtResult) -> list[Chart]:
    """How many wake-ups are at least as late, and when the late ones came."""
    later, recorder = [], result.recorder
    counted = recorder or next((wakeups for wakeups in result.wakeups if any(cpu.counts for cpu in wakeups.cpus)), None)
    if counted:
        later.append(_survival(counted))
    if recorder and recorder.outliers:
        later.append(_outliers(result, recorder))
    return later


def _survival(wakeups: Wakeups) -> Chart:
    names = [wakeups.rows.named(cpu.number) for cpu in wakeups.cpus]
    rows = [row for name, cpu in zip(names, wakeups.cpus, strict=True) for row in survivors(name, "measured", cpu.counts, cpu.beyond)]
    rows += [
        row
        for name, cpu, implied in zip(names, wakeups.cpus, wakeups.implied, strict=False)
        if implied
        for row in survivors(name, "with the missed periods", together(cpu.counts, implied), cpu.beyond)
    ]
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=WIDE_PX, height=HIGH_PX)
        .mark_line(interpolate="step-before", strokeWidth=1.5)
        .encode(
            x=alt.X("us:Q", title="latency (µs)", scale=alt.Scale(type="log", nice=False)),
            y=alt.Y("share:Q", title="share of wake-ups at least as late", scale=alt.Scale(type="log"), axis=alt.Axis(format=".0e")),
            color=_colour(sorted({str(row["cpu"]) for row in rows})),
            strokeDash=alt.StrokeDash("kind:N", title=None, legend=alt.Legend(orient="top", labelLimit=300)),
            tooltip=["cpu:N", "kind:N", alt.Tooltip("us:Q", title="µs"), alt.Tooltip("share:Q", format=".2e")],
        )
    )
    note = "How many wake-ups were at least this late, both axes logarithmic. Missed periods are those that passed while a thread was late."
    beyond = [row for name, cpu in zip(names, wakeups.cpus, strict=True) for row in _overflow(name, cpu)]
    if not beyond:
        return Chart("CCDF", note, finished(chart))
    ends = (
        alt.Chart(alt.InlineData(values=beyond))
        .mark_point(shape="triangle-right", filled=True, size=140)
        .encode(
            x="us:Q",
            y="share:Q",
            color=_colour(sorted({str(row["cpu"]) for row in rows})),
            tooltip=["cpu:N", alt.Tooltip("n:Q", title="samples")],
        )
    )
    counts = ", ".join(f"{row['n']} of {row['cpu']}" for row in beyond)
    return Chart("CCDF", f"{note} The histogram ends at the triangle: {counts} are later than that.", finished(alt.layer(chart, ends)))


def _overflow(name: str, cpu: Distribution) -> list[dict[str, Any]]:
    """Where the histogram ends, if there is more."""
    if not cpu.beyond or not cpu.counts:
        return []
    return [{"us": cpu.counts[-1][1] / 1000, "share": cpu.beyond / cpu.counted, "cpu": name, "n": cpu.beyond}]


def survivors(name: str, kind: str, counts: Counts, beyond: int) -> list[dict[str, Any]]:
    """From the first latency that anything is earlier than: before it the share is 1, and nothing is to be seen."""
    total = sum(n for _, _, n in counts) + beyond
    earlier = list(accumulate((n for _, _, n in counts), initial=0))
    first = max(next((at for at, n in enumerate(earlier[:-1]) if n), 0) - 1, 0)
    return [
        {"us": max(low, 1) / 1000, "share": (total - n) / total, "cpu": name, "kind": kind}
        for (low, _, _), n in list(zip(counts, earlier, strict=False))[first:]
        if n < total
    ]


def _outliers(result: RtResult, recorder: Wakeups) -> Chart:
    start = recorder.start_ns or 0
    colours_known = cause_details.colours_of(result)
    names = {
        id(entry.outlier): name if (name := cause_name(entry)) in colours_known else cause_details.OTHER
        for entry in pooled(result).attributed or ()
    }
    rows = [
        {
            "s": (outlier.wake_ns - start) / 1e9,
            "us": outlier.late_ns / 1000,
            "cause": names.get(id(outlier), NOBODY),
            "cpu": f"CPU {outlier.cpu}",
            "missed": outlier.missed,
        }
        for outlier in recorder.outliers
    ]
    rows, note = _thinned(rows)
    causes_shown = {str(row["cause"]) for row in rows}
    colours = {cause: colour for cause, colour in colours_known.items() if cause in causes_shown}
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=WIDE_PX, height=HIGH_PX)
        .mark_point(filled=True, size=45, opacity=0.85)
        .encode(
            x=alt.X("s:Q", title="seconds since the start"),
            y=alt.Y("us:Q", title="late (µs)"),
            color=alt.Color("cause:N", title=None, scale=scale, legend=alt.Legend(orient="bottom", labelLimit=700, direction="vertical")),
            shape=alt.Shape("cpu:N", title=None, legend=alt.Legend(orient="top")),
            tooltip=["s:Q", alt.Tooltip("us:Q", title="µs"), "cpu:N", alt.Tooltip("missed:Q", title="periods missed"), "cause:N"],
        )
    )
    return Chart("Outliers and their causes", note, finished(chart))


def _thinned(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """What can be told apart in a picture of these late wake-ups, at most MOST_POINTS, and what a point of it is."""
    if len(rows) <= MOST_POINTS:
        return rows, "Each point is a wake-up later than the threshold."
    end = max(row["s"] for row in rows) or 1.0
    parts = max(1, min(MOST_PARTS, MOST_POINTS // len({(row["cpu"], row["cause"]) for row in rows})))
    latest: dict[tuple[object, ...], dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: row["us"]):
        latest[row["cpu"], row["cause"], min(parts - 1, int(parts * row["s"] / end))] = row
    latest_rows = sorted(latest.values(), key=lambda row: row["s"])
    of = "of the whole time" if parts == 1 else f"in each of {parts} equal parts of the time"
    return latest_rows, f"Of {len(rows):,} wake-ups later than the threshold a point is the latest of a CPU and cause {of}."


def _colour(names: list[str]) -> alt.Color:
    return alt.Color(
        "cpu:N",
        title=None,
        legend=alt.Legend(orient="top"),
        scale=alt.Scale(domain=names, range=of_series(names)),
    )
