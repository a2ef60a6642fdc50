# SPDX-License-Identifier: BSD-3-Clause
"""A labgrid driver, so that a test of a labgrid user measures wake-ups on their own target:

targets:
  main:
    drivers:
      SSHDriver: {}
      LatlabDriver: {}
imports:
  - latlab.adopters.labgrid_driver

def test_wakeups_stay_below_150_us(target):
    assert target.get_driver("LatlabDriver").rt(duration_s=300).max_us < 150
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import attr
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.protocol import CommandProtocol, FileTransferProtocol
from labgrid.step import step

from latlab.core.errors import DataError
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.store.store import open_store
from latlab.core.targets.linux.labgrid_board import LabgridBoard
from latlab.rt.analysis.result import RtResult
from latlab.rt.campaign.measure import run_rt_linux
from latlab.rt.campaign.results import results_of
from latlab.rt.targets.rt_job import Instrument, Workload


@dataclass(frozen=True, slots=True)
class Measured:
    """The stored run, and what was found in it."""

    run: Run
    result: RtResult

    @property
    def max_us(self) -> float:
        """The latest wake-up that any tool saw on any CPU."""
        return max(cpu.maximum_ticks for wakeups in self.result.wakeups for cpu in wakeups.cpus) / 1000


@target_factory.reg_driver
@attr.s(eq=False)
class LatlabDriver(Driver):  # type: ignore[misc]
    """`store` is where runs are kept; the user's data folder if it is empty."""

    bindings = {"command": CommandProtocol, "transfer": FileTransferProtocol}  # noqa: RUF012  labgrid reads it from the class
    store: str = attr.ib(default="", validator=attr.validators.instance_of(str))

    @Driver.check_active  # type: ignore[untyped-decorator]
    @step(args=["duration_s", "load"])  # type: ignore[untyped-decorator]
    def rt(
        self,
        duration_s: int = 10,
        load: str = "cpu",
        instrument: str = "both",
        interval_us: int = 200,
        priority: int = 80,
        threshold_us: int = 100,
        idle_states: bool = False,
        platform: str = "",
        smc_module: str | None = None,
        probes: bool = True,
    ) -> Measured:
        """What `latlab run rt --target labgrid` does with the options of the same names. Raises DataError if the run is not complete."""
        workload = Workload(duration_s, load, Instrument(instrument), interval_us, priority, threshold_us, idle_states)
        store = open_store(self.store or None)
        module = Path(smc_module) if smc_module else None
        run_id = run_rt_linux(store, LabgridBoard(self.target), workload, self.logger.warning, platform, module, probes)
        run = store.load(run_id)
        if run.status is not RunStatus.COMPLETE:
            raise DataError(f"run {run_id} is partial: {run.problems[0].message}", f"`latlab show {run_id}` prints what was kept")
        ((_, result),) = results_of(run, store.logs(run_id))
        return Measured(run, result)
