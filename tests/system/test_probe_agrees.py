# SPDX-License-Identifier: BSD-3-Clause
"""The probe and the firmware's own trace, in one run: their spans differ by the instructions between the two's ends, and by no other."""

from __future__ import annotations

import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from latlab.analysis.crossings.calls import Call, Pairing
from latlab.analysis.crossings.functions import instructions_by_function
from latlab.analysis.spans.spans import measured_call
from latlab.catalog import call_names, event_table
from latlab.formats.dump.dump import collect_dump
from latlab.formats.probe.decoder import Decoder
from latlab.formats.symbols import read_image
from latlab.model.crossings import Core, Fragment, Header
from latlab.model.run import CoreId, Problem, Topology
from latlab.targets.qemu.images import find_images
from latlab.targets.qemu.probe import find_probe, with_probe
from latlab.targets.qemu.qemu import Machine, command_line, find_qemu
from latlab.targets.qemu.subject import command_line as subject_command
from latlab.targets.qemu.subject import own_subject

TIMEOUT_S = 900
MEASURED = ("CPU_SUSPEND (64)", "CPU_OFF", "PSCI_VERSION")
LARGEST_GAP = {1: 100, 2: 120}  # by the normal world's level: EL3 sets up more registers for EL2, behind the last trace point
LAP_END = "trace_end_part"
Make = Callable[[Path], tuple[tuple[str, ...], Path]]


def measured_calls(calls: list[Call]) -> list[Call]:
    """A core's calls that stand between two TRACE_STATUS: the benchmark asks where its ring is before and after what it measures."""
    around = zip(calls, calls[1:], calls[2:], strict=False)
    return [
        call for before, call, after in around if before.entry.name == after.entry.name == "TRACE_STATUS" and call.entry.name in MEASURED
    ]


def of_virt(folder: Path, clusters: tuple[int, ...]) -> tuple[tuple[str, ...], Path]:
    """The command that runs the benchmark, and the firmware's symbols."""
    images = find_images(Topology(clusters), "psci_bench")
    return command_line(find_qemu(), Machine(images, "psci_bench", iterations=3), folder / "secure.log"), images.firmware_elf


def of_raspi4b(folder: Path) -> tuple[tuple[str, ...], Path]:
    subject = own_subject("raspi4b")
    (symbols,) = subject.symbols
    return subject_command(find_qemu(), subject, symbols.with_name("psci_bench_raspi4b.elf"), 3, folder), symbols


@pytest.mark.parametrize("clusters", [(2, 4), (4, 4, 4, 4)])
def test_every_span_of_the_trace_is_the_probes_less_a_constant_within_a_capture(tmp_path: Path, clusters: tuple[int, ...]) -> None:
    check_agreement(tmp_path, *of_virt(tmp_path, clusters), Topology(clusters), LARGEST_GAP[1])


def test_they_agree_on_the_raspberry_pi_too(tmp_path: Path) -> None:
    check_agreement(tmp_path, *of_raspi4b(tmp_path), Topology((4,)), LARGEST_GAP[2])


@pytest.mark.parametrize("make", [partial(of_virt, clusters=(2, 4)), partial(of_virt, clusters=(4, 4, 4, 4)), of_raspi4b])
def test_two_streams_are_the_same_byte_for_byte_and_the_console_is_that_without_the_probe(tmp_path: Path, make: Make) -> None:
    command, _ = make(tmp_path)
    streams = [tmp_path / "first", tmp_path / "second"]
    assert {console_of(with_probe(command, find_probe(), stream, True)) for stream in streams} == {console_of(command)}
    first, second = (stream.read_bytes() for stream in streams)
    assert first == second
    assert len(first) > 100_000


def console_of(command: tuple[str, ...]) -> bytes:
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL).stdout


def check_agreement(folder: Path, command: tuple[str, ...], symbols: Path, topology: Topology, largest_gap: int) -> None:
    stream = folder / "stream"
    console = console_of(with_probe(command, find_probe(), stream, True))
    dump = collect_dump(console.decode().splitlines(), event_table())
    assert not dump.problems
    header, *records = Decoder().feed(stream.read_bytes())
    assert isinstance(header, Header)
    seen = [record for record in records if not isinstance(record, Header | Problem)]
    fragments = {record.number: record for record in seen if isinstance(record, Fragment)}
    names = {record.core: topology.cores[record.identity & 0xFF] for record in seen if isinstance(record, Core)}
    by_core: dict[CoreId, list[Call]] = defaultdict(list)
    for call in Pairing(header.arch, call_names()).feed(seen):
        by_core[names[call.core]].append(call)
    calls = {core: iter(measured_calls(found)) for core, found in by_core.items()}
    image = read_image(symbols)

    gaps: dict[tuple[str, str, str, bool], Counter[int]] = defaultdict(Counter)
    for iteration in dump.iterations:
        for trace in iteration.traces:
            call = next(calls[trace.core])
            ticks = {record.event: record.time_ticks for record in measured_call(trace)}
            is_lead = trace.core == iteration.lead

            def ends_lap(runs: tuple[tuple[int, int], ...]) -> int:
                return instructions_by_function(runs, fragments, [image])[LAP_END]

            if call.pause is None:
                gap = call.end - call.start - ends_lap(call.down) - (ticks["EXIT_PSCI"] - ticks["ENTER_PSCI"])
                gaps[trace.test, call.entry.name, "call", is_lead][gap] += 1
            elif trace.test.endswith("_serial"):
                down = call.pause.asleep - call.start - ends_lap(call.down)
                up = call.end - call.pause.awake - ends_lap(call.up)
                gaps[trace.test, call.entry.name, "down", is_lead][down - (ticks["ENTER_HW_LOW_PWR"] - ticks["ENTER_PSCI"])] += 1
                gaps[trace.test, call.entry.name, "up", is_lead][up - (ticks["EXIT_PSCI"] - ticks["EXIT_HW_LOW_PWR"])] += 1
    capture_cost = dump.boots[0].capture_mticks / 1000
    assert 0 < capture_cost < 10
    assert len(gaps) == 2 + 3 * 2 * 2
    for key, found in gaps.items():
        assert max(found) - min(found) <= capture_cost, (key, found)
        assert 0 < min(found) < largest_gap, (key, found)
    assert all(next(found, None) is None for found in calls.values())


def test_counts_of_one_core_agree_with_those_of_the_instruction_clock(tmp_path: Path) -> None:
    """A single core is counted by QEMU's own operations. Between two calls of the trace the clock went on by as many instructions."""
    images = find_images(Topology((1,)), "psci_bench")
    stream = tmp_path / "stream"
    command = command_line(find_qemu(), Machine(images, "psci_bench", iterations=2), tmp_path / "secure.log")
    done = subprocess.run(
        with_probe(command, find_probe(), stream, False), capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL
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
