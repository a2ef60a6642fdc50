# SPDX-License-Identifier: BSD-3-Clause
"""Options of the guest that say what stands below its Linux, and what they make ready. Heavy imports wait until they are needed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.output import say
from latlab.core.errors import UsageError

if TYPE_CHECKING:
    from latlab.rt.targets.guest.guest import GuestMachine
    from latlab.rt.targets.rt_job import Drivers


class RngNode(StrEnum):
    OPTEE = "optee"
    FIRMWARE = "firmware"
    NONE = "none"


BELOW_LINUX = "The firmware below the guest, and its random numbers"
"""The title of these options in the help."""
SecureWorldOption = Annotated[
    str | None,
    typer.Option(
        help="Guest: optee builds TF-A with OP-TEE and runs on it; behind commas prng, timer-switch=0, embedded-tests, secure-timer.",
        show_default="our own EL3 alone",
        rich_help_panel=BELOW_LINUX,
    ),
]
HwrngOption = Annotated[
    bool, typer.Option("--hwrng/--no-hwrng", help="Guest: load the driver of the hardware random numbers.", rich_help_panel=BELOW_LINUX)
]
RngNodeOption = Annotated[
    RngNode | None,
    typer.Option(
        help="Guest: source of the random numbers: OP-TEE, or the firmware in EL3.",
        show_default="OP-TEE's where it has one",
        rich_help_panel=BELOW_LINUX,
    ),
]
QualityOption = Annotated[
    int | None,
    typer.Option(
        "--hwrng-quality",
        help="Guest: quality of the random numbers for the kernel, of 1024.",
        show_default="the driver's",
        rich_help_panel=BELOW_LINUX,
    ),
]


def firmware_of(firmware: Path | None, secure_world: str | None) -> Path | None:
    """The folder of the firmware below Linux: as named, or a secure world, built where it is not yet. Raises UsageError for both."""
    if secure_world is None:
        return firmware
    if firmware is not None:
        raise UsageError("--secure-world sets the firmware", "leave out --firmware")
    return secure_world_folder(secure_world)


def secure_world_folder(text: str) -> Path:
    """Of a secure world, built where it is not yet."""
    from latlab.rt.targets.guest import secure_world as worlds

    return worlds.secure_world(worlds.secure_world_of(text), say=say)


def ready_drivers(machine: GuestMachine, hwrng: bool, node: RngNode | None, quality: int | None) -> Drivers:
    """What the guest loads on this firmware."""
    from latlab.rt.campaign.secure_world_options import drivers_for
    from latlab.rt.targets import rt_job
    from latlab.rt.targets.guest.guest import check_firmware, stack_of

    if not hwrng and node not in (None, RngNode.NONE):
        raise UsageError("--no-hwrng loads no driver", f"leave it out, or --rng-node {node}")
    check_firmware(machine)
    rng_node = rt_job.RngNode.NONE if not hwrng else rt_job.RngNode(node.value) if node else None
    return drivers_for(stack_of(machine), rng_node, quality)
