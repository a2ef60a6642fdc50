# SPDX-License-Identifier: BSD-3-Clause
"""Hostile schedules: the builds whose cores wait wherever they can meet another or a device, by a seed; and what is left when one hangs."""

from __future__ import annotations

import re
import struct
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from latlab.calls.targets.boards import board_of
from latlab.core.model.conditions import Mode
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.command import clock, loaded, words
from latlab.core.targets.qemu.images import ImageSet, find_images
from latlab.core.targets.qemu.qemu import PARAMS_MAGIC, QemuMachine, command_line, find_qemu
from support.machine_state import device_state, save
from support.monitored import Monitored
from support.needs import found

BUILD, SBSA_REF = "qemu_virt-delays", "sbsa_ref-delays"
OS_INITIATED, DELAYS, ALL_OFF = 2, 4, 8
SECURE_RAM_BYTES = 16 << 20
PLACE, SEED = struct.Struct("<QQQ"), struct.Struct("<Q")
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

    @property
    def secure_ram(self) -> range:
        base = 0x2000_0000 if self.build == SBSA_REF else 0x0E00_0000
        return range(base, base + SECURE_RAM_BYTES)

    def options(self, folder: Path) -> tuple[str, ...]:
        return (*(_sbsa_ref(self, folder) if self.build == SBSA_REF else self._virt(folder)), "-no-shutdown")

    def _virt(self, folder: Path) -> tuple[str, ...]:
        machine = QemuMachine(
            self.images, "psci_stress", Mode.MULTI_THREAD, self.gic, seed=self.seed, count=self.transitions, flags=self.flags
        )
        _, *options = command_line(found(find_qemu), machine, folder / "unused")
        end = options.index("-monitor")
        accelerator = options[options.index("-accel") :][:2]
        if self.folder:
            options[options.index("-bios") + 1] = str(self.folder / "firmware.bin")
        return (*options[:end], "-monitor", "none", *accelerator, "-fw_cfg", f"name=opt/latlab/delays,string={self.seed}")

    @property
    def elf(self) -> Path:
        return (self.folder or self.images.folder) / "firmware.elf"


def _sbsa_ref(schedule: Schedule, folder: Path) -> tuple[str, ...]:
    """Its clusters are all of a size, and nobody can tell its firmware a seed."""
    board, cores = board_of("sbsa-ref"), sum(schedule.clusters)
    image = folder / "seeded.bin"
    image.write_bytes(_seeded(schedule))
    options = (
        ("-M", board.name),
        ("-cpu", board.cpu or ""),
        ("-m", str(board.memory_mib)),
        ("-smp", f"{cores},sockets=1,clusters={len(schedule.clusters)}"),
        ("-bios", str(image)),
        loaded(schedule.images.folder / "psci_stress_sbsa-ref.elf"),
        *words(board.params, (PARAMS_MAGIC, 1, schedule.seed, schedule.transitions, 0, schedule.flags)),
        ("-display", "none"),
        ("-monitor", "none"),
        clock(None),
    )
    return (*(word for option in options for word in option), *board.words)


def _seeded(schedule: Schedule) -> bytes:
    """The image, whose flash begins at 0, with the seed where `delays_seed` comes from."""
    place = next(address for address, name in _functions(schedule.elf) if name == "delays_seed")
    with schedule.elf.open("rb") as stream:
        parts = ((part["p_vaddr"], part["p_filesz"], part["p_paddr"]) for part in ELFFile(stream).iter_segments("PT_LOAD"))
        at = next(loaded_from + place - base for base, size, loaded_from in parts if base <= place < base + size)
    image = bytearray(schedule.elf.with_suffix(".bin").read_bytes())
    image[at : at + SEED.size] = SEED.pack(schedule.seed)
    return bytes(image)


def _functions(elf: Path) -> list[tuple[int, str]]:
    with elf.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return sorted((symbol["st_value"], symbol.name) for symbol in table.iter_symbols() if symbol.name)


def _name(schedule: Schedule, functions: list[tuple[int, str]], address: int) -> str:
    below = [each for each in functions if each[0] <= address]
    return f"{below[-1][1]}+{address - below[-1][0]:#x}" if below and address in schedule.secure_ram else "the normal world"


def _monitor(qemu: Monitored, command: str) -> str:
    return str(qemu.tell("human-monitor-command", **{"command-line": command}))


def _places(qemu: Monitored, schedule: Schedule, folder: Path, at_el3: int) -> list[str]:
    functions = _functions(schedule.elf)
    table = next(address for address, name in functions if name == "delays_places")
    qemu.tell("memsave", val=table, size=PLACES * PLACE.size, filename=str(folder / "places"), **{"cpu-index": at_el3})
    kept = [each for each in PLACE.iter_unpack((folder / "places").read_bytes()) if each[0]]
    return [
        f"{_name(schedule, functions, place)}: waited {waits} times, {longest * 1_000_000 // COUNTER_HZ} us at most"
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
    at_el3 = next((core for core, counter in enumerate(counters) if counter in schedule.secure_ram), None)
    places = [] if at_el3 is None else _places(qemu, schedule, folder, at_el3)
    saved = save(qemu, folder)
    interfaces = _of_gicv3(saved) if schedule.gic == 3 else _of_gicv2(saved, len(counters))
    functions = _functions(schedule.elf)
    cores = [f"core {n}: {_name(schedule, functions, pc)}; {interfaces[n]}" for n, pc in enumerate(counters)]
    return "\n".join((f"{schedule}", *cores, "where cores waited:", *places))


def run(schedule: Schedule, folder: Path) -> str:
    """The closing line of a run that passed; else an AssertionError with all that is to be known."""
    with Monitored(folder, schedule.options(folder)) as qemu:
        said, since, clock = "", 0.0, qemu.clock()
        while not CLOSING.search(said) and qemu.process.poll() is None and clock.read() - since < SILENCE_S:
            time.sleep(0.1)
            now = qemu.normal.read_text(errors="replace") if qemu.normal.exists() else ""
            said, since = now, since if now == said else clock.now_s
        found = CLOSING.search(qemu.normal.read_text(errors="replace") if qemu.normal.exists() else "")
        closing = found[0].strip() if found else ""
        if not closing.endswith("lost=0 status=pass"):
            silent = (
                "" if closing or qemu.process.poll() is not None else f"HANG core 0, which watches the others: nothing for {SILENCE_S} s\n"
            )
            raise AssertionError(f"{said[-2000:]}\n{silent}{report(qemu, schedule, folder)}")
        return closing
