# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of the rt campaign: `run rt`, `guest build`. Heavy imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.options import (
    BoardOptions,
    FirmwareOption,
    Format,
    LinuxOptions,
    QemuOption,
    StoreOption,
    TablesFormat,
    grouped,
    is_given,
    names_of,
    refuse_given,
)
from latlab.core.cli.output import err, say
from latlab.core.errors import DataError, UsageError
from latlab.rt.verbs.below_linux import (
    BELOW_LINUX,
    HwrngOption,
    QualityOption,
    RngNodeOption,
    SecureWorldOption,
    firmware_of,
    ready_drivers,
)
from latlab.rt.verbs.run_threads import CommandArgument, ThreadOptions, follow_threads, is_asked, plan_of, refuse_others

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.core.targets.linux.machine import Machine
    from latlab.core.targets.process.console import Limits
    from latlab.rt.campaign.following import Watcher
    from latlab.rt.targets.guest.guest_image import GuestImage
    from latlab.rt.targets.rt_job import Workload


class RtTarget(StrEnum):
    GUEST = "guest"
    LINUX = "linux"
    SSH = "ssh"
    LABGRID = "labgrid"


class Arch(StrEnum):
    ARM64 = "arm64"
    X86 = "x86"


ArchOption = Annotated[Arch, typer.Option("--arch", help="Guest: arm64 on our firmware, or x86 with System Management Mode.")]


class RtMode(StrEnum):
    DETERMINISTIC = "deterministic"
    MULTI_THREAD = "multi-thread"


class RtInstrument(StrEnum):
    BOTH = "both"
    RECORDER = "recorder"
    CYCLICTEST = "cyclictest"
    TIMERLAT = "timerlat"


DurationOption = Annotated[
    str, typer.Option("-D", "--duration", help="Duration of each tool, by the measured machine's clock: 10s, 5m, 6h.")
]
LoadOption = Annotated[str, typer.Option(help="The load: cpu, hackbench, memory, syscalls, hwrng, spin, idle, or any command.")]
TimeoutOption = Annotated[float | None, typer.Option(help="Guest: seconds until it is stopped.", show_default="by the duration")]
OF_CAUSES = "Late wake-ups and their causes"
ThresholdOption = Annotated[int, typer.Option(help="Microseconds above which a wake-up is an outlier.", rich_help_panel=OF_CAUSES)]


@dataclass(frozen=True, slots=True)
class WorkloadOptions:
    """What is measured under which load."""

    duration: DurationOption = "10s"
    load: LoadOption = "cpu"
    instrument: Annotated[
        RtInstrument | None,
        typer.Option(
            help="both: cyclictest and the recorder, one after the other; timerlat: rtla.", show_default="both; with --causes recorder"
        ),
    ] = None
    interval: Annotated[int, typer.Option("-i", "--interval", help="Microseconds between two wake-ups.")] = 200
    priority: Annotated[int, typer.Option("-p", "--priority", help="SCHED_FIFO priority.")] = 80
    affinity: Annotated[str, typer.Option("-a", "--affinity", help="The CPUs to measure, as 1 or 0,2-3.", show_default="all")] = ""
    threads: Annotated[int | None, typer.Option("-t", "--threads", help="How many threads, a CPU each.", show_default="by the CPUs")] = None
    threshold: ThresholdOption = 100
    idle_states: Annotated[bool, typer.Option("--idle-states", help="Allow idle states; the guest gets those of PSCI.")] = False
    causes: Annotated[
        bool,
        typer.Option("--causes", help="Keep what kernel and firmware did until each late wake-up; root.", rich_help_panel=OF_CAUSES),
    ] = False
    probes: Annotated[bool, typer.Option("--probes/--no-probes", help="Trace the kernel's way to the TRNG.", rich_help_panel=OF_CAUSES)] = (
        True
    )

    def workload(self) -> Workload:
        from latlab.rt.campaign.workloads import checked, cpus_of, seconds_of
        from latlab.rt.targets.rt_job import Instrument, Workload

        usual = RtInstrument.RECORDER if self.causes else RtInstrument.BOTH
        instrument = Instrument((self.instrument or usual).value)
        duration_s = seconds_of(self.duration)
        times = (self.interval, self.priority, self.threshold)
        cpus = cpus_of(self.affinity, self.threads)
        return checked(Workload(duration_s, self.load, instrument, *times, self.idle_states, self.causes, cpus))


