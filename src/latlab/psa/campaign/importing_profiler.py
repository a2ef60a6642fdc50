# SPDX-License-Identifier: BSD-3-Clause
"""The figures that the profiling cases of tf-m-tools print, kept as a run of the psa campaign."""

from __future__ import annotations

from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.life import run_lifecycle
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import Build, CoreId, Problem, Run, Sample, Tick, Topology
from latlab.core.shown import significant
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.psa.campaign.measure import CAMPAIGN
from latlab.psa.readers.tfm_profiler import Average, read_averages
from latlab.psci.campaign.recording import Recorded

# What such a figure is, which the log does not say.
CAVEATS = (
    ("figures", "one average for each call and boot; the log does not state the number of calls or their scatter"),
    ("loss", "the averages lack checkpoints that did not fit into the profiler's buffer; their number is unknown"),
    ("calibration", "the profiler subtracted one mean cost of a checkpoint in each world; the log does not state its error"),
    ("counter", "the profiler takes differences as absolute values, so a counter that wrapped during a call gives a wrong figure"),
)


def has_averages(texts: list[str]) -> bool:
    averages, problems = read_averages(texts)
    return bool(averages or problems)


def import_profiler(
    store: Store, texts: list[str], data: bytes, source: str, core_mhz: float | None, platform: str | None, firmware: str | None
) -> Recorded:
    """Cycles become time with the core's frequency, which no log of the profiler holds."""
    if core_mhz is None:
        raise UsageError(f"{source} counts CPU cycles", "give the core's frequency with --core-mhz, such as --core-mhz 50")
    if not 0 < core_mhz <= 10_000:
        raise UsageError(f"--core-mhz {significant(core_mhz)} is no frequency of a core", "give megahertz", value=core_mhz)
    averages, problems = read_averages(texts)
    if not averages:
        raise DataError(f"{source} line {problems[0].line}: {problems[0].message}; there is nothing to store")
    run = Run(
        campaign=CAMPAIGN,
        target="import",
        platform=platform or "unknown",
        topology=Topology((1,)),
        tick=Tick(Clock.TIME, 1000 / core_mhz),
        build=Build(firmware or "unknown"),
        lead=CoreId(0, 0),
        started_utc=now_utc(),
        source=source,
        facts=(("core_mhz", f"{significant(core_mhz)}"), *CAVEATS),
    )
    return _keep(store, run, averages, problems, data)


def _keep(store: Store, run: Run, averages: list[Average], problems: list[Problem], data: bytes) -> Recorded:
    samples = [Sample(average.test, Metric.PSA_CALL, CoreId(0, 0), average.boot, 0, average.cycles) for average in averages]
    status = RunStatus.PARTIAL if problems else RunStatus.COMPLETE
    with run_lifecycle(store, run) as run_id:
        store.add(run_id, samples, problems=problems, logs={"console": data})
        store.finish(run_id, status)
    return Recorded(run_id, status, len(samples), tuple(problems), True)
