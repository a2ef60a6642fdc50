# SPDX-License-Identifier: BSD-3-Clause
"""A store with runs of every kind, and images as commands find them in a build folder."""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import msgspec

from latlab.core.model.amounts import Amounts
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.experiment import Experiment
from latlab.core.model.life import SeriesPart
from latlab.core.model.run import CalledAt, CoreId, Problem, Run, SpanTimeline
from latlab.core.readers.event_table import event_table
from latlab.core.store.function_files import FUNCTIONS_LOG, KINDS_LOG, TIMELINES_LOG, render_functions
from latlab.core.store.listing import remove
from latlab.core.store.store import Store, open_store
from latlab.experiments.campaign.plan import FactorLevel, Plan, PlannedFactor
from latlab.experiments.campaign.results import LOG as PLAN_LOG
from latlab.experiments.campaign.results import Kept
from latlab.psa.attack_results import Attacks
from latlab.psa.model import AttackOutcome, AttackResult, Family
from latlab.psa.readers import attack_rows
from latlab.psa.targets.attack_subject import NEEDED
from latlab.psa.targets.mps2 import BUILDS
from latlab.rt.targets.steal_job import file_of
from latlab.runs.campaign.importing_file import import_measured
from support.fakes import elf_with_note
from support.function_runs import KINDS, SLOWER, TREE, run_of
from support.import_library import FUNCTION, import_library
from support.places import RT_DATA, TOOLS_DATA
from support.runs import changed, run_with
from support.steal_lines import cpu_with, measured, text
from support.stored_campaigns import unpack_campaigns

STORED = ("psci-0660", "rt-power-0ee2", "psci-1cb6")
VENEERS = {f"tfm_psa_{name}_veneer": at for name, at in (("framework_version", 0x240), ("version", 0x248), ("call", 0x260))}
OWN = {name: 0x10000240 + 8 * number for number, name in enumerate(NEEDED)}
LOADED, ENTRY = 0x60000000, 0x60000000
CALLED = (CalledAt(0, "entry", 0, 10, 4), CalledAt(1, "leaf", 3, 6, 6))
TIMELINES = (SpanTimeline("cpu_off_serial", Metric.POWERDOWN, CoreId(0, 0), 1, 10, CALLED),)
ATTACKED = AttackResult(Family.HANDLE, "stale", AttackOutcome.REFUSED, "refused", 3, (("status", "-136"),))
LEVELS = (FactorLevel("a0"), FactorLevel("a1"))
PLAN = Plan("made", ("run", "psci"), "cpu_off_serial/powerdown", (PlannedFactor("a", LEVELS),), replicates=2)


def fill(place: Path) -> None:
    """Small runs of every kind, whole and not, in series and alone, of which some can be compared; the same ids each time."""
    unpack_campaigns(place)
    numbers = count()
    with patch("latlab.core.store.store.secrets.token_hex", lambda size: f"{next(numbers):04x}"):
        _fill(place)


def _fill(place: Path) -> None:
    store = open_store(str(place))
    remove(store, [run.id for run in store.runs() if run.id not in STORED])
    for frames in (TREE, SLOWER):
        run = run_of(frames)
        logs = {FUNCTIONS_LOG: render_functions(run.functions), TIMELINES_LOG: render_functions(TIMELINES)}
        _kept(store, run, logs | {KINDS_LOG: render_functions(KINDS)})
    for data in (TOOLS_DATA / "hackbench.txt", RT_DATA / "cyclictest-h.txt", RT_DATA / "cyclictest-h.txt"):
        import_measured(store, data.read_bytes(), data.name, "board", None, None)
    _kept(store, run_with(campaign="attack", contents=Attacks()), {attack_rows.LOG: attack_rows.render((ATTACKED,))})
    meter = text(measured(cpu_with((1_832, 48_924, 3_530), 0), cpu_with((7_050,), 1))).encode()
    _kept(store, run_with(campaign="steal", contents=Amounts()), {file_of("idle"): meter})
    design = _kept(store, run_with(campaign="design", contents=Experiment()), {PLAN_LOG: msgspec.json.encode(Kept(PLAN, 1))})
    for number in (1, 2, 3, 4):
        _kept(store, run_of(TREE, number), {}, SeriesPart(design, number, 4, ""))
    store.begin(changed(run_of(TREE), started_utc="2026-01-02T00:00:00Z"))
    store.begin(run_of(TREE), part=SeriesPart("abcd", 1, 2, "asked"), is_planned=True)
    store.close()
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("VACUUM")


def _kept(store: Store, run: Run, logs: dict[str, bytes], part: SeriesPart | None = None) -> str:
    run_id = store.begin(run, part=part)
    store.add(run_id, run.samples, run.traces, [Problem(1, "a CRC")], logs)
    store.finish(run_id, RunStatus.COMPLETE)
    return run_id


@contextmanager
def checkout(folder: Path) -> Iterator[None]:
    """Everything is built: each image is of the smallest form that is taken for one."""
    (folder / "src" / "latlab").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    for build in ("qemu_virt", "qemu_virt-debug", "qemu_virt-hold", "raspi4", "sbsa_ref"):
        _write(folder / "build" / build / "firmware.bin", b"firmware")
        _write(folder / "build" / build / "firmware.elf", elf_with_note(event_table().hash))
    for build in ("raspi4", "sbsa_ref"):
        _write(folder / "build" / build / "firmware.elf", import_library(VENEERS, FUNCTION))
    for name in ("psci_bench", "psci_calls", "psci_calls_raspi4b", "psci_calls_sbsa-ref", "smc_calls"):
        _write(folder / "build" / "qemu_virt" / f"{name}.elf", loadable())
    for build in (*BUILDS, *(f"{name}_test" for name in BUILDS)):
        _write(folder / "build" / "spm" / build / "secure.elf", import_library(OWN if build.endswith("_test") else VENEERS))
        _write(folder / "build" / "spm" / build / "bench.elf", elf_with_note(event_table().hash))
    for name in ("psa_calls", "psa_attacks"):
        _write(folder / "build" / "spm" / f"{name}.elf", loadable())
    for name in (
        "probe/latlab-probe-7.so",
        "probe/latlab-witness-7.so",
        "virtual/latlab_virtual",
        "virtual/latlab_explore",
        "sbi/sbi_calls.elf",
    ):
        _write(folder / "build" / name, loadable())
    for machine in ("aarch64", "arm", "riscv64"):
        _write(folder / "bin" / f"qemu-system-{machine}", b"#!/bin/false\n")
        (folder / "bin" / f"qemu-system-{machine}").chmod(0o755)
    found = SimpleNamespace(files=lambda package: folder / "src" / "latlab")
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    with patch("latlab.core.targets.qemu.images.resources", found), patch.dict(os.environ, {"PATH": path}):
        yield


def loadable() -> bytes:
    """An ELF file of 64 bits with one segment and nothing else."""
    code = b"\0" * 64
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, ENTRY, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    return head + struct.pack("<IIQQQQQQ", 1, 5, 120, LOADED, LOADED, len(code), len(code), 4) + code


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
