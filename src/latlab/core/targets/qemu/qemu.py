# SPDX-License-Identifier: BSD-3-Clause
"""QEMU as a target: which one, whether it can do what is asked, and its command line."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock
from latlab.core.model.run import Tick
from latlab.core.targets.qemu.command import HEADLESS, NO_NETWORK, SEMIHOSTING, clock, escaped, line, loaded, serial_ports, words
from latlab.core.targets.qemu.images import ImageSet

PROGRAM = "qemu-system-aarch64"
PACKAGES = {PROGRAM: "qemu-system-arm", "qemu-system-x86_64": "qemu-system-x86", "qemu-system-riscv64": "qemu-system-riscv"}
"""Of Debian, of 12 and unstable alike; on 12 they are all in its backports."""
CPU = "cortex-a57"
MEMORY_MIB = 1024
DETERMINISTIC_MAJOR = 10
ICOUNT_SHIFT = 4
NS_PER_INSTRUCTION = 1 << ICOUNT_SHIFT
MAX_CORES = {2: 8, 3: 16}
MAX_ITERATIONS = 1_000_000
WANTED_CLUSTERS = "opt/latlab/clusters"
PARAMS_ADDRESS = 0x5FFF0000
PARAMS_MAGIC = 0x4C41544C41420001


@dataclass(frozen=True, slots=True)
class Qemu:
    path: Path
    version: tuple[int, int, int]

    def __str__(self) -> str:
        return f"QEMU {'.'.join(map(str, self.version))}"


@dataclass(frozen=True, slots=True)
class QemuMachine:
    """What QEMU is asked to be, and what the payload finds in memory."""

    images: ImageSet
    payload: str
    mode: Mode = Mode.DETERMINISTIC
    gic: int = 3
    el: int = 1
    iterations: int = 20
    seed: int = 1
    count: int = 0
    duration_ms: int = 0
    flags: int = 0
    cpu: str = CPU
    memory_mib: int = MEMORY_MIB

    @property
    def cores(self) -> int:
        return sum(self.images.topology.clusters)


def find_qemu(path: Path | None = None, usual: str = PROGRAM) -> Qemu:
    """The QEMU that the user names, or the first of the search path."""
    is_file = path is not None and path.is_file()
    program = shutil.which(str(path.absolute() if path and is_file else path or usual))
    if not program and is_file:
        raise UsageError(f"{path} is not a program that this user may run", "name a QEMU with --qemu")
    if not program:
        name = Path(path or usual).name
        raise UsageError(
            f"{path or usual} is missing",
            f"install QEMU {DETERMINISTIC_MAJOR} or newer (Debian: `apt install {PACKAGES.get(name, name)}`, on Debian 12 with "
            "`-t bookworm-backports`) or name one with --qemu",
        )
    try:
        version_text = subprocess.run(
            [program, "--version"], capture_output=True, text=True, errors="replace", timeout=30, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{program} does not start ({error})", "name another with --qemu") from error
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", version_text)
    if not match:
        raise UsageError(f"{program} does not print a QEMU version but {version_text[:60]!r}", "name a QEMU with --qemu")
    return Qemu(Path(program), (int(match[1]), int(match[2]), int(match[3])))


def check_machine(qemu: Qemu, machine: QemuMachine) -> None:
    """Refuse what this QEMU or this machine cannot do."""
    most = MAX_CORES.get(machine.gic)
    if most is None:
        raise UsageError(f"--gic {machine.gic} does not exist", "use 2 or 3", value=machine.gic)
    if machine.cores > most:
        raise UsageError(
            f"the topology {machine.images.topology} has {machine.cores} cores, GICv{machine.gic} on this machine takes {most}"
        )
    if machine.el not in (1, 2):
        raise UsageError(f"--el {machine.el} is not an exception level for the payload", "use 1 or 2", value=machine.el)
    if machine.iterations < 1:
        raise UsageError(f"--iterations {machine.iterations} measures nothing", "use 1 or more", value=machine.iterations)
    if machine.iterations > MAX_ITERATIONS:
        raise UsageError(f"--iterations {machine.iterations} would take days", f"use at most {MAX_ITERATIONS}", value=machine.iterations)
    if machine.mode is Mode.DETERMINISTIC and machine.cores > 1 and qemu.version[0] < DETERMINISTIC_MAJOR:
        raise UsageError(
            f"{qemu} at {qemu.path} can hang with {machine.cores} cores on the instruction clock. Install QEMU "
            f"{DETERMINISTIC_MAJOR} or newer (Debian 12: bookworm-backports), use one core with --topology 1, "
            "or check the function without latencies by --mode multi-thread"
        )


def command_line(qemu: Qemu, machine: QemuMachine, secure_log: Path) -> tuple[str, ...]:
    """UART0, the payload's console, is the standard output; UART1, the firmware's, goes to `secure_log`."""
    params = (PARAMS_MAGIC, machine.iterations, machine.seed, machine.count, machine.duration_ms, machine.flags)
    virtualization = ",virtualization=on" if machine.el == 2 else ""
    options = [
        ("-M", f"virt,secure=on{virtualization},gic-version={machine.gic}"),
        ("-cpu", machine.cpu),
        ("-smp", str(machine.cores)),
        ("-m", str(machine.memory_mib)),
        ("-bios", str(machine.images.firmware_bin)),
        loaded(machine.images.payload(machine.payload)),
        ("-fw_cfg", f"name={WANTED_CLUSTERS},string={escaped(str(machine.images.topology))}"),
        SEMIHOSTING,
        *words(PARAMS_ADDRESS, params),
        NO_NETWORK,
        *HEADLESS,
        *serial_ports(secure_log),
        clock(ICOUNT_SHIFT if machine.mode is Mode.DETERMINISTIC else None),
    ]
    return line(qemu.path, options, "-no-reboot")


def clock_of(mode: Mode) -> Clock:
    """Deterministic runs count instructions; multi-threaded ones can only count the host's time."""
    return Clock.INSTRUCTIONS if mode is Mode.DETERMINISTIC else Clock.TIME


def tick_of(clock: Clock, clock_hz: int) -> Tick:
    """What a tick of the system counter is worth: instructions where the clock counts them, else ns."""
    ns = 1_000_000_000 / clock_hz
    return Tick(clock, ns / NS_PER_INSTRUCTION if clock is Clock.INSTRUCTIONS else ns)
