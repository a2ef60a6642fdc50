# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign: one run of the bench for each build of the SPM."""

from __future__ import annotations

from collections.abc import Callable

from latlab.core.comparison.conditions import differing_conditions
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.life import Progress, on_qemu
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Left
from latlab.core.model.run import Build, Run
from latlab.core.model.symbols import Symbols
from latlab.core.readers.elf_build import with_build
from latlab.core.readers.event_table import event_table
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.choice import Filter
from latlab.core.store.store import Store
from latlab.core.targets.process import console as consoles
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.psa.analysis.builds import BuildResult
from latlab.psa.targets import mps2
from latlab.psci.campaign.recording import Recorded, record_console

CAMPAIGN = "psa"
CAMPAIGN_ITERATIONS = 22 * 20 + 8
SYMBOLS_LOG = "symbols"


def run_psa(
    store: Store,
    qemu: Qemu,
    machine: str,
    images: mps2.PsaImages,
    limits: consoles.Limits,
    progress: Progress,
    interrupted: Callable[[], bool] = lambda: False,
    priority: int = 0,
    basepri: int = 0,
) -> Recorded:
    """Run the bench of one build in QEMU and store it, with the functions of its secure image.

    Priority: of the sweep's timer. BASEPRI: of the caller in the sweep, 0: nothing is masked.
    """
    _check_events(images)
    command = mps2.command_line(qemu, machine, images, priority, basepri)
    build = Build(images.build, code_bytes=mps2.code_bytes(images.secure))
    conditions = with_build(with_machine(mps2.conditions(priority, basepri, machine), command), images.secure)
    run = on_qemu(CAMPAIGN, qemu, command, machine.replace("-", "_"), build, conditions)
    with scratch() as folder:
        console = consoles.Console(command, folder / "secure.log", limits, interrupted)
        logs = {SYMBOLS_LOG: mps2.symbols_text(mps2.symbols_of(images.secure))}
        return record_console(store, run, mps2.tick_of, console, progress, logs, Left(str(folder)))


def load_symbols(store: Store, run_id: str) -> Symbols:
    """The functions of the secure image that a stored run was made with; none of somebody else's image of which no ELF file was named."""
    logs = store.logs(run_id)
    symbols = logs.get(SYMBOLS_LOG, b"" if "probe" in logs else None)
    if symbols is None:
        raise UsageError(f"{run_id} was stored without the functions of its image", "measure it again with `latlab run psa`")
    return mps2.parse_symbols(symbols)


def build_results(store: Store, run: Run, every_build: bool) -> list[BuildResult]:
    """The run with the functions of its image, alone or among the newest runs of every other build on the same machine and emulator."""
    runs = [run]
    if every_build:
        newest = {
            stored.build.firmware: stored.id
            for stored in store.runs(Filter(campaign=run.campaign, platform=run.platform))
            if _measured_alike(stored, run)
        } | {run.build.firmware: run.id}
        runs = [store.load(newest[build]) for build in sorted(newest, key=_place)]
    return [BuildResult(build_run, load_symbols(store, build_run.id)) for build_run in runs]


def _place(build: str) -> tuple[int, str]:
    """The campaign's builds in its order, others behind them."""
    return (mps2.BUILDS.index(build) if build in mps2.BUILDS else len(mps2.BUILDS), build)


def _measured_alike(build_run: Run, other: Run) -> bool:
    """The compiler's flags belong to a build: those of two builds differ."""
    same = (build_run.campaign, build_run.platform, build_run.source) == (other.campaign, other.platform, other.source)
    differing = {condition.name for condition in differing_conditions(build_run, other)} - {"compiler flags"}
    return same and not differing and build_run.status is RunStatus.COMPLETE


def _check_events(images: mps2.PsaImages) -> None:
    image_hash, table = mps2.psa_events_hash(images), event_table()
    if image_hash != table.hash:
        raise DataError(
            f"built with the event table {image_hash}, this latlab has {table.hash}",
            "use the latlab version that it was built with",
            place=images.bench,
        )
