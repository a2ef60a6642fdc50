# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts and switches of threads at drawn instructions of the SPM, in the images as they are: the machine is stopped there and an
interrupt is made pending. One seed is one run, place for place; a run that fails says its seed and where the last ones were forced."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from latlab.psa.targets import mps2
from support.gdb_remote import GdbRemote, Gone
from support.on_mps2 import WITH_A_TICKER, check_threads
from support.places import ROOT

MACHINE = mps2.MACHINES[0]
CODE = "spm_code"
PC = 15
ARMED = 48  # many are never reached, or not for a while
CHANGED = 4
LAST = 12

# As the secure side sees the non-secure one's.
NS_ICSR, PEND_SWITCH, PEND_TICK = 0xE002_ED04, 1 << 28, 1 << 26
NS_SHPR3, TICK_PRIORITY = 0xE002_ED20, 0xFF00_0000
FIRST_CALL = "spm_connect"  # from there on the non-secure side has its scheduler
PANIC = "spm_panic_with"
DUAL_TIMER, VALUE, CONTROL, ENABLED = 0x5000_2000, 4, 8, 0x80
SLOW_TIMER = 0x5002_F000


@dataclass(frozen=True, slots=True)
class Code:
    """What of an image can be interrupted: each instruction of the SPM with its function, and those that come after a store."""

    functions: dict[int, str]
    after_stores: tuple[int, ...]

    def start_of(self, function: str) -> int:
        return min(at for at, name in self.functions.items() if name == function)


def _stores(first: int) -> bool:
    """Of an instruction of Thumb by its first halfword: does it store, or push?"""
    if first >> 11 in (0b11101, 0b11110, 0b11111):
        return (first & 0xFE10 == 0xE800) or (first & 0xFF10 == 0xF800) or (first & 0xFE10 == 0xEC00)
    return (first >> 12 in (0b0101, 0b0110, 0b0111, 0b1000, 0b1001, 0b1100) and not first & 0x0800) or first >> 9 == 0b1011010


def code_of(image: Path) -> Code:
    """By the mapping symbols of the ELF file, so that no word of data counts as an instruction."""
    with image.open("rb") as stream:
        elf = ELFFile(stream)
        section = next(each for each in elf.iter_sections() if each.name.lstrip(".") == CODE)
        start, data = section["sh_addr"], section.data()
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        marks: dict[int, bool] = {}
        names: dict[int, str] = {}
        for symbol in table.iter_symbols():
            at = symbol["st_value"] & ~1
            if not start <= at < start + len(data):
                continue
            if symbol.name.startswith(("$t", "$d", "$a")):
                marks[at] = symbol.name.startswith("$t")
            elif symbol["st_info"]["type"] == "STT_FUNC":
                names[at] = symbol.name
    return Code(*_instructions(start, data, marks, names))


def _instructions(start: int, data: bytes, marks: dict[int, bool], names: dict[int, str]) -> tuple[dict[int, str], tuple[int, ...]]:
    functions: dict[int, str] = {}
    after_stores = []
    at, is_code, name, after_store = start, False, "", False
    while at < start + len(data) - 1:
        is_code, name = marks.get(at, is_code), names.get(at, name)
        if not is_code:
            at, after_store = at + 2, False
            continue
        functions[at] = name
        if after_store:
            after_stores.append(at)
        first = int.from_bytes(data[at - start : at - start + 2], "little")
        after_store = _stores(first)
        at += 4 if first >> 11 in (0b11101, 0b11110, 0b11111) else 2
    return functions, tuple(after_stores)


