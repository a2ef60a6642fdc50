# SPDX-License-Identifier: BSD-3-Clause
"""System management interrupts that a module plants in the x86 guest, among five other causes, and once more among page faults of the
measured thread and throttling: which wake-ups are blamed on them."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.attribution import attribute, with_parts
from latlab.rt.analysis.lateness_parts import MEASURING_TASK
from latlab.rt.analysis.outside_totals import is_alone, totals_of
from latlab.rt.analysis.wakeup import percentile_ns
from latlab.rt.campaign.steal_results import phases_of
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.outside_counts import read_outside_counts
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.cpio import ArchiveEntry, file, folder
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_arch import ARCHES, X86_CPU, Arch
from latlab.rt.targets.guest.guest_image import GuestImage, guest_image
from latlab.rt.targets.recorder_binary import COMPILERS, FLAGS, METER_SOURCES, guest_sources, wire_sources
from support.guest_modules import with_module

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

PLANTS = Path(__file__).parents[1] / "rt/plants"
LIMITS = Limits(3600, 3600)
PRIORITY, LATE_US, TIMES, LASTS_S = 40, 45, 1300, 13
NS_OF_A_LOOP, LEAST_SMIS = 4096, 200
KINDS = {
    kind.value: kind
    for kind in (BlameKind.MASKED, BlameKind.UNPREEMPTED, BlameKind.INTERRUPT, BlameKind.SOFTIRQ, BlameKind.THREAD, BlameKind.SMI)
}
JOB = f"""\
insmod /modules/latlab_smi.ko || exit 3
insmod /modules/plant.ko || exit 3
latlab-recorder -o /out/recorder.rec -k /out/kernel-events.bin -c /out/outside-counts.txt -D {LASTS_S} -i 200 -p {PRIORITY} -t {LATE_US} &
recorder=$!
latlab-steal -o /out/steal-idle.txt -c /out/outside-idle.txt -D {LASTS_S} &
meter=$!
sleep 0.5
echo "SEED {TIMES}" >/proc/plant || exit 5
wait $recorder || exit 6
wait $meter || exit 7
cat /proc/plant >/out/planted.txt
"""
MORE_TIMES, MORE_LASTS_S, BURSTS = 600, 12, 60
MORE_JOB = f"""\
insmod /modules/latlab_smi.ko || exit 3
insmod /modules/plant.ko || exit 3
echo 40000 >/proc/sys/kernel/sched_rt_runtime_us && echo 50000 >/proc/sys/kernel/sched_rt_period_us || exit 4
export LATLAB_WAITS=/out/waits.txt LATLAB_WAIT=fault
/plants/latlab-recorder -o /out/recorder.rec -k /out/kernel-events.bin -c /out/outside-counts.txt -D {MORE_LASTS_S} -i 200 -p {PRIORITY} \
    -t {LATE_US} &
recorder=$!
sleep 0.5
echo "SEED {MORE_TIMES}" >/proc/plant || exit 5
/plants/throttle {BURSTS} >/out/throttled.txt || exit 8
wait $recorder || exit 6
cat /proc/plant >/out/planted.txt
"""

MOST_REPEATS = 2
"""QEMU's main thread can move the clock of an idle vCPU too far: docs/howto/wakeups.md."""

Planted = tuple[BlameKind, int, int]


def _files(seed: int, image: GuestImage, job: str = JOB) -> dict[str, bytes]:
    machine = GuestMachine(arch=Arch.X86, cpu=X86_CPU)
    done = run_guest(find_qemu(usual=ARCHES[Arch.X86].qemu), machine, image, job.replace("SEED", str(seed)), LIMITS)
    assert done.output.status == 0, done.output.files.get("job.log", done.console[-2000:])
    return done.output.files


