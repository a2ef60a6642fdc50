# SPDX-License-Identifier: BSD-3-Clause
"""rtla again and again beside the recorder: its file, its names beside the recorder's, and its job with a program in its place."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.report.text import plain
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.namings import EVIDENCE, SAME, Agreement, Naming, namings
from latlab.rt.campaign.results import new_run, result_of
from latlab.rt.campaign.workloads import checked
from latlab.rt.model.timerlat import NamedPart, Spike, TimerlatPart
from latlab.rt.model.wakeups import Outlier
from latlab.rt.pages.wakeup_pages import answer
from latlab.rt.pages.wakeup_tables import brief_tables
from latlab.rt.readers.timerlat_runs import PARTS, read_timerlat_runs
from latlab.rt.targets.rt_job import Instrument, Workload, script
from support import recorder_files
from support.places import RT_DATA

RUNS = (RT_DATA / "timerlat" / "runs.txt").read_text("utf-8")
"""Three runs of rtla 6.12 in the guest; of each trace the last lines."""
RECORD = recorder_files.whole([[1000, 2000, 3000]])
OFFSET_NS = 1_142_944
"""The scheduler's clock was ahead of CLOCK_MONOTONIC by so much."""
WORKLOAD = Workload(2, "idle", Instrument.TIMERLAT, interval_us=1000, causes=True)


def test_the_runs_of_rtla_are_one_distribution_and_each_latency_that_stopped_one_has_its_parts_and_its_time() -> None:
    read = read_timerlat_runs(RUNS, "timerlat.txt")
    (cpu,) = read.wakeups.cpus
    counts = [int(count) for count in re.findall(r"^count: +\d+ +(\d+)", RUNS, re.MULTILINE)[::2]]
    assert read.wakeups.problems == () and cpu.maximum_ticks == 256_000
    assert cpu.got == sum(counts) == sum(n for _, _, n in cpu.counts) + cpu.beyond
    assert dict(read.wakeups.facts) == {"runs of rtla": "3, 3 of them ended by the threshold"}
    masked, unpreempted, last = read.spikes
    assert masked.parts[0] == NamedPart(TimerlatPart.IRQ_DELAY, 183_380) and masked.late_ns == 256_080
    assert (masked.cpu, masked.interrupted, masked.function, masked.thread) == (0, "sh", "gic_ipi_send_mask", True)
    assert unpreempted.parts[:2] == (
        NamedPart(TimerlatPart.BLOCKING, 47_230, "sh"),
        NamedPart(TimerlatPart.THREAD, 25_700, "latlab-recorder"),
    )
    assert masked.end_ns is not None and abs(masked.end_ns - (11_927_609_000 - OFFSET_NS)) <= 16
    assert last.end_ns is not None and abs(last.end_ns - (33_584_391_000 - OFFSET_NS)) <= 16


@pytest.mark.parametrize("cut", [r"(?m)^(ktime|sched_clk).*\n", r"(?m)^.*context thread.*\n", r"(?m)^.*#2281[45] context thread.*\n"])
def test_without_its_line_or_a_clock_the_time_of_a_latency_is_unknown(cut: str) -> None:
    assert read_timerlat_runs(re.sub(cut, "", RUNS), "x").spikes[0].end_ns is None


def test_a_file_that_was_cut_off_keeps_the_runs_before() -> None:
    begun = RUNS.rindex("== rtla")
    for end in (begun, begun + 200, begun + 900):
        read = read_timerlat_runs(RUNS[:end], "x")
        assert len(read.spikes) == 2 and bool(read.wakeups.problems) == (end == begun + 200)
    with pytest.raises(DataError, match=r"timerlat\.err"):
        read_timerlat_runs("== clocks\n== rtla\n", "x")


def test_a_quiet_run_at_the_end_adds_nothing_and_an_old_rtla_has_no_analysis() -> None:
    quiet = "== rtla\n# RTLA timerlat histogram\nIndex\nover:\ncount:\nmin:\navg:\nmax:\n"
    assert read_timerlat_runs(RUNS + quiet, "x").wakeups.problems == ()
    old = re.sub(r"(?ms)^## CPU.*?100%\)$", "", RUNS)
    read = read_timerlat_runs(old, "x")
    assert read.spikes == () and "an rtla before 6.3" in dict(read.wakeups.facts)["without an analysis"]


def test_every_part_has_its_causes_and_every_cause_its_events() -> None:
    assert set(PARTS.values()) == set(TimerlatPart) == set(SAME)
    assert set(EVIDENCE) <= set(BlameKind) and all(EVIDENCE.values())


