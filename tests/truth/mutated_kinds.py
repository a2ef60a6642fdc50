# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of runs of one truth, of every kind that `gate` compares, as exported documents: recorded once, published, or drawn.

The command line alone makes them. `recorded` runs are in tests/data/verdicts: what `latlab export --format json` wrote of a run of six
cores and 20 iterations, of a simulated Juno, of calls of a firmware and of a trace, of PSA calls, and of wake-ups in the guest.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from support.command import latlab
from support.places import RT_DATA, TESTS
from truth.exported import Document, figures_of, with_figures
from truth.machines import JUNO, N1SDP, Machine
from truth.noise import Noise
from truth.planted import Pathology, Planted
from truth.spans import pair_of
from truth.wakeups import Between, Late, Tool, printed, wakeup_pair
from truth.written import run_json

RECORDED = TESTS / "data" / "verdicts"
CPUS, WAKEUPS = 4, 10_000
BENCHMARK = ("wake one thread", "wake ten threads", "fork")
REPETITIONS = 20

DocumentPair = tuple[Document, Document]


def recorded(name: str) -> DocumentPair:
    """One run as both."""
    document: Document = json.loads(gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes()))
    return document, document


def published(name: str) -> DocumentPair:
    done = latlab("export", f"published:{name}", "--format", "json")
    document: Document = json.loads(done.stdout)
    return document, document


def board(machine: Machine, boots: int, iterations: int, noise: Noise = Noise.GAUSSIAN, seed: int = 1) -> DocumentPair:
    """Two measurements of a board that did not change."""
    pair = pair_of(machine, Planted(Pathology.NOTHING), noise, (boots, boots), iterations, seed)
    return json.loads(run_json(machine, pair.before, "run1")), json.loads(run_json(machine, pair.after, "run2"))


def imported(data: bytes, file: str) -> Document:
    """What `latlab import` makes of the output of a tool."""
    with tempfile.TemporaryDirectory() as folder:
        path, store = Path(folder) / file, Path(folder) / "store.sqlite"
        path.write_bytes(data)
        done = latlab("import", path, "--format", "json", "--platform", "bench", store=store)
        assert done.returncode == 0, done.stderr
        document: Document = json.loads(latlab("export", "last", "--format", "json", store=store).stdout)
        return document


def measured_wakeups(file: str) -> DocumentPair:
    document = imported((RT_DATA / file).read_bytes(), file)
    return document, document


def drawn_wakeups(tool: Tool = Tool.HISTOGRAM, seed: int = 1) -> DocumentPair:
    pair = wakeup_pair(Late.NOTHING, 0.0, CPUS, WAKEUPS, Between.NOTHING, seed)
    name = "samples.raw" if tool is Tool.SAMPLES else "wakeups.txt"
    return imported(printed(tool, pair.before), name), imported(printed(tool, pair.after), name)


def drawn_benchmark(seed: int = 1) -> DocumentPair:
    """A Google Benchmark of three functions: 20 repetitions, which scatter by 2 %."""
    rng = np.random.default_rng([seed, 21])
    before, after = (_google_benchmark(rng) for _ in range(2))
    return imported(before, "benchmark.json"), imported(after, "benchmark.json")


def _google_benchmark(rng: np.random.Generator) -> bytes:
    repetitions = [
        {
            "name": name, "run_name": name, "run_type": "iteration", "repetitions": REPETITIONS, "repetition_index": index,
            "threads": 1, "iterations": 1000, "real_time": float(1000.0 * (number + 1) * rng.normal(1, 0.02)), "cpu_time": 1.0,
            "time_unit": "ns",
        }
        for number, name in enumerate(BENCHMARK)
        for index in range(REPETITIONS)
    ]  # fmt: skip
    return json.dumps({"context": {"library_version": "v1.8.0"}, "benchmarks": repetitions}).encode()


PAIRS: dict[str, Callable[[], DocumentPair]] = {
    "psci, counts": lambda: recorded("psci-counts"),
    "psci, simulated Juno": lambda: recorded("psci-virtual"),
    "psa, counts": lambda: recorded("psa-counts"),
    "calls of a firmware": lambda: recorded("calls-of-a-firmware"),
    "calls of a trace": lambda: recorded("calls-of-a-trace"),
    "published table of Juno": lambda: published("tf-a/juno/v2.10"),
    "published table of N1SDP": lambda: published("tf-a/n1sdp/v2.10"),
    "Juno, 1 boot of 5": lambda: board(JUNO, 1, 5),
    "Juno, 4 boots of 5": lambda: board(JUNO, 4, 5),
    "N1SDP, 4 boots of 5": lambda: board(N1SDP, 4, 5),
    "guest's wake-ups": lambda: recorded("guest-wakeups"),
    "cyclictest, measured": lambda: measured_wakeups("cyclictest-h.txt"),
    "cyclictest, drawn": drawn_wakeups,
    "benchmark, drawn": drawn_benchmark,
}


@cache
def pair_of_kind(name: str) -> DocumentPair:
    """Both without what would contradict other samples, and with histograms that are counted as those of mutants are."""
    base, candidate = PAIRS[name]()
    return with_figures(base, figures_of(base)), with_figures(candidate, figures_of(candidate))
