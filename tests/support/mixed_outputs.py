# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of tools as they are found in logs and mails: with prompts, stamps, colours, other tools' lines, and cut. A seed makes a file."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, read_amounts, read_wakeups
from support import tool_texts
from support.places import RT_DATA, SEEDS, TESTS, TOOLS_DATA

NO_TEXT = ("samples.raw.gz", "recorder.rec.gz")
NO_TOOL = ("catalog", "console", "csv", "json", "rst")
LONGEST = 300
TERMINAL = (
    "$ cat output.txt",
    "root@board:~# ",
    "user@ci-runner:/builds/rt$ uname -r",
    "6.12.0-rt5",
    "+ set -e",
    "make: *** [Makefile:12: measure] Error 1",
    "[  812.345678] CPU2: shutdown",
    "[  812.401122] psci: CPU2 killed (polled 0 ms)",
    "systemd[1]: Started Session 4 of User root.",
    "random: crng init done",
    "Connection to board closed.",
    "real    1m0.012s",
)
FOREIGN = {
    "cyclictest": (
        "# /dev/cpu_dma_latency set to 0us",
        "policy: fifo: loadavg: 0.23 0.24 0.11 1/220 1636",
        "# Histogram Overflows: 00000 00000",
    ),
    "hackbench": ("Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)", "Time: 0.532"),
    "hwlatdetect": ("Max Latency: 21us", "Samples recorded: 3", "ts: 1786805006.080003491, inner:0, outer:11, cpu:0"),
    "oslat": ("    001 (us):\t 1115667 737496", "     Maximum:\t 128566 262827 (us)"),
    "rtla": (
        "# Duration:   0 00:00:05",
        "  1 #4567      |        1         0         1         9 |        3         2         4        77",
    ),
    "stress-ng": ("stress-ng: info:  [31581] dispatching hogs: 2 cpu", "stress-ng: info:  [31581] successful run completed in 3.02s"),
    "Xenomai": ("RTD|      0.410|      1.250|      6.125|       0|     0|      0.410|      6.125",),
    "pairs": ("#1 -> #0, Min    2, Cur    4, Avg    4, Max   69",),
    "schbench": ("        * 99.0th: 90         (4 samples)", "          min=1, max=500"),
    "Zephyr": ("Average thread context switch using yield                   :     370 cycles ,     5792 ns", "Time Period Total: 1234567"),
    "perf": ("  ksoftirqd/0:16        |      0.100 ms |        4 | avg:   9.999 ms | max:  99.999 ms |",),
    "bcc": ("         8 -> 15         : 50       |*****                                   |", "16:34:08", "timer                    168"),
    "tracer": (
        "           <...>-867     [000] .....    54.029339: #1     context thread timer_latency     11700 ns",
        "# tracer: nop",
        "# latency: 68 us, #4/4, CPU#3 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:4)",
    ),
    "zyclictest": ("Overflow:   \t     0\t     0", "Cycle interval: 1000 us"),
    "isochron": ("HW TX deadline misses: 3 (0.100%)", "Waking up takes on average 0.400% of the cycle time (min 0.236% max 1.064%)"),
    "xtest": ("2-sigma interval: 82..138.8us (11.909..7.03571MiB/s)", "     1024 \t |    0.130 \t |    7.692"),
    "numbers": ("600000 1508188", "000003 000017\t000006", "12 34 56", "1408928107.0286324723\t18\t17"),
}

PRINTS_LIKE = {
    "cyclictest": "cyclictest",
    "cyclicdeadline": "cyclictest",
    "signaltest": "cyclictest",
    "hackbench": "hackbench",
    "hwlatdetect": "hwlatdetect",
    "oslat": "oslat",
    "rtla timerlat (Thr)": "rtla",
    "rtla osnoise": "rtla",
    "rtla-osnoise": "rtla",
    "rtla-hwnoise": "rtla",
    "stress-ng cyclic": "stress-ng",
    "xenomai latency": "Xenomai",
    "latmus": "Xenomai",
    "pmqtest": "pairs",
    "pairs of rt-tests": "pairs",
    "schbench": "schbench",
    "latency_measure": "Zephyr",
    "timing_info": "Zephyr",
    "thread-metric": "Zephyr",
    "ztest": "Zephyr",
    "sys_kernel": "Zephyr",
    "boot_time": "Zephyr",
    "app_kernel": "Zephyr",
    "perf-sched": "perf",
    "runqlat": "bcc",
    "softirqs": "bcc",
    "hardirqs": "bcc",
    "trace of the scheduler": "tracer",
    "timerlat tracer": "tracer",
    "hwlat tracer": "tracer",
    "osnoise tracer": "tracer",
    "wakeup_rt tracer": "tracer",
    "zyclictest": "zyclictest",
    "isochron": "isochron",
    "xtest": "xtest",
}
"""Whose lines are no foreign ones: what the tool itself prints twice is another test's."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A file, and what it was made of: `own` are the tool's lines that are left in it, as the tool printed them."""

    name: str
    data: bytes
    own: bytes
    is_cut: bool
    foreign: tuple[str, ...]
    is_object: bool


def figures(found: Wakeups | Benchmark) -> Sequence[object]:
    """What a reader took out of a file, in a form that can be compared."""
    if isinstance(found, Benchmark):
        return found.amounts
    return [(cpu.number, cpu.got, cpu.minimum_ticks, cpu.maximum_ticks, cpu.average_ticks, cpu.counts, cpu.beyond) for cpu in found.cpus]


