# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run steal`. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.options import BoardOptions, FirmwareOption, Format, LinuxOptions, QemuOption, StoreOption, TablesFormat, grouped
from latlab.core.cli.output import err, say
from latlab.rt.verbs.below_linux import HwrngOption, QualityOption, RngNodeOption, SecureWorldOption, firmware_of, ready_drivers
from latlab.rt.verbs.run_rt import DurationOption, RtTarget, TimeoutOption, check_target, conclude, guest_image, machine_of, watched

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.core.targets.process.console import Limits
    from latlab.rt.targets.steal_job import Watch


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How each CPU is watched."""

    duration: DurationOption = "10s"
    load: Annotated[str, typer.Option(help="Also under this: any command, or cpu, hackbench, memory, syscalls, hwrng, spin.")] = "idle"
    interval: Annotated[int, typer.Option(help="Microseconds between two readings.")] = 200
    threshold: Annotated[int, typer.Option(help="Least time in firmware of a window in the time line, in nanoseconds.")] = 1000
    idle_states: Annotated[bool, typer.Option("--idle-states", help="Allow idle states, which may go through the firmware.")] = False

    def watch(self) -> Watch:
        from latlab.rt.campaign.steal import checked
        from latlab.rt.campaign.workloads import seconds_of
        from latlab.rt.targets.steal_job import Watch

        return checked(Watch(seconds_of(self.duration), self.load, self.interval, self.threshold, self.idle_states))


@dataclass(frozen=True, slots=True)
class StealGuestOptions:
    """The guest in QEMU."""

    cpu: Annotated[str, typer.Option(help="Guest: processor, as QEMU names it.")] = "cortex-a57"
    cores: Annotated[int, typer.Option(min=1, max=64, help="Guest: vCPUs.")] = 1
    hwrng: HwrngOption = True
    rng_node: RngNodeOption = None
    hwrng_quality: QualityOption = None
    timeout: TimeoutOption = None
    qemu: QemuOption = None
    firmware: FirmwareOption = None
    secure_world: SecureWorldOption = None


def register(run_app: typer.Typer) -> None:
    """Add the verb to the command line."""
    run_app.command("steal")(grouped(steal))


def steal(
    context: typer.Context,
    how: WatchOptions,
    in_guest: StealGuestOptions,
    on_linux: LinuxOptions,
    board: BoardOptions,
    target: Annotated[RtTarget, typer.Option(help="linux: here; ssh: --host; labgrid: --config; guest: Linux in QEMU")] = RtTarget.LINUX,
    store: StoreOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Measure the time that each CPU spends in firmware.

    It measures from Linux alone what EL3 and the secure world take of each CPU, or prints why it is not measurable. It also has the
    hypervisor's steal time and the number of SMIs, if the machine counts them.
    """
    from latlab.core.cli.stores import open_store
    from latlab.rt.campaign.workloads import steal_limits

    watch = how.watch()
    limits = steal_limits(watch, in_guest.timeout)
    check_target(context, target, StealGuestOptions, LinuxOptions)
    opened = open_store(store)
    run_id = _in_guest(opened, watch, in_guest, limits) if target is RtTarget.GUEST else _on_linux(opened, watch, target, on_linux, board)
    conclude(opened, run_id, format)


def _on_linux(store: Store, watch: Watch, target: RtTarget, options: LinuxOptions, board: BoardOptions) -> str:
    from latlab.rt.campaign.steal import run_steal_linux
    from latlab.rt.pages.measurement_progress import MeasurementProgress

    with machine_of(target, options.host, board) as machine, MeasurementProgress(err()) as watcher:
        return run_steal_linux(store, machine, watch, say, options.platform, watcher)


def _in_guest(store: Store, watch: Watch, options: StealGuestOptions, limits: Limits) -> str:
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.rt.campaign.steal import run_steal_guest
    from latlab.rt.targets.guest.guest import GuestMachine

    program = find_qemu(options.qemu)
    machine = GuestMachine(options.cores, firmware=firmware_of(options.firmware, options.secure_world), cpu=options.cpu)
    drivers = ready_drivers(machine, options.hwrng, options.rng_node, options.hwrng_quality)
    image = guest_image()
    with watched() as watcher:
        return run_steal_guest(store, program, image, machine, watch, drivers, limits, watcher)
