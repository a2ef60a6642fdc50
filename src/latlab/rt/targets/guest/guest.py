# SPDX-License-Identifier: BSD-3-Clause
"""The RT-Linux guest as a target: QEMU, our EL3 firmware, Debian's kernel, and a job whose files come back over the console.

Linux gets QEMU's own device tree, with its arguments and its initrd.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.readers.device_tree import read_tree
from latlab.core.targets.process.console import Console, Limits, MachineEnd, MachineOutcome
from latlab.core.targets.qemu.command import clock, escaped, loaded, serial_ports
from latlab.core.targets.qemu.images import FIRMWARE_BIN, PLATFORM, search_folders
from latlab.core.targets.qemu.probe import find_probe, with_probe
from latlab.core.targets.qemu.qemu import CPU, MEMORY_MIB, Qemu
from latlab.core.targets.scratch import scratch
from latlab.core.targets.tools import how_to_make, not_built, refuse_stale
from latlab.rt.readers.guest_frames import GuestOutput, read_frames
from latlab.rt.targets.guest.checkpoints import SHARED, SHARED_BYTES, make_shared
from latlab.rt.targets.guest.cpio import archive, file
from latlab.rt.targets.guest.guest_arch import ARCHES, Arch
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.guest.secure_world import Stack, stack_in

KERNEL_ADDRESS = 0x60000000
INITRD_ADDRESS = 0x68000000
ICOUNT_SHIFT = 1
EPOCH = "2026-01-01T00:00:00"
BOOTARGS = "console={} quiet loglevel=4 nokaslr panic=-1 rdinit=/init"
X86_ARGUMENTS = " tsc=reliable mitigations=off"
NO_IDLE_STATES = " cpuidle.off=1"
KERNEL_PANIC = b"Kernel panic"
JOB_DONE = b"<LLG1:DONE "
PHASE = re.compile(rb"<LLG1:PHASE name=([^ >]+)>")
HOLD_SUFFIX = "-hold"
STREAM, STREAM_KEPT_BYTES = "probe", 64 << 20
"""What the probe writes, and up to which size a run keeps it."""
X86_MACHINE = "q35,smm=on"
EFI_MACHINE = "virt,gic-version=3,acpi=off"
EFI_ARGUMENTS = " efi=runtime"
FLASH_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Chosen:
    bootargs: str
    initrd_start: int
    initrd_bytes: int


@dataclass(frozen=True, slots=True)
class GuestMachine:
    """What the guest runs on. `hold_firmware` is the test build that can delay TRNG calls. `probe` sees every change of world from outside
    and leaves its stream in the run's folder. `efi`: EDK2 in place of our firmware, on a machine without EL3, whose PSCI is QEMU's own."""

    cores: int = 1
    mode: Mode = Mode.DETERMINISTIC
    idle_states: bool = False
    kstack_randomised: bool = True
    hold_firmware: bool = False
    firmware: Path | None = None
    cpu: str = CPU
    probe: Path | None = None
    efi: bool = False
    arch: Arch = Arch.ARM64

    @property
    def has_own_firmware(self) -> bool:
        return not self.efi and self.arch is Arch.ARM64


@dataclass(frozen=True, slots=True)
class GuestRun:
    """What became of a job: `outcome` is how QEMU ended, `output` what the guest printed."""

    output: GuestOutput
    outcome: MachineOutcome
    console: bytes
    secure: bytes
    stderr: bytes
    command: tuple[str, ...]


def find_firmware(machine: GuestMachine) -> Path:
    """The folder of firmware.bin and firmware.elf."""
    name = PLATFORM + (HOLD_SUFFIX if machine.hold_firmware else "")
    bases = (machine.firmware,) if machine.firmware else search_folders()
    for base in bases:
        for candidate in (base / name, base):
            if (candidate / FIRMWARE_BIN).is_file():
                refuse_stale(candidate / FIRMWARE_BIN, name)
                return candidate
    missing = f"no {FIRMWARE_BIN} in {', '.join(str(base / name) for base in bases)}"
    if machine.firmware:
        raise UsageError(missing, f"{how_to_make(name)}, or name it with --firmware")
    raise not_built(missing, name, ", or name it with --firmware")


def stack_of(machine: GuestMachine) -> Stack | None:
    """The secure world that the machine's firmware has, where latlab has built one."""
    return stack_in(find_firmware(machine)) if machine.has_own_firmware else None


