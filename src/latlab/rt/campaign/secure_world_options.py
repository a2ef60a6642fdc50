# SPDX-License-Identifier: BSD-3-Clause
"""What stands below the guest's Linux, as a run keeps it: the secure world's build, and which of its services the kernel uses."""

from __future__ import annotations

from typing import TypedDict

from latlab.core.errors import UsageError
from latlab.core.model.run import Build
from latlab.rt.targets.guest.secure_world import Stack
from latlab.rt.targets.rt_job import Drivers, RngNode


class DriverConditions(TypedDict):
    """The conditions of these names."""

    hwrng_driver: bool
    hwrng_node: str | None
    hwrng_quality: int | None


def of_drivers(drivers: Drivers) -> DriverConditions:
    is_loaded = drivers.rng is not RngNode.NONE
    return DriverConditions(
        hwrng_driver=is_loaded, hwrng_node=drivers.rng.value if is_loaded else None, hwrng_quality=drivers.quality if is_loaded else None
    )


def build_of(stack: Stack) -> Build:
    return Build(stack.name, options=stack.options)


def drivers_for(stack: Stack | None, node: RngNode | None, quality: int | None = None) -> Drivers:
    """`node` None: OP-TEE's where the stack's OP-TEE offers one, else the firmware's. Raises UsageError where it has none."""
    if node is RngNode.OPTEE and (stack is None or not stack.offers_rng):
        why = "this firmware has no OP-TEE" if stack is None else "this OP-TEE makes its numbers itself and offers Linux none"
        raise UsageError(f"--rng-node optee: {why}", "use --rng-node firmware or none, or another --secure-world")
    if quality is not None and not 0 <= quality <= 1024:
        raise UsageError(f"--hwrng-quality {quality} is outside 0 to 1024", value=quality)
    usual = RngNode.OPTEE if stack is not None and stack.offers_rng else RngNode.FIRMWARE
    return Drivers(node or usual, stack is not None, quality)
