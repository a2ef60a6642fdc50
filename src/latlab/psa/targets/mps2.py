# SPDX-License-Identifier: BSD-3-Clause
"""QEMU's boards of the MPS family as a target: the images of each build of the SPM, and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import DataError, UsageError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock
from latlab.core.model.run import Tick
from latlab.core.model.symbols import Symbols
from latlab.core.targets.qemu.command import HEADLESS, NO_NETWORK, SEMIHOSTING, line, loaded, words
from latlab.core.targets.qemu.images import elf_events_hash, search_folders
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.tools import how_to_make, not_built, refuse_stale

PROGRAM = "qemu-system-arm"
PRODUCT_BUILDS = ("sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3")
BUILDS = (*PRODUCT_BUILDS, "classic_l1", "classic_l2")
ICOUNT_SHIFT = 10
SECURE_ELF = "secure.elf"
BENCH_ELF = "bench.elf"
CODE_SECTIONS = (".spm_code", ".partition_code", ".gnu.sgstubs")


@dataclass(frozen=True, slots=True)
class Mps2Board:
    """A machine of QEMU and what was built for it."""

    processor: str
    images: str  # the folder of its images in a build folder
    builds: tuple[str, ...]
    word: int  # the address of memory that no start clears: the bench takes its timer's priority from there


M33 = Mps2Board("cortex-m33", "spm", BUILDS, 0x28300000)
BOARDS = {"mps2-an521": M33, "mps2-an505": M33, "mps3-an547": Mps2Board("cortex-m55", "spm-mps3_an547", PRODUCT_BUILDS, 0x21300000)}
MACHINES = tuple(name for name, board in BOARDS.items() if board is M33)  # one image runs on each


def board_of(machine: str) -> Mps2Board:
    """Raises UsageError for a machine that nothing is built for."""
    if machine not in BOARDS:
        raise UsageError(f"--machine {machine} does not exist", f"use one of {', '.join(BOARDS)}", value=machine)
    return BOARDS[machine]


@dataclass(frozen=True, slots=True)
class PsaImages:
    """One build of the SPM and the bench that goes with it."""

    build: str
    folder: Path

    @property
    def secure(self) -> Path:
        return self.folder / SECURE_ELF

    @property
    def bench(self) -> Path:
        return self.folder / BENCH_ELF


def find_psa_images(build: str, folder: Path | None = None, machine: str = MACHINES[0]) -> PsaImages:
    """The images of a build: in the folder that the user names, the build folder of a checkout, or the package."""
    candidates = (folder / build, folder) if folder else tuple(base / board_of(machine).images / build for base in search_folders())
    for candidate in candidates:
        images = PsaImages(build, candidate)
        if images.secure.is_file() and images.bench.is_file():
            refuse_stale(images.secure, "spm")
            return images
    missing = f"no {SECURE_ELF} and {BENCH_ELF} of the build {build} in {', '.join(map(str, candidates))}"
    if folder:
        raise UsageError(missing, f"{how_to_make('spm')}, or name --firmware")
    raise not_built(missing, "spm", ", or name --firmware")


def conditions(priority: int, basepri: int | None = None, machine: str = MACHINES[0]) -> Conditions:
    """Of every run on these boards; `priority` is that of the sweep's interrupt, `basepri` the mask in its calls."""
    processor = board_of(machine).processor
    return Conditions(mode=Mode.DETERMINISTIC, processor=processor, interrupt_priority=priority, basepri=basepri)


def psa_events_hash(images: PsaImages) -> str:
    return elf_events_hash(images.bench)


def command_line(qemu: Qemu, machine: str, images: PsaImages, priority: int = 0, basepri: int = 0) -> tuple[str, ...]:
    """The processor starts in the secure image; UART0, the bench's console, is the standard output.

    Priority: of the bench's timer. BASEPRI: what it is while the bench makes a call that is interrupted; 0 masks nothing.
    """
    check_priority(priority)
    check_priority(basepri, "--basepri")
    word = board_of(machine).word
    options = [
        ("-M", machine),
        ("-icount", f"shift={ICOUNT_SHIFT}"),
        ("-kernel", str(images.secure)),
        loaded(images.bench),
        ("-serial", "stdio"),
        *HEADLESS,
        SEMIHOSTING,
        NO_NETWORK,
        *(words(word, (priority | basepri << 8,), 4) if priority or basepri else ()),
    ]
    return line(qemu.path, options, "-no-reboot")


def check_priority(priority: int, option: str = "--priority") -> None:
    """Raises UsageError for a priority that the processor does not have."""
    if not 0 <= priority <= 0xE0 or priority % 0x20:
        raise UsageError(f"{option} {priority:#x} does not exist; the processor has 0x00, 0x20 and so on to 0xE0")


def tick_of(clock_hz: int) -> Tick:
    """A tick of the board's timer, in instructions."""
    return Tick(Clock.INSTRUCTIONS, 1_000_000_000 / clock_hz / (1 << ICOUNT_SHIFT))


def symbols_of(elf: Path) -> Symbols:
    """The functions of an image; of two at one address the global one."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    try:
        with elf.open("rb") as stream:
            image = ELFFile(stream)
            table = image.get_section_by_name(".symtab")
            sections = [section.name for section in image.iter_sections()]
            symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else ()
            rows = sorted(
                (symbol["st_value"] & ~1, symbol["st_info"]["bind"] == "STB_GLOBAL", symbol.name, _section(sections, symbol["st_shndx"]))
                for symbol in symbols
                if symbol["st_info"]["type"] == "STT_FUNC" and symbol.name
            )
    except ELFError as error:
        raise DataError(f"not an ELF file that can be read ({error})", "build it again", place=elf) from error
    by_address = {address: (name, section) for address, _, name, section in rows}
    return Symbols(tuple(by_address), tuple(name for name, _ in by_address.values()), tuple(section for _, section in by_address.values()))


def _section(sections: list[str], index: int | str) -> str:
    """A symbol that is absolute or undefined has a word in place of an index."""
    return sections[index] if isinstance(index, int) else ""


def code_bytes(elf: Path) -> int:
    """What the image's code and constants take, less the padding of the last page of each part."""
    from elftools.elf.elffile import ELFFile

    with elf.open("rb") as stream:
        image = ELFFile(stream)
        return sum(section["sh_size"] for name in CODE_SECTIONS if (section := image.get_section_by_name(name)))


def symbols_text(symbols: Symbols) -> bytes:
    """One line per function: address, name and section. Kept with a run, so that its windows can be named without the image."""
    places = symbols.places or ("",) * len(symbols.names)
    rows = zip(symbols.addresses, symbols.names, places, strict=True)
    return "".join(f"{address:08x} {name} {place}".rstrip() + "\n" for address, name, place in rows).encode()


def parse_symbols(text: bytes) -> Symbols:
    rows = [line.split(" ") for line in text.decode().splitlines()]
    places = tuple(row[2] if len(row) > 2 else "" for row in rows)
    return Symbols(tuple(int(row[0], 16) for row in rows), tuple(row[1] for row in rows), places if any(places) else ())