@dataclass
class Forced:
    """One run: which places are armed, and what comes where."""

    gdb: GdbRemote
    code: Code
    draw: random.Random
    has_ticker: bool
    armed: list[int] = field(default_factory=list)
    places: list[tuple[int, str]] = field(default_factory=list)

    def _place(self) -> int:
        while True:
            at = self.draw.choice(self.code.after_stores if self.draw.random() < 0.75 else tuple(self.code.functions))
            if at not in self.armed and self.code.functions[at] != PANIC:
                return at

    def _arm(self) -> None:
        self.armed.append(self._place())
        self.gdb.stop_at(self.armed[-1])

    def _disarm(self, at: int) -> None:
        self.armed.remove(at)
        self.gdb.do_not_stop_at(at)

    def _tick(self) -> None:
        self.gdb.set_word(NS_ICSR, PEND_TICK)

    def _switch(self) -> None:
        self.gdb.set_word(NS_ICSR, PEND_SWITCH)

    def _device(self) -> None:
        """What the driver waits for comes now, if it was started."""
        if self.gdb.word(DUAL_TIMER + CONTROL) & ENABLED and self.gdb.word(DUAL_TIMER + VALUE) > 1:
            self.gdb.set_word(DUAL_TIMER, 1)
        if self.has_ticker and self.gdb.word(SLOW_TIMER) & 1:
            self.gdb.set_word(SLOW_TIMER + VALUE, 1)

    def _both(self) -> None:
        self._device()
        self._tick()

    def begin(self, tick_is_highest: bool) -> None:
        first = self.code.start_of(FIRST_CALL)
        self.gdb.stop_at(self.code.start_of(PANIC))
        self.gdb.stop_at(first)
        self.gdb.go_on()
        self.gdb.do_not_stop_at(first)
        if tick_is_highest:
            self.gdb.set_word(NS_SHPR3, self.gdb.word(NS_SHPR3) & ~TICK_PRIORITY)
        self._arm_all()

    def _arm_all(self) -> None:
        while len(self.armed) < ARMED:
            self._arm()

    def force(self) -> None:
        """At the instruction where the machine stands; other places are armed instead, and of some that were not reached."""
        at = self.gdb.register(PC)
        if at not in self.armed:  # a panic, or a processor that locked up
            self.places.append((at, "stopped for good"))
            raise Gone(None)
        what = self.draw.choice((self._tick, self._switch, self._device, self._both))
        what()
        self.places.append((at, what.__name__.strip("_")))
        self._disarm(at)
        for other in self.draw.sample(self.armed, CHANGED):
            self._disarm(other)
        self._arm_all()

    def last(self) -> Iterator[str]:
        for at, what in self.places[-LAST:]:
            name = self.code.functions.get(at)
            yield f"  {what} before {name}+{at - self.code.start_of(name):#x}" if name else f"  {what} at {at:#x}"


def forced_interrupts(build: str, seed: int, calls: int, folder: Path, images: Path = ROOT / "build" / "spm") -> list[tuple[int, str]]:
    """The program `threads` with `calls` calls beside that build, interrupted by the seed: every check of its own has to pass.

    In odd seeds the tick has the highest priority of the non-secure side, so that it interrupts the SPM's handlers as well. Returns
    the places and what was forced there.
    """
    secure, program = images / f"{build}_test" / "secure.elf", images / f"{build}_test" / "threads.elf"
    qemu = shutil.which(mps2.PROGRAM)
    if not qemu or not program.is_file():
        pytest.skip(f"the build {build}_test of the SPM or {mps2.PROGRAM} is not there; run `make setup spm`")
    console, gate = folder / "console.log", folder / "gdb"
    command = [qemu, "-M", MACHINE, "-icount", f"shift={mps2.ICOUNT_SHIFT},sleep=off", "-kernel", str(secure)]
    command += ["-device", f"loader,file={program}", "-device", f"loader,addr={mps2.board_of(MACHINE).word:#x},data={calls},data-len=4"]
    command += ["-display", "none", "-monitor", "none", "-serial", f"file:{console}", "-semihosting-config", "enable=on,target=native"]
    process = subprocess.Popen(
        (*command, "-gdb", f"unix:{gate},server=on,wait=off", "-S"), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    gdb = GdbRemote(gate)
    forced = Forced(gdb, code_of(secure), random.Random(seed), build in WITH_A_TICKER)
    status: int | None = None
    try:
        forced.begin(tick_is_highest=seed % 2 == 1)
        while True:
            gdb.go_on()
            forced.force()
    except Gone as gone:
        status = gone.status
    except TimeoutError:
        pass
    finally:
        gdb.close()
        process.kill()
        process.wait()
    said = console.read_text(errors="replace")
    assert status == 0, "\n".join((f"{build}, seed {seed}: ended with {status}", said[-1500:], "the last that was forced:", *forced.last()))
    check_threads(said, calls, MACHINE)
    return forced.places