@dataclass(frozen=True, slots=True)
class GuestOptions:
    """The guest in QEMU."""

    kstack: Annotated[bool, typer.Option("--kstack/--no-kstack", help="Guest: kernel-stack randomisation.")] = True
    hwrng: HwrngOption = True
    rng_node: RngNodeOption = None
    hwrng_quality: QualityOption = None
    hold: Annotated[
        int | None,
        typer.Option(help="Guest: injected delay of each TRNG_RND call, in microseconds.", rich_help_panel=BELOW_LINUX),
    ] = None
    efi: Annotated[
        bool,
        typer.Option("--efi", help="Guest: Debian's EDK2 instead of our firmware, with runtime services.", rich_help_panel=BELOW_LINUX),
    ] = False
    cores: Annotated[int, typer.Option(min=1, max=64, help="Guest: vCPUs.")] = 1
    mode: Annotated[RtMode, typer.Option(help="Guest: deterministic needs one vCPU.")] = RtMode.DETERMINISTIC
    timeout: TimeoutOption = None
    cpu: Annotated[str | None, typer.Option(help="Guest: processor, as QEMU names it.", show_default="by the architecture")] = None
    arch: ArchOption = Arch.ARM64
    qemu: QemuOption = None
    firmware: FirmwareOption = None
    secure_world: SecureWorldOption = None
    worlds: Annotated[
        bool, typer.Option("--worlds", help="Guest: split late wake-ups by world, with the probe.", rich_help_panel=BELOW_LINUX)
    ] = False


@dataclass(frozen=True, slots=True)
class RtLinuxOptions(LinuxOptions):
    smc_module: Annotated[
        Path | None, typer.Option(help="Boards: latlab_el3.ko for their kernel, to read the firmware's trace buffers.")
    ] = None


guest_app = typer.Typer(help="Build the image of the RT-Linux guest.", no_args_is_help=True, rich_markup_mode=None)


