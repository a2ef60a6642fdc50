# SPDX-License-Identifier: BSD-3-Clause
"""Which systems are explored, how far, and with what result. The exploration itself is a program beside the virtual-time one."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.core.errors import DataError, UsageError
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.tools import how_to_make, not_built, refuse_stale

PROGRAM = "latlab_explore"
TIMEOUT_S = 900
FINISHED, BROKEN, REFUSED, TOO_LARGE = 0, 1, 2, 3
SCOPES = ("coordination", "transition")
INTERRUPTS = ("gicv2-hide", "gicv2-pass", "gicv3-hide", "gicv3-pass", "gicv2-plain")
TOO_MANY = "not finished: too many states"
COUNTS = re.compile(r"^(.*): (\d+) states, (\d+) steps, (\d+ ends \([0-9a-f]+\))$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class System:
    """The cores of each cluster and one program per core.

    One letter per call: 2, 1, 0 suspend to that level, `r` with the cluster in retention, `s` standby, `f` CPU_OFF, `a` AFFINITY_INFO of
    every core, `A` to `P` CPU_ON of core 0 to 15, `x` that the power controller refuses the next of them, `h` CPU_OFF in the middle of
    an interrupt, `i` an interrupt to every other core; a core whose program begins with `-` starts off. `bound`: at most so many
    preemptions (None: every interleaving); `walks`: random walks instead. `every_access`: without joining steps. `interrupts`: parking on
    this interrupt controller, one of INTERRUPTS.
    """

    clusters: str
    programs: str
    bound: int | None = None
    walks: int = 0
    os_initiated: bool = False
    every_access: bool = False
    interrupts: str = ""


PARKED = (System("2", "B|f1"), System("2", "BBB|h1i1f"), System("2,1", "BC|f|f1"))
PARKED_FULL = (System("2,1", "iB2|f1|h"), System("2,2", "2f|1|2B|0"), System("2,2", "BiB|f1|f|h"), System("2,2", "B|ff|B|B"))


def _on_each(systems: Sequence[System]) -> tuple[System, ...]:
    return tuple(replace(system, interrupts=interrupts) for system in systems for interrupts in INTERRUPTS)


SMALL = (
    System("2", "1|1"),
    System("1,1", "2|2"),
    System("2", "22|11"),
    System("2", "1f|1"),
    System("2", "1B|-1a"),
    System("2", "r|1"),
    System("2", "s|1"),
    System("2", "oo1|p1"),
    System("2", "n1|r"),
    System("2", "xBB|f1"),
    System("2,1", "xC|Cf|-1"),
    System("2", "1|0", os_initiated=True),
    System("2", "11|00", os_initiated=True),
    System("1,1", "2|0", os_initiated=True),
    System("2,1", "2|2|2"),
    System("2,2", "2f|1|2B|0"),
    System("2,4", "22|2f|12|2f1|0A2B2|r2", walks=2000),
    *_on_each(PARKED),
)
FULL = (
    *SMALL,
    System("3", "11|11|11"),
    System("2,1", "22|2|2"),
    System("2,1", "2f|2|2B"),
    System("2,1", "2|0|1", os_initiated=True),
    System("2,1", "o2|1|2"),
    System("2,2", "2|2|2|2"),
    System("2,2", "2f|2|2|2"),
    System("2,2", "0|22|0|11", os_initiated=True),
    System("2,2", "2f|2|2B|1"),
    System("2,2", "r|2|2f|2C"),
    System("2,2", "2C|2|-2|1a"),
    System("2,2", "f|2A|2|f"),
    System("2,2", "22|22|22|22", bound=1),
    *_on_each(PARKED_FULL),
    System("4,4", "222|2f|12|2B1|0F2B2|r2|21|2", walks=20000),
    System("4,4,4,4", "22|2f|12|2B1|0F2B2|r2|21|2|2|2|2|2|2f|2|2M|1", walks=5000),
)


@dataclass(frozen=True, slots=True)
class ExplorationResult:
    """The result of exploring one system. `timeline` is empty if no rule was broken.

    `ends`: the states in which nothing more can happen: how many, and a checksum of their set.
    """

    system: System
    scope: str
    verdict: str
    states: int
    steps: int
    ends: str
    timeline: str = ""
    replay: str = ""


def find_explorer(path: Path | None = None) -> Path:
    candidates = (path,) if path else tuple(base / sub / PROGRAM for base in search_folders() for sub in ("virtual", "host", "."))
    for candidate in candidates:
        if candidate.is_file():
            refuse_stale(candidate, "virtual")
            return candidate
    missing = f"{PROGRAM} does not exist (searched {', '.join(map(str, candidates))})"
    raise UsageError(missing, how_to_make("virtual")) if path else not_built(missing, "virtual")


def check_choices(scopes: Sequence[str], system: System) -> None:
    """Raises UsageError for what the program would misread."""
    strange = next((scope for scope in scopes if scope not in SCOPES), None)
    if strange is not None:
        raise UsageError(f"--scope {strange!r} is not a lock scope", f"choose {' or '.join(SCOPES)}", value=strange)
    if system.interrupts and system.interrupts not in INTERRUPTS:
        raise UsageError(
            f"--interrupts {system.interrupts!r} is not an interrupt controller",
            f"choose one of {', '.join(INTERRUPTS)}",
            value=system.interrupts,
        )
    if (system.bound or 0) < 0 or system.walks < 0:
        raise UsageError("--bound and --walks are numbers from 0")
    if system.bound is not None and system.walks:
        raise UsageError("--bound and --walks exclude each other: a walk is random and has no bound")


def options_of(system: System, scope: str, seed: int) -> list[str]:
    options = ["--transition"] if scope == "transition" else []
    options += ["--os-initiated"] if system.os_initiated else []
    options += ["--every-access"] if system.every_access else []
    options += ["--interrupts", system.interrupts] if system.interrupts else []
    options += ["--preemptions", str(system.bound)] if system.bound is not None else []
    options += ["--walks", str(system.walks), str(seed)] if system.walks else []
    return [*options, system.clusters, system.programs]


def explore_one(program: Path, system: System, scope: str, seed: int) -> ExplorationResult:
    """Explore one system. Raises DataError if the program did not reach a verdict."""
    try:
        done = subprocess.run([program, *options_of(system, scope, seed)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise DataError(f"{system.clusters} {system.programs} is not model-checked after {TIMEOUT_S} s", "give a smaller bound") from error
    if done.returncode == REFUSED:
        raise UsageError(f"{system.clusters} {system.programs}: {done.stderr.strip()}")
    if done.returncode not in (FINISHED, BROKEN, TOO_LARGE):
        raise DataError(f"{program.name} stopped on {system.clusters} {system.programs}: {done.stderr.strip() or done.returncode}")
    counts = COUNTS.search(done.stdout)
    if not counts and not (done.returncode == BROKEN and "replay:" in done.stdout):
        raise UsageError(f"{program} reached no verdict, so it is not {PROGRAM}", "name the one that the build made")
    states, steps, ends = (int(counts[2]), int(counts[3]), counts[4]) if counts else (0, 0, "")
    verdicts = {FINISHED: counts[1] if counts else "", BROKEN: "broken", TOO_LARGE: TOO_MANY}
    replay = re.search(r"^replay: (.*)$", done.stdout, re.MULTILINE)
    timeline = done.stdout if done.returncode == BROKEN else ""
    return ExplorationResult(system, scope, verdicts[done.returncode], states, steps, ends, timeline, replay[1] if replay else "")


def explore(program: Path, systems: Sequence[System], scopes: Sequence[str], seed: int = 1) -> list[ExplorationResult]:
    """Explore each system under each lock scope, on all local cores."""
    choices = [(system, scope) for system in systems for scope in scopes]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda choice: explore_one(program, choice[0], choice[1], seed), choices))


def replay(program: Path, system: System, scope: str, choices: str) -> str:
    """The timeline of a counterexample from its choices."""
    options = options_of(replace(system, bound=None, walks=0), scope, 0)
    done = subprocess.run([program, "--replay", choices, *options], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode or not done.stdout:
        raise UsageError(f"{system.clusters} {system.programs}: {done.stderr.strip() or 'not a system'}")
    return done.stdout