def test_of_six_causes_each_late_wake_up_has_its_own_and_two_runs_are_the_same(tmp_path: Path) -> None:
    """At least 200 SMIs of three sizes, all counted. At least 99 % named rightly and none wrongly, and nothing else is called an SMI."""
    image = with_module(guest_image(arch=Arch.X86), "plant", tmp_path)
    files = _files(7, image)
    wakeups = read_record(files["recorder.rec"], "recorder")
    events = read_kernel_events(files["kernel-events.bin"], "events")
    counts = read_outside_counts(files["outside-counts.txt"], "counts")
    assert not wakeups.problems and not events.problems and not counts.problems and is_alone(counts)
    truth = [
        (KINDS[kind], int(begin), int(end)) for kind, begin, end in (line.split() for line in files["planted.txt"].decode().splitlines())
    ]
    smis = [(end - begin) // NS_OF_A_LOOP for kind, begin, end in truth if kind is BlameKind.SMI]
    assert len(smis) >= LEAST_SMIS and len(set(smis)) >= 3
    assert [cpu.smis for cpu in totals_of(counts)] == [len(smis)]
    (phase,) = phases_of(files)
    assert phase.outside is not None and phase.is_measured and not phase.measurement.seeing
    assert [cpu.smis for cpu in totals_of(phase.outside)] == [len(smis)]
    found = with_parts(wakeups, attribute(wakeups, wakeups.outliers, ()), events, PRIORITY, is_alone(counts))
    table = Counter((_true_kind(wakeups, truth, entry.outlier), entry.blame.kind) for entry in found)
    print(len(smis), Counter(smis), sorted((str(true), str(said), count) for (true, said), count in table.items()))
    known = Counter({pair: number for pair, number in table.items() if pair[0] is not None})
    right = sum(number for (true, said), number in known.items() if true is said)
    unexplained = sum(number for (_, said), number in known.items() if said is BlameKind.UNEXPLAINED)
    assert {true for true, _ in known} == set(KINDS.values())
    assert known.total() == right + unexplained, "named wrongly"
    assert right >= 0.99 * known.total()
    assert not any(said is BlameKind.SMI and true is not BlameKind.SMI for true, said in table)
    blamed = [entry for entry in found if entry.blame.kind is BlameKind.SMI]
    assert all(entry.calls == 1 for entry in blamed)
    for entry in blamed:
        (length,) = [end - begin for kind, begin, end in truth if kind is BlameKind.SMI and _overlap(entry.outlier, begin, end)]
        assert entry.stolen_ns <= length + 10_000
    assert any(_files(7, image) == files for _ in range(MOST_REPEATS))


def _true_kind(wakeups: Wakeups, truth: list[Planted], outlier: Outlier) -> BlameKind | None:
    """The kind that took most of it, None where nothing planted filled half of what it is later than the median."""
    median_ns = percentile_ns(wakeups.cpus[0], 50) or 0
    took: Counter[BlameKind] = Counter()
    for kind, begin, end in truth:
        took[kind] += _overlap(outlier, begin, end)
    kind, took_ns = took.most_common(1)[0]
    return kind if took_ns >= 0.5 * (outlier.late_ns - median_ns) else None


def _overlap(outlier: Outlier, begin: int, end: int) -> int:
    return max(0, min(end, outlier.wake_ns) - max(begin, outlier.wake_ns - outlier.late_ns))


@dataclass(frozen=True, slots=True)
class More:
    """What a run names, beside what was planted."""

    wakeups: Wakeups
    table: Counter[tuple[BlameKind | None, BlameKind]]
    planted: tuple[Planted, ...]
    smis: int | None


RIGHT = {kind: {kind} for kind in KINDS.values()} | {
    BlameKind.PAGE_FAULT: {BlameKind.PAGE_FAULT, BlameKind.OWN},
    BlameKind.THROTTLED: {BlameKind.THROTTLED},
}
"""A fault may have begun before the records: it is then a wait of the thread itself."""
ALSO = {"fault": BlameKind.PAGE_FAULT, "throttled": BlameKind.THROTTLED}


def test_among_page_faults_and_throttling_nothing_else_is_called_an_smi(tmp_path: Path) -> None:
    """At least 90 % of each kind named rightly and none wrongly; two runs are the same."""
    image = with_module(guest_image(arch=Arch.X86), "plant", tmp_path, _programs(tmp_path))
    files = _files(11, image, MORE_JOB)
    more = _read(files)
    print(more.smis, sorted((str(true), str(said), count) for (true, said), count in more.table.items()))
    known = Counter({pair: number for pair, number in more.table.items() if pair[0] is not None})
    assert {true for true, _ in known} == set(RIGHT)
    unexplained = sum(number for (_, said), number in known.items() if said is BlameKind.UNEXPLAINED)
    for kind, names in RIGHT.items():
        of_kind = {said: number for (true, said), number in known.items() if true is kind}
        assert sum(number for said, number in of_kind.items() if said in names) >= 0.9 * sum(of_kind.values()), kind
    right = sum(number for (true, said), number in known.items() if true is not None and said in RIGHT[true])
    assert known.total() == right + unexplained, "named wrongly"
    assert not any(said is BlameKind.SMI and true is not BlameKind.SMI for true, said in more.table)
    assert more.smis == sum(kind is BlameKind.SMI for kind, _, _ in more.planted)
    assert any(_files(11, image, MORE_JOB) == files for _ in range(MOST_REPEATS))


def _programs(work: Path) -> list[ArchiveEntry]:
    """A recorder with page faults of its measured thread, and what throttles it."""
    guest, wire = guest_sources(), wire_sources()
    recorder, throttle = work / MEASURING_TASK, work / "throttle"
    sources = [
        *(guest / "recorder").glob("*.c"),
        *(guest / "steal" / name for name in METER_SOURCES),
        wire / "crc32.c",
        PLANTS / "own_waits.c",
    ]
    folders = [f"-I{folder}" for folder in (guest / "recorder", guest / "steal", wire)]
    wrapped = [*folders, *(source for source in sources if source.is_file()), "-Wl,--wrap=clock_nanosleep"]
    for program, words in ((recorder, wrapped), (throttle, [PLANTS / "throttle.c"])):
        subprocess.run([COMPILERS["x86_64"][0], *FLAGS, *map(str, words), "-o", str(program)], check=True)
    return [folder("plants"), *(file(f"plants/{path.name}", path.read_bytes(), executable=True) for path in (recorder, throttle))]


def _read(files: Mapping[str, bytes]) -> More:
    wakeups = read_record(files["recorder.rec"], "recorder")
    events = read_kernel_events(files["kernel-events.bin"], "events")
    counts = read_outside_counts(files["outside-counts.txt"], "counts")
    lines = b"".join(files[name] for name in ("planted.txt", "waits.txt", "throttled.txt")).decode().splitlines()
    planted = tuple(((KINDS | ALSO)[kind], int(begin), int(end)) for kind, begin, end in map(str.split, lines))
    found = with_parts(wakeups, attribute(wakeups, wakeups.outliers, ()), events, PRIORITY, is_alone(counts))
    table = Counter((_certain_kind(wakeups, list(planted), entry.outlier), entry.blame.kind) for entry in found)
    (cpu,) = totals_of(counts)
    return More(wakeups, table, planted, cpu.smis)


def _certain_kind(wakeups: Wakeups, planted: list[Planted], outlier: Outlier) -> BlameKind | None:
    """None also where the thread waited and was throttled: nobody knows what made the wait longer."""
    both = {kind for kind, begin, end in planted if kind in ALSO.values() and _overlap(outlier, begin, end)}
    return None if len(both) > 1 else _true_kind(wakeups, planted, outlier)