def spike(part: TimerlatPart, name: str = "", thread: bool = True, cpu: int = 0) -> Spike:
    return Spike(cpu, 200_000, 1_000_000, (NamedPart(part, 150_000, name),), "sh", "", thread)


def late(kind: BlameKind, name: str = "", cpu: int = 0, wake_ns: int = 1_050_000) -> Attributed:
    return Attributed(Outlier(cpu, wake_ns, 200_000), Blame(kind, name))


@pytest.mark.parametrize(
    ("by_rtla", "by_recorder", "expected"),
    [
        (spike(TimerlatPart.IRQ_DELAY), late(BlameKind.MASKED, "sh"), Agreement.SAME),
        (spike(TimerlatPart.IRQ_DELAY), late(BlameKind.MASKED, "dd"), Agreement.DIFFERENT),
        (spike(TimerlatPart.IRQ_DELAY), late(BlameKind.STOLEN), Agreement.NARROWER),
        (spike(TimerlatPart.IRQ_DELAY), late(BlameKind.SMI), Agreement.NARROWER),
        (spike(TimerlatPart.IRQ_DELAY), late(BlameKind.INTERRUPT, "IPI"), Agreement.DIFFERENT),
        (spike(TimerlatPart.IDLE_EXIT), late(BlameKind.IDLE_EXIT), Agreement.SAME),
        (spike(TimerlatPart.BLOCKING, "kworker/0:2"), late(BlameKind.UNPREEMPTED, "kworker/0:2 (flush)"), Agreement.SAME),
        (spike(TimerlatPart.BLOCKING, "sh"), late(BlameKind.FIRMWARE, "TRNG_RND"), Agreement.NARROWER),
        (spike(TimerlatPart.BLOCKING, "sh"), late(BlameKind.SOFTIRQ, "TIMER"), Agreement.DIFFERENT),
        (spike(TimerlatPart.IRQ, "eth0"), late(BlameKind.STOLEN), Agreement.DIFFERENT),
        (spike(TimerlatPart.THREAD, "irq/1"), late(BlameKind.THREAD, "irq/1 (priority 50)"), Agreement.SAME),
        (spike(TimerlatPart.SOFTIRQ, "TIMER"), late(BlameKind.SOFTIRQ, "NET_RX"), Agreement.DIFFERENT),
        (spike(TimerlatPart.IRQ_DELAY, thread=False), late(BlameKind.MASKED, "sh"), Agreement.SAME),
        (spike(TimerlatPart.IRQ_DELAY, thread=False), late(BlameKind.STOLEN), Agreement.NARROWER),
        (spike(TimerlatPart.BLOCKING), Attributed(Outlier(0, 1_050_000, 200_000), UNEXPLAINED), Agreement.RTLA_ONLY),
    ],
)
def test_two_names_are_the_same_where_they_mean_the_same(by_rtla: Spike, by_recorder: Attributed, expected: Agreement) -> None:
    (naming,) = namings([by_rtla], [by_recorder])
    assert naming.agreement is expected
    assert bool(naming.evidence) == (expected is not Agreement.SAME)


def test_a_late_wake_up_is_the_same_one_where_it_overlaps_most_on_the_same_cpu() -> None:
    seen = spike(TimerlatPart.IRQ_DELAY)
    nearest, touching = late(BlameKind.MASKED), late(BlameKind.STOLEN, wake_ns=1_190_000)
    assert namings([seen], [touching, nearest])[0].recorder is nearest
    for other in (late(BlameKind.MASKED, cpu=1), late(BlameKind.MASKED, wake_ns=1_200_000), late(BlameKind.MASKED, wake_ns=800_000)):
        assert namings([seen], [other]) == (Naming(seen),)
    assert namings([Spike(0, 200_000, None, seen.parts)], [nearest])[0].recorder is None


def test_a_run_of_both_has_one_table_and_rtla_alone_has_its_own() -> None:
    run = new_run("rt", "guest", "x", 1, Conditions(mode=Mode.DETERMINISTIC))
    alone = result_of(run, {"timerlat.txt": RUNS.encode()})
    assert [wakeups.tool for wakeups in alone.wakeups] == ["rtla timerlat (Thr)"] and len(alone.namings) == 3
    (table,) = [table for table in brief_tables("", alone) if "rtla's analysis" in plain(table.caption)]
    assert len(table.rows) == 3 and table.rows[0][3] == "IRQ handler delay in sh at gic_ipi_send_mask 183.4"
    notes = [str(note) for note in table.notes]
    assert notes[0] == "Largest part: IRQ handler delay of 2, blocking thread of 1"
    assert [note.partition(":")[0] for note in notes[1:]] == ["What to do about IRQ handler delay", "What to do about blocking thread"]
    assert answer(run, [("", alone)]).endswith(
        "256.0 µs on CPU 0 (rtla timerlat (Thr)): IRQ handler delay in sh at gic_ipi_send_mask took 183.4 µs of it."
    )
    together = result_of(run, {"timerlat.txt": RUNS.encode(), "recorder.rec": RECORD})
    assert [wakeups.tool for wakeups in together.wakeups] == ["recorder", "rtla timerlat (Thr)"]
    broken = result_of(run, {"timerlat.txt": b"== rtla\nrtla: no such tracer\n", "recorder.rec": RECORD})
    assert len(broken.problems) == 1 and broken.namings == ()


