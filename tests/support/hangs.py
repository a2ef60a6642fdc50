# SPDX-License-Identifier: BSD-3-Clause
"""A firmware that hangs in the call of its client, in one of ten ways."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("hangs.S")
PREFIX = "aarch64-linux-gnu-"
TIMEOUT_S = 0.5


@dataclass(frozen=True)
class Hang:
    """`cores` hang, by `state` in `functions`. A `wait` is the instruction in which they sleep."""

    number: int
    name: str
    state: str
    functions: tuple[str, ...]
    wait: str | None = None
    cores: tuple[str, ...] = ("0.0",)

    def __str__(self) -> str:
        return self.name


HANGS = (
    Hang(1, "a lock that nobody releases", "repeats", ("spin_lock",)),
    Hang(2, "a lock that waits for events", "waits", ("event_lock",), "WFE"),
    Hang(3, "a WFI that no interrupt ends", "sleeps", ("power_down",), "WFI"),
    Hang(4, "an exception whose handler returns to it", "repeats", ("faults", "vectors", "same_level")),
    Hang(5, "a flag that nobody sets", "repeats", ("wait_for_flag",)),
    Hang(6, "vectors at a wrong address", "repeats", ("0xe800000+",)),
    Hang(7, "waiting for a core that is never off", "repeats", ("wait_for_core_off",)),
    Hang(8, "a delay without an end", "repeats", ("delay",)),
    Hang(9, "a length that wraps", "repeats", ("clear_memory",)),
    Hang(10, "two locks in two orders", "repeats", ("spin_lock",), None, ("0.0", "0.1")),
)


def watched(folder: Path, hang: Hang, has_clock: bool = True) -> dict[str, Any]:
    """What `latlab watch` prints of it as JSON, on two cores."""
    both = ("-DBOTH",) if len(hang.cores) > 1 else ()
    for command in (
        (f"{PREFIX}gcc", "-g", "-c", f"-DHANG={hang.number}", *both, str(SOURCE), "-o", "hang.o"),
        (f"{PREFIX}ld", "-Ttext=0", "-e", "0", "-o", "hang.elf", "hang.o"),
        (f"{PREFIX}objcopy", "-O", "binary", "hang.elf", "hang.bin"),
    ):
        subprocess.run(command, cwd=folder, check=True)
    machine = (
        *("qemu-system-aarch64", "-M", "virt,secure=on", "-cpu", "cortex-a57", "-smp", "2", "-m", "512", "-nic", "none"),
        *("-display", "none", "-monitor", "none", "-serial", "null", "-bios", str(folder / "hang.bin")),
        *(("-icount", "shift=4,sleep=off") if has_clock else ()),
    )
    store, symbols = folder / "store.sqlite", folder / "hang.elf"
    latlab = (sys.executable, "-m", "latlab", "watch", "--timeout", str(TIMEOUT_S), "--symbols", str(symbols), "--format", "json")
    done = subprocess.run((*latlab, "--store", str(store), "--", *machine), capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    told["error"] = done.stderr
    return told
