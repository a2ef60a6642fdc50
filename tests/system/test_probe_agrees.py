# SPDX-License-Identifier: BSD-3-Clause
"""The probe and the firmware's own trace, in one run: their spans differ by the instructions between the two's ends, and by no other."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from latlab.calls.analysis.calls import Pairing, WorldCall
from latlab.calls.analysis.symbolize import instructions_by_function
from latlab.calls.model.crossings import Core, Fragment, Header, Stretch
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.calls.readers.symbols import read_image
from latlab.calls.targets.subject import command_line as subject_command
from latlab.calls.targets.subject import own_subject
from latlab.core.model.run import CoreId, Problem, Topology
from latlab.core.readers.dump.dump import collect_dump
from latlab.core.readers.event_table import event_table
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.probe import with_probe
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from latlab.psci.analysis.spans import measured_call
from support.plugins import probe_here
from support.repeated import printed_steps

TIMEOUT_S = 900
MEASURED = ("CPU_SUSPEND (64)", "CPU_OFF", "PSCI_VERSION")
LARGEST_GAP = {
    1: 110,
    2: 130,
}  # by the normal world's level: EL3 sets up more registers for EL2, behind the last trace point; GCC 14 needs 100
LAP_END = "trace_end_part"
LATE_SHARE = 8
Make = Callable[[Path], tuple[tuple[str, ...], Path]]


@dataclass(frozen=True)
class Group:
    """Spans that pass the same code. `is_lead`: those of the core that begins and ends the test."""

    test: str
    call: str
    part: str
    is_lead: bool


@dataclass(frozen=True)
class Gap:
    """What the probe's span has more than the trace's, in instructions of the machine; and how many of the probe's are other cores'."""

    instructions: int
    others: int


def measured_calls(calls: list[WorldCall]) -> list[WorldCall]:
    """A core's calls that stand between two TRACE_STATUS: the benchmark asks where its ring is before and after what it measures."""
    around = zip(calls, calls[1:], calls[2:], strict=False)
    return [
        call for before, call, after in around if before.entry.name == after.entry.name == "TRACE_STATUS" and call.entry.name in MEASURED
    ]


def of_virt(folder: Path, clusters: tuple[int, ...]) -> tuple[tuple[str, ...], Path]:
    """The command that runs the benchmark, and the firmware's symbols."""
    images = find_images(Topology(clusters), "psci_bench")
    return command_line(find_qemu(), QemuMachine(images, "psci_bench", iterations=3), folder / "secure.log"), images.firmware_elf


def of_raspi4b(folder: Path) -> tuple[tuple[str, ...], Path]:
    subject = own_subject("raspi4b")
    (symbols,) = subject.symbols
    return subject_command(find_qemu(), subject, symbols.with_name("psci_bench_raspi4b.elf"), 3, folder), symbols


@pytest.mark.parametrize("clusters", [(2, 4), (4, 4, 4, 4)])
def test_every_span_of_the_trace_is_the_probes_less_a_constant_within_a_capture(tmp_path: Path, clusters: tuple[int, ...]) -> None:
    check_agreement(tmp_path, *of_virt(tmp_path, clusters), Topology(clusters), LARGEST_GAP[1])


def test_they_agree_on_the_raspberry_pi_too(tmp_path: Path) -> None:
    check_agreement(tmp_path, *of_raspi4b(tmp_path), Topology((4,)), LARGEST_GAP[2])


@pytest.mark.parametrize(
    "make", [partial(of_virt, clusters=(1,)), partial(of_virt, clusters=(2, 4)), partial(of_virt, clusters=(4, 4, 4, 4)), of_raspi4b]
)
def test_no_step_of_a_call_is_another_under_the_probe(tmp_path: Path, make: Make) -> None:
    command, _ = make(tmp_path)
    watched = with_probe(command, probe_here(), tmp_path / "stream", True)
    with_it, without = (printed_steps(console_of(one).decode()) for one in (watched, command))
    assert with_it == without != []


def console_of(command: tuple[str, ...]) -> bytes:
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL).stdout