def imported(data: bytes, place: str) -> Wakeups | Benchmark:
    return read_amounts(data, place) if holds_amounts(data, place) else read_wakeups(data, place)


@cache
def clean_texts() -> dict[str, str]:
    """Every example of an output that is read without a problem, short enough to be cut at any line."""
    paths = [path for folder in (TOOLS_DATA, RT_DATA, TESTS / "data" / "field") for path in sorted(folder.iterdir()) if path.is_file()]
    paths += sorted(path for path in SEEDS.rglob("*") if path.is_file() and path.parent.name not in NO_TOOL)
    read = {f"{path.parent.name}/{path.name}": path.read_bytes() for path in paths if path.name not in NO_TEXT}
    read |= {name: getattr(tool_texts, name).encode() for name in dir(tool_texts) if name.isupper()}
    found = {}
    for name, packed in read.items():
        data = gzip.decompress(packed) if name.endswith(".gz") else packed
        text = _text(data)
        if text is not None:
            found[name] = text
    return found


@cache
def by_tool() -> dict[str, list[str]]:
    """The names of these texts, by the tool that printed them."""
    found: dict[str, list[str]] = {}
    for name, text in sorted(clean_texts().items()):
        found.setdefault(imported(text.encode(), "x").tool, []).append(name)
    return found


def _text(data: bytes) -> str | None:
    lines = data.splitlines(keepends=True)[:LONGEST]
    try:
        text = b"".join(lines).decode()
        read = imported(b"".join(lines), "x")
    except (UnicodeDecodeError, DataError):
        return None
    is_whole = not read.problems and "of no known tool" not in dict(read.facts)["lines"] and " (from line" not in dict(read.facts)["lines"]
    return text if is_whole and "removed from each line" not in dict(read.facts) else None


FRAMES: dict[str, Callable[[int], str]] = {
    "": lambda n: "",
    "ts": lambda n: f"Nov 27 03:29:{n % 60:02} ",
    "ts -i": lambda n: f"00:00:{n % 60:02} ",
    "journal": lambda n: f"Nov 27 03:29:{n % 60:02} board measure.sh[412]: ",
    "journal, precise": lambda n: f"2026-11-27T03:29:{n % 60:02}.123456+0000 board measure.sh[412]: ",
    "kubectl": lambda n: f"2026-11-27T03:29:{n % 60:02}.123456789Z stdout F ",
    "docker": lambda n: f"2026-11-27T03:29:{n % 60:02}.123456789Z ",
    "compose": lambda n: "latency-1  | ",
    "GitHub": lambda n: f"2026-11-27T03:29:{n % 60:02}.1234567Z ",
    "GitHub, gh run view": lambda n: f"measure\tRun tests\t2026-11-27T03:29:{n % 60:02}.1234567Z ",
    "GitLab": lambda n: f"2026-11-27T03:29:{n % 60:02}.123456Z 01O ",
    "serial logger": lambda n: f"[2026-11-27 03:29:{n % 60:02}.123] ",
    "tio": lambda n: f"[03:29:{n % 60:02}.123] ",
    "grabserial": lambda n: f"[{n:4}.000012 0.000012] ",
    "dmesg": lambda n: f"[{n:5}.000012] ",
    "mail": lambda n: "> ",
    "indented": lambda n: "    ",
}


def mixed(seed: int) -> Mixed:
    """The file of this seed."""
    draw = random.Random(seed)
    tool = draw.choice(sorted(by_tool()))
    name = draw.choice(by_tool()[tool])
    text = clean_texts()[name]
    lines = [(line, True) for line in text.splitlines()]
    is_object = text.lstrip().startswith(("{", "<", '"'))
    is_cut = draw.random() < 0.25
    if is_cut:
        lines = _cut(draw, lines)
    own = "".join(f"{line}\n" for line, _ in lines)
    others = sorted(set(FOREIGN) - {PRINTS_LIKE.get(tool, "")})
    foreign = draw.sample(others, draw.choice((0, 1, 1, 2, 3)))
    foreign += ["numbers"] if "numbers" not in foreign and draw.random() < 0.4 else []
    for other in foreign:
        for line in draw.sample(FOREIGN[other], draw.randint(1, len(FOREIGN[other]))):
            lines.insert(_place(draw, lines, is_object), (line, False))
    for line in draw.sample(TERMINAL, draw.choice((0, 1, 2, 3))):
        lines.insert(draw.choice((0, len(lines))), (line, False))
    frame = draw.choice(sorted(FRAMES))
    shown = [line for line, _ in lines]
    if draw.random() < 0.2:
        shown = [f"\x1b[32m{line}\x1b[0m" for line in shown]
    shown = [FRAMES[frame](number) + line for number, line in enumerate(shown)]
    end = draw.choice(("\n", "\n", "\r\n"))
    data = "".join(line + end for line in shown).encode()
    return Mixed(f"{seed}: {name} {frame}", data, own.encode(), is_cut, tuple(foreign), is_object)


def _cut(draw: random.Random, lines: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    at = draw.randrange(1, max(len(lines), 2))
    after = min(at + draw.randint(1, 5), len(lines))
    return draw.choice((lines[:at], lines[at:], lines[:at] + lines[after:])) or lines


def _place(draw: random.Random, lines: list[tuple[str, bool]], is_object: bool) -> int:
    """Within an object no other program writes."""
    return draw.choice((0, len(lines))) if is_object else draw.randint(0, len(lines))
