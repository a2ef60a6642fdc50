# SPDX-License-Identifier: BSD-3-Clause
"""Causes of late wake-ups that are planted on this machine, without a module: which of them `--causes` names, kind by kind and all at once.

A BPF program that loops until a time has gone by makes stretches in the kernel; threads, packets, interrupts from another CPU, a control
group, a lock and an absent page make the rest. Whoever makes one stamps its begin and its end.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import sleep

import pytest

from latlab.core.model.blame import BlameKind
from latlab.rt.analysis.attribution import Attributed, attribute, with_parts
from latlab.rt.analysis.charges import charge_clock
from latlab.rt.analysis.lateness_parts import MEASURING_TASK
from latlab.rt.analysis.wakeup import percentile_ns
from latlab.rt.model.kernel_events import KernelEvents
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.recorder_binary import FLAGS, METER_SOURCES, guest_sources, wire_sources

pytestmark = [pytest.mark.slow, pytest.mark.realtime]

SOURCES = Path(__file__).parent / "plants"
PRIORITY, LATE_US, CPU = 40, 60, 0
GROUP, PERIOD_US, RUNTIME_US = Path("/sys/fs/cgroup/cpu/latlab-plants"), 50_000, 40_000
LONGEST_NS = 200_000_000
RIGHT = {
    "masked": {BlameKind.MASKED},
    "unpreempted": {BlameKind.UNPREEMPTED},
    "interrupt": {BlameKind.INTERRUPT},
    "storm": {BlameKind.INTERRUPT},
    "softirq": {BlameKind.SOFTIRQ},
    "flood": {BlameKind.SOFTIRQ},
    "thread": {BlameKind.THREAD},
    "throttling": {BlameKind.THROTTLED},
    "lock": {BlameKind.OWN},
    "fault": {BlameKind.OWN, BlameKind.PAGE_FAULT},
}
"""A wait of the measured thread for a lock of its program is its own: no event says for which. So is a fault that began before the
records."""
NOT_TELLABLE = {"masked", "unpreempted"}
"""Without a meter, on a virtual machine: the hypervisor may have had the CPU just as well."""
UNEXPLAINED = {BlameKind.UNEXPLAINED, BlameKind.UNTRACED, BlameKind.AWAY, BlameKind.HYPERVISOR}
"""The program that plants cannot see steal time, so this name is neither right nor wrong."""
LEAST_RIGHT, LEAST_RIGHT_OF_THROTTLING = 0.9, 0.75
"""Beside other work the kernel runs another thread while the late one is throttled, which is named only if the records show that it may."""
WAITS = {"lock", "fault"}
"""Of the measured thread itself."""
TIMES = {"storm": 150, "flood": 300, "throttling": 150}
USUAL_TIMES, WAIT_S = 500, 4
ALONE_MS, TOGETHER_MS = 8, 60
"""The longest pause after a plant."""


@dataclass(frozen=True, slots=True)
class Plant:
    kind: str
    begin_ns: int
    end_ns: int
    lost_ns: int


@dataclass(frozen=True, slots=True)
class Programs:
    recorder: Path
    planter: Path


@dataclass(frozen=True, slots=True)
class Measured:
    wakeups: Wakeups
    events: KernelEvents
    plants: tuple[Plant, ...]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """The recorder with the waits of its measured thread, and the planter."""
    if os.geteuid() != 0 or shutil.which("cc") is None or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("it needs root, a C compiler and a second CPU")
    folder = tmp_path_factory.mktemp("programs")
    guest, wire = guest_sources(), wire_sources()
    meter = [path for name in METER_SOURCES if (path := guest / "steal" / name).is_file()]
    recorder = [*(guest / "recorder").glob("*.c"), *meter, wire / "crc32.c", SOURCES / "own_waits.c", "-Wl,--wrap=clock_nanosleep"]
    folders = [f"-I{folder}" for folder in (guest / "recorder", guest / "steal", wire)]
    built = Programs(folder / MEASURING_TASK, folder / "planter")
    planter = [SOURCES / "kernel_stretch.c", SOURCES / "planter.c"]
    for program, sources in ((built.recorder, [*folders, *recorder]), (built.planter, planter)):
        subprocess.run(["cc", *FLAGS, *map(str, sources), "-o", str(program)], check=True)
    return built


@contextmanager
def control_group() -> Iterator[Path]:
    """In which the recorder runs, with less time than it could use."""
    if not (GROUP.parent / "cpu.rt_runtime_us").is_file():
        pytest.skip(f"{GROUP.parent} has no group scheduling of real-time threads")
    GROUP.mkdir(exist_ok=True)
    try:
        (GROUP / "cpu.rt_period_us").write_text(str(PERIOD_US))
        (GROUP / "cpu.rt_runtime_us").write_text(str(RUNTIME_US))
        yield GROUP
    finally:
        GROUP.rmdir()


def plants_of(text: str) -> list[Plant]:
    rows = (line.split() for line in text.splitlines())
    return [Plant(kind, int(begin), int(end), int(lost[0]) if lost else 0) for kind, begin, end, *lost in rows]


def planting(programs: Programs, kind: str, group: Path, seed: int, longest_pause_ms: int) -> subprocess.Popen[str]:
    where = str(group) if kind == "throttling" else ""
    command = [programs.planter, CPU, seed, TIMES.get(kind, USUAL_TIMES), longest_pause_ms, where, kind]
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def recording(programs: Programs, folder: Path, group: Path, waits: Sequence[str]) -> Iterator[None]:
    files = f"-o {folder}/recorder.rec -k {folder}/kernel-events.bin"
    options = f"{files} -D 600 -i 200 -p {PRIORITY} -t {LATE_US} -a {CPU}"
    command = ["sh", "-c", f"echo $$ >{group}/tasks && exec {programs.recorder} {options}"]
    wait = {"LATLAB_WAITS": str(folder / "waits.txt"), "LATLAB_WAIT": waits[0] if len(waits) == 1 else "both"} if waits else {}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **wait}) as recorder:
        sleep(1)
        try:
            yield
        finally:
            recorder.send_signal(signal.SIGINT)
            _, errors = recorder.communicate(timeout=3600)
    assert recorder.returncode == 0, errors


def planted_texts(programs: Programs, group: Path, kinds: Sequence[str], seed: int) -> list[str]:
    """What each planter says that it did; all of them plant at the same time."""
    longest_pause_ms = ALONE_MS if len(kinds) == 1 else TOGETHER_MS
    planters = [planting(programs, kind, group, seed + number, longest_pause_ms) for number, kind in enumerate(kinds)]
    ends = [planter.communicate(timeout=3600) for planter in planters]
    for kind, planter, (_, errors) in zip(kinds, planters, ends, strict=True):
        if planter.returncode != 0:
            pytest.skip(f"{kind} cannot be planted here: {errors}")
    return [text for text, _ in ends]


def measured(programs: Programs, folder: Path, kinds: Sequence[str], seed: int) -> Measured:
    """With a planter for each kind, all at the same time."""
    waits = [kind for kind in kinds if kind in WAITS]
    with control_group() as group, recording(programs, folder, group, waits):
        others = [kind for kind in kinds if kind not in WAITS]
        texts = planted_texts(programs, group, others, seed)
        sleep(0 if others else WAIT_S)
    text = "".join([*texts, (folder / "waits.txt").read_text() if waits else ""])
    (folder / "planted.txt").write_text(text)
    return read_measured(folder)


def read_measured(folder: Path) -> Measured:
    record, events = folder / "recorder.rec", folder / "kernel-events.bin"
    plants = sorted(plants_of((folder / "planted.txt").read_text()), key=lambda plant: plant.begin_ns)
    return Measured(read_record(record.read_bytes(), "recorder"), read_kernel_events(events.read_bytes(), "events"), tuple(plants))


def shares(plants: Sequence[Plant], begins: Sequence[int], outlier: Outlier) -> tuple[Counter[str], Counter[str]]:
    """Of a lateness, the time of each kind and what its plants lost. Of several the one that began last has the CPU. What another plant has
    of a wait of the measured thread is lost: nobody knows whether it made the wait longer."""
    due_ns = outlier.wake_ns - outlier.late_ns
    near = plants[bisect_left(begins, due_ns - LONGEST_NS) : bisect_left(begins, outlier.wake_ns)]
    inside = [plant for plant in near if plant.end_ns > due_ns and not (plant.kind == "throttling" and ran_in(plant, outlier))]
    edges = sorted({due_ns, outlier.wake_ns, *(edge for plant in inside for edge in (plant.begin_ns, plant.end_ns))})
    took: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for begin, end in pairwise(edges):
        owners = [plant for plant in inside if plant.begin_ns <= begin and plant.end_ns >= end]
        if owners and begin >= due_ns and end <= outlier.wake_ns:
            took[owners[-1].kind] += end - begin
            if len({owner.kind in WAITS for owner in owners}) > 1:
                lost.update({owner.kind: end - begin for owner in owners})
    for plant in inside:
        lost[plant.kind] += plant.lost_ns
    return took, lost


def ran_in(throttling: Plant, outlier: Outlier) -> bool:
    """Whether the measured thread, which is throttled with the one that stamps, ran before the throttling began: both stamps are of when
    the other had the CPU."""
    return throttling.end_ns - outlier.wake_ns > outlier.wake_ns - throttling.begin_ns


def true_kind(measured: Measured, begins: Sequence[int], outlier: Outlier) -> str | None:
    """What took most of it. None if it is hardly later than the median, for a plant may stamp the usual way to the thread as its own; if no
    plant filled half of what it is later; or if others had the CPU for half of that plant: then nobody knows whose it was."""
    median_ns = percentile_ns(measured.wakeups.cpus[0], 50) or 0
    if outlier.late_ns - median_ns < 1000 * LATE_US:
        return None
    took, lost = shares(measured.plants, begins, outlier)
    kind, took_ns = took.most_common(1)[0] if took else ("", 0)
    net_ns = took_ns - lost[kind]
    return kind if net_ns > lost[kind] and net_ns >= 0.5 * (outlier.late_ns - median_ns) else None


def named(measured: Measured) -> tuple[Attributed, ...]:
    """Those whose events are kept. The recorder keeps charges only on a virtual machine with a steal clock; on one without, nothing could
    be named."""
    wakeups, is_virtual = measured.wakeups, charge_clock(measured.events) is not None
    attributed = with_parts(wakeups, attribute(wakeups, wakeups.outliers, ()), measured.events, PRIORITY, is_virtual=is_virtual)
    return tuple(entry for entry in attributed if entry.parts)


def verdict(kind: str, blamed: BlameKind) -> str:
    if blamed in RIGHT[kind]:
        return "right"
    return "unexplained" if blamed in UNEXPLAINED else "wrong"


def table_of(measured: Measured) -> dict[str, Counter[str]]:
    begins = [plant.begin_ns for plant in measured.plants]
    table: dict[str, Counter[str]] = {}
    for entry in named(measured):
        kind = true_kind(measured, begins, entry.outlier)
        if kind is not None:
            table.setdefault(kind, Counter())[verdict(kind, entry.blame.kind)] += 1
    return table


def check(table: dict[str, Counter[str]], sees: bool) -> None:
    """At least 90 % right where it can be told, of throttlings 75 %; no more wrong than plants whose own truth is doubtful: one in 200."""
    for kind, verdicts in sorted(table.items()):
        print(f"| {kind} | {verdicts.total()} | {verdicts['right']} | {verdicts['unexplained']} | {verdicts['wrong']} |")
    tellable = {kind: verdicts for kind, verdicts in table.items() if sees or kind not in NOT_TELLABLE}
    throttled = tellable.pop("throttling", Counter[str]())
    others = sum(tellable.values(), Counter[str]())
    assert others["right"] >= LEAST_RIGHT * others.total()
    assert throttled["right"] >= LEAST_RIGHT_OF_THROTTLING * throttled.total()
    everything = sum(table.values(), Counter[str]())
    assert everything["wrong"] <= max(1, everything.total() / 200)


def sees(measured: Measured) -> bool:
    return any(cpu.calibration is not None for cpu in measured.events.meter)


@pytest.mark.parametrize("kind", RIGHT)
def test_a_planted_cause_is_named(kind: str, programs: Programs, tmp_path: Path) -> None:
    found = measured(programs, tmp_path, [kind], 7)
    table = table_of(found)
    assert table.get(kind, Counter[str]()).total() > 50
    check(table, sees(found))


def test_all_planted_causes_at_once_are_named(programs: Programs, tmp_path: Path) -> None:
    found = measured(programs, tmp_path, list(RIGHT), 11)
    table = table_of(found)
    assert set(table) == set(RIGHT)
    check(table, sees(found))