def check_firmware(machine: GuestMachine) -> None:
    """Raises NotBuilt where the machine's firmware is missing, before anything is fetched for its guest."""
    if machine.has_own_firmware:
        find_firmware(machine)


def check_machine(machine: GuestMachine) -> None:
    """Refuse a guest that cannot be, or whose wake-ups would be late by its emulator. Raises UsageError."""
    if machine.efi and (machine.hold_firmware or machine.firmware or machine.idle_states):
        raise UsageError(
            "--efi boots EDK2 without EL3, without --firmware, TRNG and idle states", "leave out --firmware, --hold and --idle-states"
        )
    if machine.arch is Arch.X86 and (machine.hold_firmware or machine.firmware or machine.idle_states or machine.efi):
        raise UsageError(
            "--arch x86 boots SeaBIOS, without EL3, EDK2 and idle states", "leave out --firmware, --hold, --efi and --idle-states"
        )
    if machine.mode is Mode.DETERMINISTIC and machine.cores != 1:
        raise UsageError(
            f"{machine.cores} vCPUs on the instruction clock take turns, which appears as latencies of milliseconds. Use --cores 1, or "
            "--mode multi-thread for a functional run without valid latencies"
        )


def watched_from_outside(machine: GuestMachine, qemu: Qemu) -> GuestMachine:
    """The same with the probe. Raises UsageError where its clock would not be known, or there is none."""
    if machine.mode is not Mode.DETERMINISTIC or machine.cores != 1:
        raise UsageError("--worlds reads the clock off the instructions of one vCPU", "leave out --mode and --cores")
    return replace(machine, probe=find_probe(qemu.path).path)


def run_guest(
    qemu: Qemu,
    machine: GuestMachine,
    image: GuestImage,
    job: str,
    limits: Limits,
    watch: Callable[[bytes], None] = lambda line: None,
    folder: Path | None = None,
    poll: Callable[[], bool] = lambda: False,
) -> GuestRun:
    """Boot, run the shell script `job`, collect what it left in /out. `watch` gets each line of the console; `poll` is asked several times
    in a second whether to stop. What the guest shares with its host is in `folder` meanwhile."""
    if folder is None:
        with scratch() as scratch_folder:
            return run_guest(qemu, machine, image, job, limits, watch, scratch_folder, poll)
    initrd = folder / "initrd"
    initrd.write_bytes(_padded(image.initrd.read_bytes()) + archive([file("job", job.encode())]))
    make_shared(folder / SHARED)
    board = _board(qemu, image, machine, initrd, folder)
    command = (*_base_command(qemu, machine), *board, *_guest_options(machine, folder))
    if machine.probe is not None:
        command = with_probe(command, machine.probe, folder / STREAM, False)
    console = Console(command, folder / "secure.log", limits, poll)
    return _followed(console, folder, watch)


def _board(qemu: Qemu, image: GuestImage, machine: GuestMachine, initrd: Path, folder: Path) -> tuple[str, ...]:
    if machine.arch is Arch.X86:
        kernel = ("-kernel", str(image.kernel), "-initrd", str(initrd), "-append", _arguments(machine) + X86_ARGUMENTS)
        return ("-M", X86_MACHINE, *kernel)
    return _efi_board(image, machine, initrd, folder) if machine.efi else _own_board(qemu, image, machine, initrd, folder)


def _followed(console: Console, folder: Path, watch: Callable[[bytes], None]) -> GuestRun:
    lines: list[bytes] = []
    for line in console.lines():
        lines.append(line)
        watch(line)
        if KERNEL_PANIC in line:
            console.stop(f"the guest's kernel panicked: {line.strip().decode('utf-8', 'replace')}")
        if JOB_DONE in line:
            console.expect_exit()
    output = read_frames(lines)
    outcome = console.outcome
    if outcome.end is MachineEnd.EXIT and output.status is None:
        outcome = MachineOutcome(MachineEnd.DEATH, f"the guest stopped or reset before its job ended, after {len(lines)} lines of console")
    secure = folder / "secure.log"
    return GuestRun(output, outcome, b"".join(lines), secure.read_bytes() if secure.exists() else b"", console.stderr, console.command)


def phase_of(line: bytes) -> str:
    """What the job says on the console that it does now; empty if the line says nothing of it."""
    match = PHASE.search(line)
    return match[1].decode("ascii", "replace") if match else ""