def test_a_period_that_the_tracer_does_not_take_is_refused() -> None:
    with pytest.raises(UsageError, match="the timerlat tracer takes 100 to 1000000 µs"):
        checked(Workload(1, "idle", Instrument.TIMERLAT, interval_us=99))
    assert checked(WORKLOAD).commands == (
        "rtla timerlat hist -p 1000 -P f:80 -E 400 --dma-latency 0 -d 2 -T 100 -s 100",
        WORKLOAD.recorder("latlab-recorder", shares=False),
    )
    assert "-c 3,1 " in f"{Workload(1, instrument=Instrument.TIMERLAT, affinity=(3, 1)).rtla} "


def job(folder: Path, rtla: str, recorder: str = "trap 'echo stopped >$2; exit 0' TERM; while :; do sleep 0.1; done") -> str:
    """The job with programs of the test in place of rtla, the recorder and the kernel's files."""
    for name, body in (("rtla", rtla), ("recorder", recorder)):
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    (folder / "instances" / "timerlat_hist").mkdir(parents=True)
    (folder / "out").mkdir()
    text = script(WORKLOAD, str(folder / "recorder")).replace("/sys/kernel/tracing", str(folder))
    return f"OUT={folder}/out\nPATH={folder}:$PATH\n{text}"


STOPS = """\
for word; do case $word in -t=*) printf 'x-1 [000] d..h1.. 1.5: #7 context    irq timer_latency 9 ns\\n' >${word#-t=}
printf 'x-1 [000] ....... 1.500000: #7 context thread timer_latency 9 ns\\n' >>${word#-t=};; esac; done
sleep 0.6; echo "run $*"; exit 2"""


def test_rtla_runs_again_until_the_time_is_over_and_its_stop_is_no_failure(tmp_path: Path) -> None:
    done = subprocess.run(["sh", "-c", job(tmp_path, STOPS, "sleep 1")], capture_output=True, text=True, check=False)
    text = (tmp_path / "out/timerlat.txt").read_text()
    assert (done.returncode, done.stderr) == (0, "")
    sections = re.findall(r"^== (\w+)$", text, re.MULTILINE)
    assert 2 <= sections.count("rtla") <= 5 and sections[:4] == ["clocks", "rtla", "clocks", "trace"]
    assert text.count("context thread") == sections.count("rtla") and "context    irq" not in text
    assert not (tmp_path / "out/timerlat.trace").exists() and "-d 2 -T 100 -s 100 -t=" in text


def test_an_rtla_that_fails_ends_the_job_with_its_status(tmp_path: Path) -> None:
    done = subprocess.run(["sh", "-c", job(tmp_path, "echo no tracer >&2; exit 1", "true")], check=False)
    assert done.returncode == 1 and (tmp_path / "out/timerlat.err").read_text() == "no tracer\n"
    assert (tmp_path / "out/timerlat.txt").read_text().count("== rtla") == 1


LISTENS = """import pathlib, signal, sys, time
folder = pathlib.Path(sys.argv[1])
signal.signal(signal.SIGINT, lambda *_: (folder / "asked").touch() or sys.exit(0))
(folder / "runs").touch()
time.sleep(60)"""
"""A shell cannot trap what its job ignores; rtla is no shell."""


def test_a_job_that_is_stopped_ends_rtla_as_it_wants_the_recorder_and_the_tracer(tmp_path: Path) -> None:
    listens = f"exec {sys.executable} -c '{LISTENS}' {tmp_path}"
    process = subprocess.Popen(["sh", "-c", job(tmp_path, listens)], start_new_session=True)
    for _ in range(100):
        if (tmp_path / "runs").exists():
            break
        time.sleep(0.1)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143
    assert (tmp_path / "asked").exists() and (tmp_path / "out/recorder.rec").read_text() == "stopped\n"
    assert (tmp_path / "instances/timerlat_hist/current_tracer").read_text() == "nop\n"
