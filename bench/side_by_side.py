# SPDX-License-Identifier: BSD-3-Clause
"""Our firmware beside the TF-A that Debian has as source, or of a tree that is named: built here, the same calls, both measured by the
probe."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from latlab.calls.analysis.calls import EntryKind, Pairing, WorldCall
from latlab.calls.analysis.load_address import placed
from latlab.calls.analysis.marked import Marked, Marks
from latlab.calls.analysis.symbolize import function_of, instructions_by_function
from latlab.calls.model.crossings import Fragment, Header, Record
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.calls.readers.symbols import read_image
from latlab.calls.targets.subject import FirmwareImage, Subject, command_line, find_program, own_subject
from latlab.core.model.run import Problem
from latlab.core.model.symbols import Image
from latlab.core.targets.qemu.probe import find_probe, with_probe
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.core.targets.tools import run
from latlab.psci.readers.calls_log import CallsLog, read_calls_log
from latlab.rt.targets.recorder_binary import cache_folder

ROOT = Path(__file__).parents[1]
PACKAGE, SUITE = "arm-trusted-firmware", "trixie"
OPTIONS = "secure=on,gic-version=2"
FIP_OFFSET = 0x40000
ITERATIONS = 20
TIMEOUT_S = 900
LARGEST_FUNCTIONS = 4
CLEAN_BY_SET = 0xD5087A40, 0xD5087640, 0xD5087E40  # DC CSW, ISW and CISW, less the register
REGISTER = 0x1F
NOT_COMPARED = ("TRACE_", "CPU_OFF", "CPU_SUSPEND")  # what TF-A does not know, and what the tests have
LEAD = 0  # the first core of the stream is the boot core


@dataclass(frozen=True)
class Firmware:
    """`resident` is what stays in memory."""

    subject: Subject
    resident: Path


@dataclass(frozen=True)
class Measured:
    """Instructions of every call of a kind, by what the row is called; and where those of one CPU_OFF go, the largest first."""

    figures: Mapping[str, list[int]]
    functions: tuple[tuple[str, int], ...]
    log: CallsLog


def ours() -> Firmware:
    subject = own_subject("virt")
    return Firmware(replace(subject, options=OPTIONS), subject.images[0].file)


def debian_source() -> Path:
    """Fetched once; it lies in the user's cache."""
    source = cache_folder() / "peers" / f"{PACKAGE}-{SUITE}" / "source"
    run((str(ROOT / "guest/debian_source.sh"), PACKAGE, str(source), SUITE))
    return source


def built_tf_a(source: Path, gic: int = 2) -> Firmware:
    """Built once for either interrupt controller, in its tree."""
    base = "build" if gic == 2 else f"build-v{gic}"
    release = source / base / "qemu/release"
    program = source.parent / "program"
    program.write_bytes(b"the program takes its place\n")
    if not (release / "fip.bin").is_file():
        words = (
            "CROSS_COMPILE=aarch64-linux-gnu-",
            "PLAT=qemu",
            "DEBUG=0",
            f"BL33={program}",
            f"BUILD_BASE={base}",
            f"QEMU_USE_GIC_DRIVER=QEMU_GICV{gic}",
        )
        run(("make", "-j2", "-C", str(source), *words, "all", "fip"))
    images = (FirmwareImage(release / "bl1.bin", flash=0), FirmwareImage(release / "fip.bin", flash=FIP_OFFSET, takes_program=True))
    symbols = (release / "bl31/bl31.elf",)
    subject = replace(ours().subject, name=f"TF-A {version_of(source)}", images=images, symbols=symbols)
    return Firmware(subject, release / "bl31.bin")


def version_of(source: Path) -> str:
    said = (source / "Makefile").read_text("utf-8")
    numbers = {}
    for line in said.splitlines():
        name, _, value = line.partition(":=")
        if name.strip() in ("VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH"):
            numbers[name.strip()] = value.strip()
    return ".".join(numbers[f"VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH"))