def _machine_option(dumpdtb: Path | None = None) -> str:
    dump = f",dumpdtb={escaped(dumpdtb)}" if dumpdtb else ""
    return f"virt,secure=on,gic-version=3,acpi=off,dtb-randomness=off{dump}"


def _own_board(qemu: Qemu, image: GuestImage, machine: GuestMachine, initrd: Path, folder: Path) -> tuple[str, ...]:
    """Our firmware starts a kernel that lies in memory, with a tree that has our PSCI and what the kernel is told."""
    firmware = ("-bios", str(find_firmware(machine) / FIRMWARE_BIN))
    tree = _dumped((*_base_command(qemu, machine), *firmware), folder / "qemu.dtb")
    chosen = Chosen(_arguments(machine), INITRD_ADDRESS, initrd.stat().st_size)
    (folder / "guest.dtb").write_bytes(patch(tree, chosen))
    stack = stack_of(machine)
    kernel = loaded(image.kernel, stack.kernel_address if stack else KERNEL_ADDRESS)
    in_memory = (*kernel, *loaded(initrd, INITRD_ADDRESS))
    return (*firmware, "-M", _machine_option(), "-dtb", str(folder / "guest.dtb"), *in_memory)


def _efi_board(image: GuestImage, machine: GuestMachine, initrd: Path, folder: Path) -> tuple[str, ...]:
    """EDK2 takes kernel and tree from QEMU and keeps its variables in the second flash, which is empty at each boot."""
    variables = folder / "variables.fd"
    with variables.open("wb") as flash:
        flash.truncate(FLASH_BYTES)
    store = ("-drive", f"if=pflash,unit=1,format=raw,file={escaped(variables)}")
    kernel = ("-kernel", str(image.kernel), "-initrd", str(initrd), "-append", _arguments(machine) + EFI_ARGUMENTS)
    return ("-M", EFI_MACHINE, "-bios", str(image.efi), *store, *kernel)


def _base_command(qemu: Qemu, machine: GuestMachine) -> tuple[str, ...]:
    hardware = ("-cpu", machine.cpu, "-smp", str(machine.cores), "-m", str(MEMORY_MIB))
    return (str(qemu.path), *hardware, "-nic", "none", "-display", "none", "-monitor", "none")


def _guest_options(machine: GuestMachine, folder: Path) -> tuple[str, ...]:
    is_counted = machine.mode is Mode.DETERMINISTIC
    options = (
        *serial_ports(folder / "secure.log"),
        clock(ICOUNT_SHIFT if is_counted else None),
        *((("-rtc", f"base={EPOCH},clock=vm"),) if is_counted else ()),
    )
    return (
        *("-object", f"memory-backend-file,id=shared,size={SHARED_BYTES},mem-path={escaped(folder / SHARED)},share=on"),
        *("-device", "ivshmem-plain,memdev=shared"),
        *(word for option in options for word in option),
        "-no-reboot",
    )


def _arguments(machine: GuestMachine) -> str:
    arguments = f"{BOOTARGS.format(ARCHES[machine.arch].console)} randomize_kstack_offset={'on' if machine.kstack_randomised else 'off'}"
    return arguments if machine.idle_states else arguments + NO_IDLE_STATES


def _dumped(base: tuple[str, ...], target: Path) -> bytes:
    """QEMU writes the device tree of its machine and ends."""
    command = (*base, "-M", _machine_option(target))
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0 or not target.is_file():
        errors = done.stderr.strip().splitlines()
        raise LatlabError(
            f"{base[0]} gave no device tree: {errors[-1] if errors else 'it printed nothing'}", "`latlab doctor` says which QEMU is needed"
        )
    return target.read_bytes()


def _padded(data: bytes) -> bytes:
    """The kernel looks for the next archive behind zeros, at a multiple of four."""
    return data + bytes(-len(data) % 512)


def patch(tree: bytes, chosen: Chosen) -> bytes:
    """A device tree for Linux from the one that QEMU dumped."""
    parsed = read_tree(tree)
    end = chosen.initrd_start + chosen.initrd_bytes
    parsed.set_property("bootargs", chosen.bootargs, "/chosen")
    parsed.set_property("linux,initrd-start", _cells(chosen.initrd_start), "/chosen")
    parsed.set_property("linux,initrd-end", _cells(end), "/chosen")
    return bytes(parsed.to_dtb(17))


def _cells(value: int) -> list[int]:
    return [value >> 32, value & 0xFFFFFFFF]
