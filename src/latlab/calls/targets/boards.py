# SPDX-License-Identifier: BSD-3-Clause
"""The machines of QEMU that the programs of the psci and smc campaigns are built for, as far as firmware has to know them."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.errors import UsageError

PSCI_PROGRAM = "psci_calls"
SMC_PROGRAM = "smc_calls"


@dataclass(frozen=True, slots=True)
class EmulatedBoard:
    """A machine. The program's console is the first serial port, the firmware's may be either.

    `own_build` is the build of our own firmware, `suffix` ends the names of the programs that are for it. `words` go into every command
    line.
    `is_flashed`: what starts is at the beginning of a flash, else in memory at 0. `entered_at` is where firmware enters the normal world,
    if that is not where the program lies.

    Of firmware of which nothing is said: `cores_stay_on` where QEMU's model cannot start a core again as the usual firmware wants it,
    `is_deterministic` where its cores can take turns."""

    name: str
    own_build: str
    suffix: str
    params: int
    options: str
    cpu: str | None
    memory_mib: int | None
    cores: int
    most_cores: int
    words: tuple[str, ...] = ()
    is_flashed: bool = True
    entered_at: int | None = None
    cores_stay_on: bool = False
    is_deterministic: bool = True


_NO_NETWORK = ("-nic", "none")
# Its display adapter wants a ROM that comes with other packages than QEMU's own.
_SBSA_WORDS = (*_NO_NETWORK, "-global", "bochs-display.romfile=")

BOARDS = {
    "virt": EmulatedBoard("virt", "qemu_virt", "", 0x5FFF0000, "secure=on,gic-version=2", "cortex-a57", 1024, 4, 16, _NO_NETWORK),
    "raspi4b": EmulatedBoard(
        "raspi4b",
        "raspi4",
        "_raspi4b",
        0x1FFF0000,
        "",
        None,
        None,
        4,
        4,
        is_flashed=False,
        cores_stay_on=True,
        is_deterministic=False,
    ),
    "sbsa-ref": EmulatedBoard(
        "sbsa-ref", "sbsa_ref", "_sbsa-ref", 0x1001FFF0000, "", "neoverse-n1", 1024, 4, 16, _SBSA_WORDS, entered_at=0x10000000
    ),
}


def board_of(name: str) -> EmulatedBoard:
    """Raises UsageError for a machine that the program is not built for."""
    if name not in BOARDS:
        raise UsageError(f"the program is not built for a machine {name!r}; there are {', '.join(BOARDS)}", value=name)
    return BOARDS[name]