def register(run_app: typer.Typer, app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    run_app.command("rt")(grouped(rt))
    app.add_typer(guest_app, name="guest")


def rt(
    context: typer.Context,
    workload_options: WorkloadOptions,
    in_guest: GuestOptions,
    on_linux: RtLinuxOptions,
    board: BoardOptions,
    threads: ThreadOptions,
    target: Annotated[
        RtTarget,
        typer.Option(
            help="guest: RT Linux in QEMU; linux: here; ssh: --host; labgrid: --config", show_default="guest; for your threads linux"
        ),
    ] = RtTarget.GUEST,
    command: CommandArgument = None,
    boots: Annotated[int, typer.Option(help="Number of boots, a run each; the same command resumes.")] = 1,
    restart: Annotated[bool, typer.Option("--restart", help="With --boots: begin again instead of resuming.")] = False,
    store: StoreOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Measure wake-up latency on RT Linux under load.

    It uses cyclictest and latlab's recorder. With --causes the recorder measures alone, or first with --instrument both.

    With --threads-of, or with a command, it follows your own threads instead: their wake-ups, cycles and overruns, each late one with its
    cause. It traces the kernel's scheduler and needs root. What a command prints is stored with the run (`latlab show --log command.out`).
    """
    from latlab.core.cli.stores import open_store
    from latlab.rt.campaign.workloads import guest_limits

    if is_asked(threads, command):
        conclude(*_of_threads(context, threads, command, workload_options, target, on_linux, board, store), format)
        return
    workload = workload_options.workload()
    limits = guest_limits(workload, in_guest.timeout)
    check_target(context, target, GuestOptions, RtLinuxOptions)
    if boots == 1:
        refuse_given(context, ("restart",), "begins a series again; it needs --boots")
    opened = open_store(store)

    def measure_boot(planned: str = "") -> str:
        if target is RtTarget.GUEST:
            return _in_guest(opened, workload, in_guest, limits, workload_options.probes, planned)
        return _on_linux(opened, workload, target, on_linux, board, workload_options.probes, planned, context)

    if boots == 1:
        conclude(opened, measure_boot(), format)
        return
    if target is not RtTarget.GUEST and not (target is RtTarget.LABGRID and board.power_cycle):
        raise UsageError("--boots needs a target that latlab can boot: --target guest, or --target labgrid with --power-cycle")
    question = (str(target), repr(workload), repr(in_guest), repr(on_linux), repr(board))
    platform = on_linux.platform or (board.target_name if target is RtTarget.LABGRID else "")
    _boots(opened, measure_boot, boots, question, platform, workload, restart)


def _of_threads(
    context: typer.Context,
    options: ThreadOptions,
    command: list[str] | None,
    workload: WorkloadOptions,
    target: RtTarget,
    on_linux: RtLinuxOptions,
    board: BoardOptions,
    store: StoreOption,
) -> tuple[Store, str]:
    """The store and the id of a run that follows the user's threads."""
    from latlab.core.cli.stores import open_store

    if not is_given(context, "target"):
        target = RtTarget.SSH if is_given(context, "host") else RtTarget.LINUX
    if target is RtTarget.GUEST:
        raise UsageError("your threads do not run in latlab's guest", "use --target linux, ssh or labgrid")
    refuse_others(context, WorkloadOptions, GuestOptions, ("boots", "restart", "smc_module"))
    check_target(context, target, GuestOptions, RtLinuxOptions)
    plan = plan_of(context, options, command, workload.duration, workload.load, workload.threshold)
    opened = open_store(store)
    with machine_of(target, on_linux.host, board) as machine:
        return opened, follow_threads(opened, machine, plan, on_linux, board)


@guest_app.command()
def build(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Fetch the packages and build it again.")] = False,
    arch: ArchOption = Arch.ARM64,
    secure_world: SecureWorldOption = None,
) -> None:
    """Build the image of the RT-Linux guest.

    If the image is there, print which one it is. With --secure-world, build the firmware below the guest instead.
    """
    if secure_world is not None:
        from latlab.rt.targets.guest import secure_world as worlds

        folder = worlds.secure_world(worlds.secure_world_of(secure_world), rebuild, say)
        stack = worlds.stack_in(folder)
        assert stack is not None
        typer.echo(f"{folder}: {stack.name}")
        say(f"`--secure-world {secure_world}` of run rt and run steal takes it; `latlab run psci --subject {folder / worlds.SUBJECT}` too")
        return
    image = guest_image(rebuild, arch)
    typer.echo(f"{image.folder}: Linux {image.kernel_release}")


def _boots(
    store: Store,
    measure_boot: Callable[[str], str],
    boots: int,
    question: tuple[str, ...],
    platform: str,
    workload: Workload,
    restart: bool,
) -> None:
    """Every boot that is still to be done; then which runs there are."""
    from latlab.core.model.enums import RunStatus
    from latlab.rt.campaign.measure import planned_run
    from latlab.rt.campaign.series import planned_series

    series = planned_series(store, planned_run(workload, platform), boots, question, restart)
    if series.done:
        say(f"series {series.name} goes on: {len(series.done)} of {boots} boots are done; --restart begins again")
    done = list(series.done)
    for run_id in series.planned:
        say(f"boot {len(done) + 1} of {boots}")
        done.append(measure_boot(run_id))
    partial = [run_id for run_id in done if store.load(run_id).status is not RunStatus.COMPLETE]
    typer.echo("+".join(done))
    say(f"series {series.name}: {boots} boots; `latlab compare` takes the line above as one run of all of them")
    if partial:
        raise DataError(f"partial: {', '.join(partial)}", f"`latlab show {partial[0]}` prints why")


def _on_linux(
    store: Store,
    workload: Workload,
    target: RtTarget,
    options: RtLinuxOptions,
    board: BoardOptions,
    probes: bool,
    planned: str,
    context: typer.Context,
) -> str:
    from latlab.rt.campaign.measure import run_rt_linux
    from latlab.rt.pages.measurement_progress import MeasurementProgress
    from latlab.rt.targets.linux import Chosen

    chosen = Chosen(is_given(context, "load"), is_given(context, "instrument"))
    with machine_of(target, options.host, board) as machine, MeasurementProgress(err()) as watcher:
        return run_rt_linux(store, machine, workload, say, options.platform, options.smc_module, probes, watcher, planned, chosen)


def _in_guest(store: Store, workload: Workload, options: GuestOptions, limits: Limits, probes: bool, planned: str) -> str:
    from latlab.core.model.conditions import Mode
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.rt.campaign import measure as campaign
    from latlab.rt.campaign.workloads import checked_hold, expected_in_guest
    from latlab.rt.targets.guest import guest_arch
    from latlab.rt.targets.guest.guest import GuestMachine, check_machine, watched_from_outside
    from latlab.rt.targets.guest.guest_image import check_module

    if options.efi and (options.firmware or options.secure_world or options.rng_node):
        raise UsageError("--efi boots EDK2 without EL3", "leave out --firmware, --secure-world and --rng-node")
    mode, holds, hold_us = Mode(options.mode.value), options.hold is not None, checked_hold(options.hold)
    if holds and options.secure_world:
        raise UsageError("--hold is for our own firmware, built for it", "leave out --secure-world")
    machine = GuestMachine(options.cores, mode, workload.idle_states, options.kstack, holds, efi=options.efi)
    is_x86 = options.arch is Arch.X86
    machine = replace(machine, arch=guest_arch.Arch(options.arch.value), cpu=options.cpu or (guest_arch.X86_CPU if is_x86 else machine.cpu))
    check_machine(machine)
    if holds:
        check_module(machine.arch, "--hold")
    if is_x86 and (options.secure_world or options.worlds or options.rng_node):
        raise UsageError("--arch x86 has no secure world and no probe", "leave out --secure-world, --worlds and --rng-node")
    program = find_qemu(options.qemu, guest_arch.ARCHES[machine.arch].qemu)
    if options.worlds:
        machine = watched_from_outside(machine, program)
    machine = replace(machine, firmware=firmware_of(options.firmware, options.secure_world))
    drivers = ready_drivers(machine, options.hwrng and machine.has_own_firmware, options.rng_node, options.hwrng_quality)
    chosen, image = campaign.GuestOptions(drivers, probes, hold_us), guest_image(arch=options.arch)
    say(expected_in_guest(workload))
    with watched() as watcher:
        return campaign.run_rt_guest(store, program, image, machine, workload, chosen, limits, watcher, planned)


@contextmanager
def watched() -> Iterator[Watcher]:
    """Whoever sits at the terminal watches, and may interrupt."""
    from latlab.core.cli.interrupt import Interrupts
    from latlab.rt.pages.measurement_progress import MeasurementProgress

    with Interrupts() as interrupts, MeasurementProgress(err(), interrupts.asked) as watcher:
        yield watcher


@contextmanager
def machine_of(target: RtTarget, host: str | None, board: BoardOptions) -> Iterator[Machine]:
    from latlab.core.targets.linux.machine import Here, OverSsh

    if target is RtTarget.LABGRID:
        from latlab.core.cli.boards import machine_on

        with machine_on(board) as machine:
            yield machine
        return
    yield OverSsh(host) if host else Here()


def check_target(context: typer.Context, target: RtTarget, of_guest: type, of_linux: type) -> None:
    """Raises UsageError where options are given that another target takes, or the target lacks its own. The types are their groups."""
    if (target is RtTarget.SSH) != is_given(context, "host"):
        raise UsageError("--target ssh needs --host, and only it takes one", "write `--target ssh --host user@board`")
    if target is not RtTarget.LABGRID:
        refuse_given(context, names_of(BoardOptions), "is for --target labgrid; leave it out or name that target")
    if target is RtTarget.GUEST:
        refuse_given(context, names_of(of_linux), "is for a machine that runs Linux; --target guest has its own, leave it out")
    else:
        refuse_given(context, names_of(of_guest), f"is for the guest in QEMU and has no effect with --target {target}; leave it out")


def guest_image(rebuild: bool = False, arch: Arch = Arch.ARM64) -> GuestImage:
    from latlab.rt.targets.guest import guest_arch
    from latlab.rt.targets.guest import guest_image as images

    image = images.guest_image(rebuild, say, guest_arch.Arch(arch.value))
    if not image.smc_module:
        say(f"the guest has no kernel module: {guest_arch.ARCHES[image.arch].module_use}")
    return image


def conclude(store: Store, run_id: str, format: Format) -> None:
    """Print what was measured, then what is wrong with it."""
    from latlab.core.cli.showing import print_run
    from latlab.core.model.enums import RunStatus

    run = store.load(run_id)
    problems = [problem.message for problem in run.problems]
    try:
        print_run(store, run, format)
    except DataError as error:
        if str(error).removeprefix(f"{run.id}: ") not in problems:
            problems.append(str(error))
    for problem in problems:
        say(f"problem: {problem}")
    if run.status is RunStatus.COMPLETE:
        say(f"run {run_id}: complete")
        return
    raise DataError(
        f"run {run_id} is partial: {problems[0] if problems else 'nothing was measured'}", f"`latlab show {run_id}` prints what was kept"
    )