def measured(firmware: Firmware) -> Measured:
    subject = firmware.subject
    with tempfile.TemporaryDirectory() as name:
        folder, stream = Path(name), Path(name, "stream")
        command = command_line(find_qemu(), subject, find_program(subject.board), ITERATIONS, folder)
        said = subprocess.run(
            with_probe(command, find_probe(find_qemu().path).path, stream, True),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=True,
            stdin=subprocess.DEVNULL,
        ).stdout
        header, *records = Decoder().feed(stream.read_bytes())
    assert isinstance(header, Header)
    whole: list[Record] = [record for record in records if not isinstance(record, Header | Problem)]
    fragments = {record.number: record for record in whole if isinstance(record, Fragment)}
    images = [read_image(path) for path in subject.symbols]
    images = list(placed(fragments.values(), images, header.arch))
    calls = list(Pairing(header.arch, call_names()).feed(whole))
    marked = list(Marks().feed(calls))
    (off, *_) = (each.call for each in marked if each.call.entry.name == "CPU_OFF")
    where = instructions_by_function(off.down, fragments, images)
    log = read_calls_log(said.decode("utf-8", "replace").splitlines())
    figures = figures_of_calls(calls) | figures_of_tests(marked, fragments, images)
    return Measured(figures, tuple(where.most_common(LARGEST_FUNCTIONS)), log)


def figures_of_calls(calls: Iterable[WorldCall]) -> dict[str, list[int]]:
    """Every call that comes back, by its name; what it waited for a lock is no instruction."""
    found: dict[str, list[int]] = defaultdict(list)
    for call in calls:
        name = call.entry.name
        if call.entry.kind is EntryKind.CALL and call.depth == 0 and not name.startswith(NOT_COMPARED):
            found[name].append(call.instructions)
    return dict(found)


def figures_of_tests(marked: Iterable[Marked], fragments: Mapping[int, Fragment], images: Sequence[Image]) -> dict[str, list[int]]:
    """The power-downs and wake-ups of the serial tests, the lead's rows left out: it goes down as the last core of all."""
    cleaning = {function_of(fragment, images) for fragment in fragments.values() if cleans_by_set(fragment)}
    found: dict[str, list[int]] = defaultdict(list)
    for each in marked:
        call = each.call
        if call.pause is None or not each.test.endswith("_serial") or each.core == LEAD:
            continue
        where = instructions_by_function(call.down, fragments, images)
        found[f"{each.test}, call to sleep"].append(call.pause.asleep - call.start)
        found[f"{each.test}, of which loops that clean by set and way"].append(sum(where[name] for name in cleaning))
        found[f"{each.test}, wake-up to the normal world"].append(call.end - call.pause.awake)
    return dict(found)


def cleans_by_set(fragment: Fragment) -> bool:
    words = (int.from_bytes(fragment.code[at : at + 4], "little") for at in range(0, len(fragment.code), 4))
    return any(word & ~REGISTER in CLEAN_BY_SET for word in words)


def cell(values: list[int] | None) -> str:
    if not values:
        return "left out"
    spread = "" if min(values) == max(values) else f" ({min(values)} to {max(values)})"
    return f"{median(values):g}{spread}, n = {len(values)}"


def side_by_side(firmware: tuple[Firmware, Firmware], found: tuple[Measured, Measured]) -> Table:
    title = f"QEMU virt, {OPTIONS}, cortex-a57, instruction clock, deterministic: instructions, median (range) and number of calls"
    table = Table("", *(each.subject.name for each in firmware), title=title)
    tests = (name for name in (*found[0].figures, *found[1].figures) if "," in name)
    for name in dict.fromkeys((*(name for name in found[0].figures if name in found[1].figures), *tests)):
        table.add_row(name, *(cell(each.figures.get(name)) for each in found))
    table.add_row("image that stays in memory, bytes", *(f"{each.resident.stat().st_size}" for each in firmware))
    table.add_section()
    for rank in range(LARGEST_FUNCTIONS):
        pairs = [each.functions[rank] if rank < len(each.functions) else ("", 0) for each in found]
        table.add_row(f"CPU_OFF, function {rank + 1}", *(f"{name} {count}" for name, count in pairs))
    for each, which in zip(found, firmware, strict=True):
        for test, why in each.log.skipped:
            table.add_row(f"{test} left out", *(why if which is one else "" for one in firmware))
    return table


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, help="a tree of TF-A; without it, that of Debian's source package")
    named = parser.parse_args().source
    firmware = ours(), built_tf_a(named.resolve() if named else debian_source())
    found = measured(firmware[0]), measured(firmware[1])
    Console(width=190).print(side_by_side(firmware, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
