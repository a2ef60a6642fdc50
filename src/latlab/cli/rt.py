# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of the rt campaign, registered on the command line of `cli`."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.cli.labgrid import ConfigOption, PowerCycleOption, StateOption, TargetNameOption, labgrid_machine
from latlab.cli.options import FirmwareOption, QemuOption, StoreOption
from latlab.errors import DataError, UsageError
from latlab.model.run import UNNAMED

if TYPE_CHECKING:
    from rich.console import Console

    from latlab.model.run import Run
    from latlab.store.store import Store
    from latlab.targets.guest.guest_image import GuestImage
    from latlab.targets.linux.machine import Machine
    from latlab.targets.linux.rt_job import Workload
    from latlab.targets.qemu.console import Limits

SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
BOOT_ALLOWANCE_S = 120
SLOWDOWN = 12
SILENCE_FLOOR_S = 120
CYCLE_ALLOWANCE_S = 3
SUSPEND_ALLOWANCE_S = 60
PIPE_WIDTH = 160


class RtTarget(StrEnum):
    GUEST = "guest"
    LINUX = "linux"
    SSH = "ssh"
    LABGRID = "labgrid"


class RtMode(StrEnum):
    DETERMINISTIC = "deterministic"
    MULTI_THREAD = "multi-thread"


class RtInstrument(StrEnum):
    BOTH = "both"
    RECORDER = "recorder"
    CYCLICTEST = "cyclictest"


class RtFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    RST = "rst"


DurationOption = Annotated[str, typer.Option(help="How long each tool measures: 10s, 5m, 6h.")]
LoadOption = Annotated[str, typer.Option(help="What keeps the CPUs busy: cpu, hackbench, memory, syscalls, hwrng or idle.")]
FormatOption = Annotated[RtFormat, typer.Option(help="How the result is printed.")]


def rt(
    target: Annotated[RtTarget, typer.Option(help="guest: RT Linux in QEMU; linux: here; ssh: --host; labgrid: --config")] = RtTarget.GUEST,
    host: Annotated[str | None, typer.Option(help="For ssh: the machine, as ssh takes it.")] = None,
    platform: Annotated[str, typer.Option(help="For linux, ssh and labgrid: name of the board.", show_default="its address")] = "",
    config: ConfigOption = None,
    target_name: TargetNameOption = "main",
    state: StateOption = None,
    power_cycle: PowerCycleOption = False,
    duration: DurationOption = "10s",
    load: LoadOption = "cpu",
    instrument: Annotated[RtInstrument, typer.Option(help="What measures; both: one after the other.")] = RtInstrument.BOTH,
    interval: Annotated[int, typer.Option(help="Microseconds between two wake-ups.")] = 200,
    priority: Annotated[int, typer.Option(help="SCHED_FIFO priority.")] = 80,
    threshold: Annotated[int, typer.Option(help="Microseconds above which a wake-up is an outlier.")] = 100,
    idle_states: Annotated[bool, typer.Option("--idle-states", help="Allow idle states; the guest gets those of PSCI.")] = False,
    kstack: Annotated[bool, typer.Option("--kstack/--no-kstack", help="Guest: kernel-stack randomisation.")] = True,
    hwrng: Annotated[bool, typer.Option("--hwrng/--no-hwrng", help="Guest: load the driver of the firmware's TRNG.")] = True,
    probes: Annotated[bool, typer.Option("--probes/--no-probes", help="Trace the kernel's way to the TRNG.")] = True,
    smc_module: Annotated[Path | None, typer.Option(help="Boards: latlab_el3.ko for their kernel, to read the firmware's rings.")] = None,
    cores: Annotated[int, typer.Option(help="Guest: vCPUs.")] = 1,
    mode: Annotated[RtMode, typer.Option(help="Guest: deterministic needs one vCPU.")] = RtMode.DETERMINISTIC,
    qemu: QemuOption = None,
    firmware: FirmwareOption = None,
    store: StoreOption = None,
    format: FormatOption = RtFormat.TABLE,
) -> None:
    """Measure how late a real-time thread wakes up under load, with cyclictest and with latlab's recorder."""
    from latlab.store.store import open_store
    from latlab.targets.linux.rt_job import Instrument, Workload

    workload = Workload(seconds(duration), load, Instrument(instrument.value), interval, priority, threshold, idle_states)
    _check(workload)
    if (target is RtTarget.SSH) != (host is not None):
        raise UsageError("--target ssh needs --host, and only it takes one; write `--target ssh --host user@board`")
    if target is not RtTarget.LABGRID and (state is not None or power_cycle):
        raise UsageError("--state and --power-cycle are for --target labgrid; leave them out or name that target")
    opened = open_store(store)
    if target is RtTarget.GUEST:
        from latlab.campaigns.rt import GuestOptions, run_rt_guest
        from latlab.model.conditions import Mode
        from latlab.targets.guest.guest import GuestMachine
        from latlab.targets.qemu.qemu import find_qemu

        machine = GuestMachine(cores, Mode(mode.value), idle_states, kstack, firmware=firmware)
        run_id = run_rt_guest(opened, find_qemu(qemu), _image(), machine, workload, GuestOptions(hwrng, probes), _limits(workload))
    else:
        from latlab.campaigns.rt import run_rt_linux

        on_board = labgrid_machine(config, target_name, state, power_cycle) if target is RtTarget.LABGRID else nullcontext(_machine(host))
        with on_board as found:
            run_id = run_rt_linux(opened, found, workload, _say, platform, smc_module, probes)
    _conclude(opened, run_id, format)


