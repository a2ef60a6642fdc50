# SPDX-License-Identifier: BSD-3-Clause
"""Files of benchmarks and noise meters, kept as runs: their raw files stay what their amounts are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.life import run_lifecycle
from latlab.core.model.amounts import Amounts
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import Build, Problem, Run, Tick, Topology
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.rt.campaign import steal_results
from latlab.rt.readers.measured import read_amounts

CAMPAIGN = "bench"
LOG = "imported"
TOOL_LOG = "imported-as"


def import_amounts(
    store: Store,
    data: bytes,
    name: str,
    platform: str,
    duration: str | None = None,
    interval_us: int | None = None,
    firmware: str = "unknown",
    tool: str = "",
) -> str:
    """The run's id. What the file cannot be read for is refused before anything is kept."""
    if duration is not None or interval_us is not None:
        raise UsageError(f"{name} has no due wake-ups", "leave out --duration and --interval")
    benchmark = read_amounts(data, name, tool)
    cpus = 1 + max((amount.core.core for amount in benchmark.amounts if amount.core), default=0)
    run = Run(
        campaign=CAMPAIGN,
        target="import",
        platform=platform,
        topology=Topology((cpus,)),
        tick=Tick(Clock.TIME, 1.0),
        build=Build(firmware),
        contents=Amounts(),
        conditions=replace(benchmark.conditions, tool=benchmark.tool),
        started_utc=now_utc(),
        source=name,
        facts=(("tool", benchmark.tool), *benchmark.facts),
    )
    with run_lifecycle(store, run) as run_id:
        store.add(run_id, problems=[Problem(0, sentence) for sentence in benchmark.problems], logs={LOG: data, TOOL_LOG: tool.encode()})
        store.finish(run_id, RunStatus.PARTIAL if benchmark.problems else RunStatus.COMPLETE)
    return run_id


def with_amounts(run: Run, files: Mapping[str, bytes]) -> Run:
    """The run with what its file says, or its files if it is of the steal meter."""
    if run.campaign == steal_results.CAMPAIGN:
        return steal_results.with_stolen(run, files)
    if LOG not in files:
        raise DataError("the file of the benchmark metrics is missing", "import it again")
    benchmark = read_amounts(files[LOG], run.source or LOG, files.get(TOOL_LOG, b"").decode())
    return replace(run, contents=Amounts(benchmark.amounts, benchmark.tool), conditions=run.conditions.completed(benchmark.conditions))