def check_agreement(folder: Path, command: tuple[str, ...], symbols: Path, topology: Topology, largest_gap: int) -> None:
    stream = folder / "stream"
    console = console_of(with_probe(command, probe_here(), stream, True))
    dump = collect_dump(console.decode().splitlines(), event_table())
    assert not dump.problems
    header, *records = Decoder().feed(stream.read_bytes())
    assert isinstance(header, Header)
    seen = [record for record in records if not isinstance(record, Header | Problem)]
    fragments = {record.number: record for record in seen if isinstance(record, Fragment)}
    names = {record.core: topology.cores[record.identity & 0xFF] for record in seen if isinstance(record, Core)}
    by_core: dict[CoreId, list[WorldCall]] = defaultdict(list)
    for call in Pairing(header.arch, call_names()).feed(seen):
        by_core[names[call.core]].append(call)
    calls = {core: iter(measured_calls(found)) for core, found in by_core.items()}
    image = read_image(symbols)
    capture_cost = dump.boots[0].capture_mticks / 1000
    assert 0 < capture_cost < 10

    gaps: dict[Group, list[Gap]] = defaultdict(list)
    for iteration in dump.iterations:
        clocks_apart = set()
        for trace in iteration.traces:
            call = next(calls[trace.core])
            ticks = {record.event: record.time_ticks for record in measured_call(trace)}
            for part, own, machine, (first, last), runs in parts_of(call):
                traced = ticks[last] - ticks[first] + instructions_by_function(runs, fragments, [image])[LAP_END]
                group = Group(trace.test, call.entry.name, part, trace.core == iteration.lead)
                gaps[group].append(Gap(machine - traced, machine - own))
            if call.pause:
                clocks_apart.add(ticks["EXIT_HW_LOW_PWR"] - call.pause.awake_machine)
        if iteration.test.endswith("_parallel") and clocks_apart:
            assert max(clocks_apart) - min(clocks_apart) <= capture_cost, "a wake-up together has all cores on one clock"
    assert len(gaps) == 2 + 5 * 2 * 2
    check_gaps(gaps, capture_cost, largest_gap)
    assert all(next(found, None) is None for found in calls.values())


def parts_of(call: WorldCall) -> list[tuple[str, int, int, tuple[str, str], tuple[Stretch, ...]]]:
    """Name, instructions of the core and of the machine, the trace points inside of it, and what ran, of each part of a call."""
    if call.pause is None:
        whole = call.end - call.start, call.end_machine - call.start_machine
        return [("call", *whole, ("ENTER_PSCI", "EXIT_PSCI"), call.down)]
    pause = call.pause
    down = pause.asleep - call.start, pause.asleep_machine - call.start_machine
    up = call.end - pause.awake, call.end_machine - pause.awake_machine
    return [
        ("down", *down, ("ENTER_PSCI", "ENTER_HW_LOW_PWR"), call.down),
        ("up", *up, ("EXIT_HW_LOW_PWR", "EXIT_PSCI"), call.up),
    ]


def check_gaps(gaps: dict[Group, list[Gap]], capture_cost: float, largest_gap: int) -> None:
    """One constant for each group: what EL3 executes before its first trace point and behind its last.

    The trace's clock is that of the machine, so the spans are compared in its instructions. A turn of other cores is in both or, where it
    falls between a trace point and the crossing beside it, in the probe's alone: then it is the difference, and other cores ran so much.
    That may be so in every iteration of a parallel test, so the constant is that of the serial one, where no other core runs."""
    late = 0
    for group, found in gaps.items():
        serial = gaps.get(replace(group, test=group.test.replace("_parallel", "_serial")), found)
        constant = min(gap.instructions for gap in serial)
        assert 0 < constant < largest_gap, (group, found)
        for gap in found:
            excess = gap.instructions - constant
            assert excess >= -capture_cost, (group, gap)
            assert excess <= max(capture_cost, gap.others), (group, gap)
            late += excess > capture_cost
            assert group.test.endswith("_parallel") or gap.others == 0, (group, gap)
    spans = sum(map(len, gaps.values()))
    assert late < spans / LATE_SHARE, f"{late} of {spans}"


def test_counts_of_one_core_agree_with_those_of_the_instruction_clock(tmp_path: Path) -> None:
    """A single core is counted by QEMU's own operations. Between two calls of the trace the clock went on by as many instructions."""
    images = find_images(Topology((1,)), "psci_bench")
    stream = tmp_path / "stream"
    command = command_line(find_qemu(), QemuMachine(images, "psci_bench", iterations=2), tmp_path / "secure.log")
    done = subprocess.run(
        with_probe(command, probe_here(), stream, False), capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL
    )
    dump = collect_dump(done.stdout.decode().splitlines(), event_table())
    header, *records = Decoder().feed(stream.read_bytes())
    assert isinstance(header, Header)
    calls = list(Pairing(header.arch, call_names()).feed(r for r in records if not isinstance(r, Header | Problem)))
    versions = [call for call in calls if call.entry.name == "PSCI_VERSION"]
    traced = [measured_call(trace) for iteration in dump.iterations for trace in iteration.traces if trace.test == "psci_version_parallel"]
    assert len(versions) == len(traced) == 2
    counted = [after.start - before.start for before, after in pairwise(versions)]
    clock = [after[0].time_ticks - before[0].time_ticks for before, after in pairwise(traced)]
    assert counted == clock