def rt_trng(
    doses: Annotated[str, typer.Option(help="Microseconds that each TRNG_RND is held, 0 among them.")] = "0,50,100,200",
    duration: DurationOption = "10s",
    load: LoadOption = "idle",
    threshold: Annotated[int, typer.Option(help="Microseconds above which a wake-up is an outlier.")] = 30,
    qemu: QemuOption = None,
    firmware: FirmwareOption = None,
    store: StoreOption = None,
    format: FormatOption = RtFormat.TABLE,
) -> None:
    """Hold the secure world's TRNG for longer and longer and see what wakes up late, on a firmware built for it."""
    from latlab.campaigns.rt import run_trng
    from latlab.store.store import open_store
    from latlab.targets.linux.rt_job import Instrument, Workload
    from latlab.targets.qemu.qemu import find_qemu

    workload = Workload(seconds(duration), load, Instrument.RECORDER, outlier_us=threshold)
    _check(workload)
    if not re.fullmatch(r"\d+(,\d+)*", doses):
        raise UsageError(f"--doses {doses!r} is not a list of whole microseconds; write it as 0,50,100,200")
    opened = open_store(store)
    wanted = tuple(map(int, doses.split(",")))
    run_id = run_trng(opened, find_qemu(qemu), _image(), firmware, workload, wanted, _limits(workload), _say)
    _conclude(opened, run_id, format)


def rt_power(
    cycles: Annotated[int, typer.Option(help="CPU hotplug cycles, over all secondary CPUs in turn.")] = 12,
    suspends: Annotated[int, typer.Option(help="Deep suspends, woken by the real-time clock.")] = 2,
    cores: Annotated[int, typer.Option(help="vCPUs.")] = 4,
    qemu: QemuOption = None,
    firmware: FirmwareOption = None,
    store: StoreOption = None,
) -> None:
    """Take CPUs off and on and the system to sleep, under Linux, and time the firmware's part."""
    from latlab.campaigns.rt import run_power
    from latlab.model.conditions import Mode
    from latlab.store.store import open_store
    from latlab.targets.guest.guest import GuestMachine
    from latlab.targets.qemu.console import Limits
    from latlab.targets.qemu.qemu import find_qemu

    opened = open_store(store)
    machine = GuestMachine(cores, Mode.MULTI_THREAD, firmware=firmware)
    limit = BOOT_ALLOWANCE_S + CYCLE_ALLOWANCE_S * cycles + SUSPEND_ALLOWANCE_S * suspends
    run_id = run_power(opened, find_qemu(qemu), _image(), machine, cycles, suspends, Limits(limit, limit))
    _conclude(opened, run_id, RtFormat.TABLE)


def guest(rebuild: Annotated[bool, typer.Option("--rebuild", help="Fetch the packages and build it again.")] = False) -> None:
    """Build the RT-Linux guest's image, or say which one there is."""
    image = _image(rebuild)
    typer.echo(f"{image.folder}: Linux {image.kernel_release}")


