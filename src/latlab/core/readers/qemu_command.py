# SPDX-License-Identifier: BSD-3-Clause
"""What a QEMU command line says of the machine in it, and what is wiring of the run: images, consoles, the clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from latlab.core.model.conditions import Conditions

MACHINE = ("M", "machine")
PROCESSOR = "cpu"
KEPT_ELSEWHERE = ("smp", "icount", "accel")
"""The topology, the tick and the mode of the run have these."""
WIRING = frozenset((
    "append", "bios", "chardev", "D", "d", "daemonize", "display", "drive", "dtb", "fw_cfg", "initrd", "kernel", "mon", "monitor", "name",
    "nic", "no-reboot", "no-shutdown", "nographic", "object", "parallel", "pflash", "pidfile", "plugin", "qmp", "rtc", "S", "sd",
    "semihosting", "semihosting-config", "seed", "serial", "vga",
))  # fmt: skip
"""What has no part in how many instructions a call takes: images, consoles, the host."""
LOADER = "loader,"
WITHOUT_VALUE = frozenset(("daemonize", "no-reboot", "no-shutdown", "nographic", "S", "semihosting"))
GIC, VIRTUALIZATION = "gic-version", "virtualization"
NOT_OF_THE_MACHINE = ("dumpdtb", "dtb-randomness")
WITH_LEVELS, RISCV = "virt", "qemu-system-riscv"
"""The machine of Arm whose program runs at EL2 where it has one, else at EL1, and the emulator of another one of its name."""
AS_IT_IS = frozenset(("bios", "kernel", "initrd", "dtb", "pflash", "sd"))
"""Options whose whole value names a file; QEMU splits no other at commas that names one to load."""


def with_machine(conditions: Conditions, command: Sequence[str]) -> Conditions:
    """The conditions with what the command line says beside them. What they state already stays."""
    completed = conditions
    processor = controller = level = None
    is_riscv = bool(command) and RISCV in Path(command[0]).name
    options: list[str] = []
    for option, value in _options(command):
        if option in MACHINE:
            machine, properties = _machine(value)
            gic = properties.pop(GIC, None)
            controller = f"GICv{gic}" if gic else None
            has_el2 = properties.pop(VIRTUALIZATION, "off") == "on"
            if machine == WITH_LEVELS and not is_riscv:
                level = 2 if has_el2 else 1
            options += [f"{name}={value}" for name, value in properties.items() if name not in NOT_OF_THE_MACHINE]
        elif option == PROCESSOR:
            processor = value
        elif not _is_wiring(option, value):
            options.append(f"-{option} {value}".rstrip())
    return replace(
        completed,
        processor=completed.processor or processor,
        interrupt_controller=completed.interrupt_controller or controller,
        exception_level=level if completed.exception_level is None else completed.exception_level,
        emulator_options=completed.emulator_options or (tuple(sorted(options)) if command else None),
    )


def loaded_files(command: Sequence[str]) -> tuple[str, ...]:
    """The files that a machine is given, in the order of the command line: images, device trees, disks."""
    files = (value if option in AS_IT_IS else _file_of(option, value) for option, value in _options(command))
    return tuple(dict.fromkeys(filter(None, files)))


def _file_of(option: str, value: str) -> str:
    if option != "drive" and not (option == "device" and value.startswith(LOADER)):
        return ""
    parts = (part.replace("\0", ",") for part in value.replace(",,", "\0").split(","))
    return next((part.removeprefix("file=") for part in parts if part.startswith("file=")), "")


def _is_wiring(option: str, value: str) -> bool:
    """A value with a path in it names a file of the host."""
    return option in KEPT_ELSEWHERE or option in WIRING or value.startswith(LOADER) or "/" in value


def _options(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    words = list(command[1:])
    while words:
        word = words.pop(0)
        option = word.removeprefix("-").removeprefix("-")
        has_value = word.startswith("-") and option not in WITHOUT_VALUE and bool(words) and not words[0].startswith("-")
        if word.startswith("-"):
            yield option, words.pop(0) if has_value else ""


def _machine(value: str) -> tuple[str, dict[str, str]]:
    """`virt,secure=on` as its name and properties."""
    parts: Iterable[tuple[str, str, str]] = [part.partition("=") for part in value.split(",") if part]
    named = {name: text if equals else "" for name, equals, text in parts}
    machine = named.pop("type", "") or next((name for name, text in named.items() if not text), "")
    named.pop(machine, None)
    return machine, named
