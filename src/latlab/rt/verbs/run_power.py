# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run rt-power`. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.options import BoardOptions, FirmwareOption, Format, QemuOption, StoreOption, TablesFormat, grouped
from latlab.core.cli.output import err, say
from latlab.rt.verbs.below_linux import SecureWorldOption, firmware_of
from latlab.rt.verbs.run_rt import (
    LoadOption,
    RtLinuxOptions,
    RtTarget,
    TimeoutOption,
    check_target,
    conclude,
    guest_image,
    machine_of,
    watched,
)

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.rt.targets.power_job import PowerCycle

GUEST_SUSPENDS = 2


@dataclass(frozen=True, slots=True)
class PowerGuestOptions:
    """The guest in QEMU."""

    cores: Annotated[int, typer.Option(help="Guest: vCPUs.")] = 4
    timeout: TimeoutOption = None
    qemu: QemuOption = None
    firmware: FirmwareOption = None
    secure_world: SecureWorldOption = None


def register(run_app: typer.Typer) -> None:
    """Add the verb to the command line."""
    run_app.command("rt-power")(grouped(rt_power))


def rt_power(
    context: typer.Context,
    in_guest: PowerGuestOptions,
    on_linux: RtLinuxOptions,
    board: BoardOptions,
    target: Annotated[RtTarget, typer.Option(help="guest: Linux in QEMU; linux: here; ssh: --host; labgrid: --config")] = RtTarget.GUEST,
    cycles: Annotated[int, typer.Option(help="CPU hotplug cycles, over all CPUs in turn.")] = 12,
    suspends: Annotated[
        int | None, typer.Option(help="Suspends, woken by the real-time clock.", show_default="guest: 2, others: 0")
    ] = None,
    load: LoadOption = "idle",
    affinity: Annotated[str, typer.Option("-a", "--affinity", help="The CPUs to take off, as 1 or 1-3.", show_default="all except 0")] = "",
    store: StoreOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Time CPU hotplug and suspend under Linux.

    It takes CPUs offline and online and suspends the system, times each transition, and names a CPU that does not come back.
    """
    from latlab.core.cli.stores import open_store
    from latlab.rt.campaign.workloads import check_power, cpus_of
    from latlab.rt.targets.power_job import PowerCycle

    count = suspends if suspends is not None else GUEST_SUSPENDS if target is RtTarget.GUEST else 0
    check_power(in_guest.cores, cycles, count)
    power = PowerCycle(cycles, count, load, cpus_of(affinity, None))
    power.load_command  # noqa: B018  refuses an unknown load before anything is started
    check_target(context, target, PowerGuestOptions, RtLinuxOptions)
    opened = open_store(store)
    on_guest = target is RtTarget.GUEST
    run_id = _in_guest(opened, power, in_guest) if on_guest else _on_linux(opened, power, target, on_linux, board)
    conclude(opened, run_id, format)


def _on_linux(store: Store, power: PowerCycle, target: RtTarget, options: RtLinuxOptions, board: BoardOptions) -> str:
    from latlab.rt.campaign.power import run_power_linux
    from latlab.rt.pages.measurement_progress import MeasurementProgress

    with machine_of(target, options.host, board) as machine, MeasurementProgress(err()) as watcher:
        return run_power_linux(store, machine, power, say, options.platform, options.smc_module, watcher)


def _in_guest(store: Store, power: PowerCycle, options: PowerGuestOptions) -> str:
    from latlab.core.model.conditions import Mode
    from latlab.core.targets.qemu.qemu import find_qemu
    from latlab.rt.campaign.power import run_power_guest
    from latlab.rt.campaign.workloads import check_cpus, power_limits
    from latlab.rt.targets.guest.guest import GuestMachine, check_firmware

    check_cpus(power.cpus, options.cores)
    machine = GuestMachine(options.cores, Mode.MULTI_THREAD, firmware=firmware_of(options.firmware, options.secure_world))
    limits = power_limits(power.cycles, power.suspends, options.timeout)
    check_firmware(machine)
    program, image = find_qemu(options.qemu), guest_image()
    with watched() as watcher:
        return run_power_guest(store, program, image, machine, power, limits, watcher)