def import_rt(
    log: Annotated[Path, typer.Argument(help="Output of cyclictest, jitterdebugger, rtla timerlat, or a recorder's file.")],
    duration: Annotated[str | None, typer.Option(help="How long it ran, to find what was missed.")] = None,
    interval: Annotated[int | None, typer.Option(help="Microseconds between two wake-ups, to find what was missed.")] = None,
    platform: Annotated[str, typer.Option(help="Name of the board.")] = UNNAMED,
    store: StoreOption = None,
    format: FormatOption = RtFormat.TABLE,
) -> None:
    """Keep wake-up latencies that another tool measured as a run."""
    from latlab.campaigns.rt_results import CAMPAIGN, IMPORT_LOG, keep, new_run
    from latlab.formats.wakeups.detect import read_wakeups
    from latlab.model.conditions import Conditions
    from latlab.store.store import open_store

    if (duration is None) != (interval is None):
        raise UsageError("--duration and --interval belong together: what was due is the one divided by the other")
    if interval is not None and interval < 1:
        raise UsageError(f"--interval {interval}: at least one microsecond lies between two wake-ups")
    data = log.read_bytes()
    wakeups = read_wakeups(data, log.name)
    conditions = Conditions()
    if duration is not None and interval is not None:
        conditions = Conditions(duration_s=seconds(duration), interval_ns=interval * 1000)
    opened = open_store(store)
    run = new_run(CAMPAIGN, "import", platform, max(cpu.cpu for cpu in wakeups.cpus) + 1, conditions, source=log.name)
    _conclude(opened, keep(opened, run, {IMPORT_LOG: data}, ()), format)


def register(run_app: typer.Typer, app: typer.Typer) -> None:
    run_app.command("rt")(rt)
    run_app.command("rt-trng")(rt_trng)
    run_app.command("rt-power")(rt_power)
    app.command("guest")(guest)
    app.command("import-rt")(import_rt)


def print_run(store: Store, run: Run, format: str) -> None:
    """A run of this campaign, as the table, JSON or RST."""
    from latlab.campaigns.rt_results import results_of
    from latlab.model.enums import Kind
    from latlab.report.rt import text as rt_text
    from latlab.report.rt.content import all_sheets, check_publishable, power_sheet, summary

    logs = store.logs(run.id)
    if run.kind is Kind.POWER:
        if format != RtFormat.TABLE.value:
            raise UsageError(f"{run.id} is a run of power boundaries; it is shown as a table only")
        rt_text.print_rt(_console(), run, [power_sheet(run, logs)])
        return
    results = results_of(run, logs)
    if format == RtFormat.JSON.value:
        sys.stdout.write(rt_text.as_json(run, results))
    elif format == RtFormat.RST.value:
        check_publishable(run)
        sys.stdout.write(rt_text.document(run, results))
    elif format == RtFormat.TABLE.value:
        rt_text.print_rt(_console(), run, summary(run, results) or all_sheets(run, results))
    else:
        raise UsageError(f"{run.id} cannot be printed as {format}; use table, json or rst")


def _console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)


def report_text(store: Store, run: Run, format: str) -> str:
    from latlab.campaigns.rt_results import results_of
    from latlab.report.rt.content import check_publishable

    check_publishable(run)
    results = results_of(run, store.logs(run.id))
    if format == "html":
        from latlab.report.rt.html import page

        return page(run, results)
    from latlab.report.rt.text import document

    return document(run, results)


def seconds(text: str) -> int:
    match = re.fullmatch(r"(\d+)([smhd]?)", text)
    if not match or int(match[1]) == 0:
        raise UsageError(f"--duration {text!r} is not a duration; write it as 10s, 5m, 6h or 1d")
    return int(match[1]) * SECONDS[match[2]]


def _check(workload: Workload) -> None:
    workload.load_command  # noqa: B018  refuses an unknown load before anything is started
    for name, value, low, high in (
        ("interval", workload.interval_us, 10, 60_000_000),
        ("priority", workload.priority, 1, 98),
        ("threshold", workload.outlier_us, 1, 60_000_000),
    ):
        if not low <= value <= high:
            raise UsageError(f"--{name} {value} is outside {low} to {high}")


def _machine(host: str | None) -> Machine:
    from latlab.targets.linux.machine import Here, OverSsh

    return OverSsh(host) if host else Here()


def _image(rebuild: bool = False) -> GuestImage:
    from latlab.targets.guest.guest_image import guest_image

    return guest_image(rebuild, _say)


def _limits(workload: Workload) -> Limits:
    from latlab.targets.qemu.console import Limits

    whole = BOOT_ALLOWANCE_S + SLOWDOWN * workload.duration_s
    return Limits(whole, max(SILENCE_FLOOR_S, whole))


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _conclude(store: Store, run_id: str, format: RtFormat) -> None:
    """Print what was measured, then what is wrong with it."""
    from latlab.model.enums import RunStatus

    run = store.load(run_id)
    problems = [problem.message for problem in run.problems]
    try:
        print_run(store, run, format.value)
    except DataError as error:
        if str(error) not in problems:
            problems.append(str(error))
    for problem in problems:
        typer.echo(f"problem: {problem}", err=True)
    if run.status is RunStatus.COMPLETE:
        typer.echo(f"run {run_id}: complete", err=True)
        return
    raise DataError(
        f"run {run_id} is partial: {problems[0] if problems else 'nothing was measured'}; `latlab show {run_id}` prints what was kept"
    )
