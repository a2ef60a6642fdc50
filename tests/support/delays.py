# SPDX-License-Identifier: BSD-3-Clause
"""Hostile schedules: the build whose cores wait wherever they can meet another or a device, by a seed; and what is left when it hangs."""

from __future__ import annotations

import re
import struct
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from latlab.model.conditions import Mode
from latlab.model.run import Topology
from latlab.targets.qemu.images import ImageSet, find_images
from latlab.targets.qemu.qemu import Machine, command_line, find_qemu
from support.machine_state import device_state, save
from support.monitored import Monitored
from support.needs import found

BUILD = "qemu_virt-delays"
OS_INITIATED, DELAYS, ALL_OFF = 2, 4, 8
SECURE_RAM = range(0x0E00_0000, 0x0F00_0000)
PLACE = struct.Struct("<QQQ")
PLACES = 256
COUNTER_HZ = 62_500_000
SILENCE_S = 180
CLOSING = re.compile(r".*status=\w+\r?\n")
"""A whole line: a console is read while it is written."""
PRIVATE = 32


@dataclass(frozen=True, slots=True)
class Schedule:
    """One run; the same again has the same places, as long as the firmware is the same."""

    clusters: tuple[int, ...]
    gic: int
    seed: int
    flags: int = DELAYS
    transitions: int = 5_000
    build: str = BUILD
    folder: Path | None = None  # of another firmware than the checkout's; the programs are the checkout's

    @property
    def images(self) -> ImageSet:
        images = found(lambda: find_images(Topology(self.clusters), "psci_stress"))
        return replace(images, folder=images.folder.with_name(self.build))

    def options(self, folder: Path) -> tuple[str, ...]:
        machine = Machine(self.images, "psci_stress", Mode.MULTI_THREAD, self.gic, seed=self.seed, count=self.transitions, flags=self.flags)
        _, *options = command_line(found(find_qemu), machine, folder / "unused")
        end = options.index("-monitor")
        accelerator = options[options.index("-accel") :][:2]
        if self.folder:
            options[options.index("-bios") + 1] = str(self.folder / "firmware.bin")
        return (*options[:end], "-monitor", "none", *accelerator, "-fw_cfg", f"name=opt/latlab/delays,string={self.seed}", "-no-shutdown")

    @property
    def elf(self) -> Path:
        return (self.folder or self.images.folder) / "firmware.elf"


def _functions(elf: Path) -> list[tuple[int, str]]:
    with elf.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return sorted((symbol["st_value"], symbol.name) for symbol in table.iter_symbols() if symbol.name)


def _name(functions: list[tuple[int, str]], address: int) -> str:
    below = [each for each in functions if each[0] <= address]
    return f"{below[-1][1]}+{address - below[-1][0]:#x}" if below and address in SECURE_RAM else "the normal world"


def _monitor(qemu: Monitored, command: str) -> str:
    return str(qemu.tell("human-monitor-command", **{"command-line": command}))


def _places(qemu: Monitored, schedule: Schedule, folder: Path, at_el3: int) -> list[str]:
    functions = _functions(schedule.elf)
    table = next(address for address, name in functions if name == "delays_places")
    qemu.tell("memsave", val=table, size=PLACES * PLACE.size, filename=str(folder / "places"), **{"cpu-index": at_el3})
    kept = [each for each in PLACE.iter_unpack((folder / "places").read_bytes()) if each[0]]
    return [
        f"{_name(functions, place)}: waited {waits} times, {longest * 1_000_000 // COUNTER_HZ} us at most"
        for place, waits, longest in sorted(kept, key=lambda each: -each[2])
    ]


def _of_gicv3(saved: bytes) -> list[str]:
    said = []
    for core in device_state(saved, "arm_gicv3")["cpu"]:
        one = {name: values[0] if len(values) == 1 else values for name, values in core.items()}
        pending = [
            f"{number}@{one['gicr_ipriorityr'][number]:#x}{'' if one['gicr_ienabler0'] >> number & 1 else ' disabled'}"
            for number in range(PRIVATE)
            if (one["gicr_ipendr0"] | one["level"]) >> number & 1
        ]
        said.append(
            f"groups 0, 1, 1NS open {one['icc_igrpen']}, mask {one['icc_pmr_el1']:#x}, running {[hex(bits) for bits in one['icc_apr']]}; "
            f"active {one['gicr_iactiver0']:#x}, pending {', '.join(pending) or 'none'}"
        )
    return said


def _of_gicv2(saved: bytes, cores: int) -> list[str]:
    gic = device_state(saved, "arm_gic")
    most = len(gic["priority_mask"])
    private: list[dict[str, list[Any]]] = gic["irq_state"][:PRIVATE]
    said = []
    for core in range(cores):
        pending = [
            f"{number}@{gic['priority1'][number * most + core]:#x}"
            for number, state in enumerate(private)
            if (state["pending"][0] | state["level"][0]) >> core & 1
        ]
        said.append(
            f"control {gic['cpu_ctlr'][core]:#x}, mask {gic['priority_mask'][core]:#x}, running {gic['running_priority'][core]:#x}; "
            f"active {[number for number, state in enumerate(private) if state['active'][0] >> core & 1]}, "
            f"pending {', '.join(pending) or 'none'}"
        )
    return said


def report(qemu: Monitored, schedule: Schedule, folder: Path) -> str:
    """The machine stops for good: seed, places, and where every core is, with its interface and its redistributor."""
    counters = [int(each, 16) for each in re.findall(r"\bPC=([0-9a-f]+)", _monitor(qemu, "info registers -a"))]
    at_el3 = next((core for core, counter in enumerate(counters) if counter in SECURE_RAM), None)
    places = [] if at_el3 is None else _places(qemu, schedule, folder, at_el3)
    saved = save(qemu, folder)
    interfaces = _of_gicv3(saved) if schedule.gic == 3 else _of_gicv2(saved, len(counters))
    functions = _functions(schedule.elf)
    cores = [f"core {n}: {_name(functions, pc)}; {interfaces[n]}" for n, pc in enumerate(counters)]
    return "\n".join((f"{schedule}", *cores, "where cores waited:", *places))


def run(schedule: Schedule, folder: Path) -> str:
    """The closing line of a run that passed; else an AssertionError with all that is to be known."""
    with Monitored(folder, schedule.options(folder)) as qemu:
        said, since = "", time.monotonic()
        while not CLOSING.search(said) and qemu.process.poll() is None and time.monotonic() - since < SILENCE_S:
            time.sleep(0.1)
            now = qemu.normal.read_text(errors="replace") if qemu.normal.exists() else ""
            said, since = now, since if now == said else time.monotonic()
        found = CLOSING.search(qemu.normal.read_text(errors="replace") if qemu.normal.exists() else "")
        closing = found[0].strip() if found else ""
        if not closing.endswith("lost=0 status=pass"):
            raise AssertionError(f"{said[-2000:]}\n{report(qemu, schedule, folder)}")
        return closing
