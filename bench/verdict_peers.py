# SPDX-License-Identifier: BSD-3-Clause
"""latlab's verdicts beside other tools' rules, on the same drawn pairs: how many planted changes each finds, and whom it blames wrongly.

`PYTHONPATH=tests python bench/verdict_peers.py --pairs 40` draws 40 pairs for each number of boots. The board has two clusters of four
cores and no queue, so that a rule that knows no queues is judged fairly. A rule gets each iteration as a sample (`/it`), or one mean a
boot (`/bt`). A planted change is found if any data point that it reaches is called changed. A blame is wrong if no such data point is in
it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

from latlab.core.cli.app import main as latlab_main
from peer_rules import Floats, Rule, rules_here
from truth.machines import CALL, DEEP, DEEP_SERIAL, DOWN, FLUSH, LEVEL_0, OFF, SERIAL_0, UP, Machine, Span, scaled
from truth.noise import Noise
from truth.planted import Pathology, Planted
from truth.spans import Pair, pair_of
from truth.written import run_json

BOOTS, ITERATIONS = (1, 3, 4, 8), 5
SIZES = (0.1, 0.2, 0.5, 1.0)
NOISES = (1.0, 3.0)
NOTHING_SHARE = 0.3
LEAST_TRUE_SHARE = 1e-4
BOARD = Machine(
    "board", (4, 4), (0, 0), (5_300.0, 4_500.0), (138_200.0, 77_300.0),
    {DEEP: (23_200.0, 19_000.0), DEEP_SERIAL: (23_200.0, 19_000.0), LEVEL_0: (15_900.0, 16_100.0), SERIAL_0: (15_900.0, 16_100.0),
     OFF: (25_900.0, 22_800.0)},
    alone=95_800.0, base=104_700.0, step=0.0, call=950.0, call_cold=0.0, is_queued=False,
    scatter={DOWN: 300.0, UP: 150.0, FLUSH: 50.0, CALL: 10.0},
)  # fmt: skip
CHANGED = ("regressed", "improved")


class Plant(StrEnum):
    NOTHING = "nothing"
    CELL = "one cell"
    CORE = "one core"
    HALF = "half of the cores"
    TEST = "one test"
    ALL = "all"
    FLUSH = "core flush"


@dataclass(frozen=True)
class Drawn:
    """A pair; `reached` is what share of itself each data point truly changed by, `(cores,)` for each span, 0 where nothing did."""

    plant: Plant
    size: float
    noise: float
    pair: Pair
    reached: dict[Span, Floats]

    @property
    def machine(self) -> Machine:
        return self.pair.machine


@dataclass
class Score:
    """Counts of pairs. `stopped`: planted, and the gate did not pass although nothing right was called changed."""

    planted: int = 0
    found: int = 0
    untouched: int = 0
    blamed: int = 0
    wrong: int = 0
    stopped: int = 0

    def add(self, drawn: Drawn, is_found: bool, is_wrong: bool, is_stopped: bool = False) -> None:
        if drawn.plant is Plant.NOTHING:
            self.untouched += 1
            self.blamed += is_wrong
            return
        self.planted += 1
        self.found += is_found
        self.wrong += is_wrong
        self.stopped += is_stopped and not is_found

    @property
    def cells(self) -> tuple[str, str, str]:
        return f"{self.found}/{self.planted}", f"{self.blamed}/{self.untouched}", f"{self.wrong}/{self.planted}"


def drawn_pair(seed: int, boots: int, only: Plant | None = None, only_size: float | None = None) -> Drawn:
    """Three in ten hold nothing, if no plant is given. What moves is the way up, except for a cell, which may be of any span, and the
    core's own flush."""
    rng = np.random.default_rng([seed, boots, 31])
    plant = Plant.NOTHING if rng.random() < NOTHING_SHARE else list(Plant)[1 + rng.integers(len(Plant) - 1)]
    size, noise = float(rng.choice(SIZES)), float(rng.choice(NOISES))
    plant, size = only or plant, only_size or size
    machine = scaled(BOARD, noise)
    flushed = replace(machine, flush_core=tuple(cost * (1 + size) for cost in machine.flush_core))
    pair = pair_of(machine, Planted(Pathology.NOTHING), Noise.GAUSSIAN, (boots, boots), ITERATIONS, int(rng.integers(2**31)))
    if plant is Plant.FLUSH:
        slower = pair_of(flushed, Planted(Pathology.NOTHING), Noise.GAUSSIAN, (boots, boots), ITERATIONS, int(rng.integers(2**31)))
        pair = replace(pair, machine_after=flushed, after=slower.after, truth_after=slower.truth_after)
        return Drawn(plant, size, noise, pair, _moved_by_flush(pair))
    moved = _moved_spans(plant, size, machine, rng)
    table = {span: np.rint(values * (1 + moved.get(span, 0.0))).astype(np.int64) for span, values in pair.after.items()}
    still = {span: np.zeros(len(machine.cores)) for span in pair.before}
    return Drawn(plant, size, noise, replace(pair, after=table), still | moved)


def _moved_spans(plant: Plant, size: float, machine: Machine, rng: np.random.Generator) -> dict[Span, Floats]:
    """No cell is planted where a drawn order decides which core flushes for its cluster."""
    count = len(machine.cores)
    tests = [*machine.wake]
    spans = [(test, metric) for test in tests for metric in (DOWN, UP, FLUSH) if metric == UP or test != DEEP]
    core = int(rng.integers(count))
    one, half, every = np.eye(count)[core], np.arange(count) % 2 == core % 2, np.ones(count)
    test, cell = tests[rng.integers(len(tests))], spans[rng.integers(len(spans))]
    match plant:
        case Plant.CELL:
            return {cell: one * size}
        case Plant.TEST:
            return {(test, UP): every * size}
        case Plant.CORE | Plant.HALF | Plant.ALL:
            who = {Plant.CORE: one, Plant.HALF: half, Plant.ALL: every}[plant]
            return {(test, UP): who * size for test in tests}
    return {}


def _moved_by_flush(pair: Pair) -> dict[Span, Floats]:
    """A parallel test has the cores in a drawn order: any of its cells may be reached."""
    moved = {}
    for span, values in pair.truth_before.values.items():
        share = pair.machine_after.flush_core[0] / pair.machine.flush_core[0] - 1
        flush = np.array([pair.machine.flush_core[cluster] for cluster, _ in pair.machine.cores])
        if span[1] not in (DOWN, FLUSH):
            moved[span] = np.zeros(values.shape[2])
        else:
            moved[span] = share * flush / values.mean(axis=(0, 1))
    return moved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=40, help="pairs for each number of boots")
    parser.add_argument("--seed", type=int, default=0, help="the first pair's")
    parser.add_argument("--boots", type=int, nargs="+", default=BOOTS)
    parser.add_argument("--plant", type=Plant, choices=[*Plant], help="only this is planted")
    parser.add_argument("--size", type=float, help="only this share is planted, such as 0.1")
    parser.add_argument("--missed", action="store_true", help="print what latlab missed and blamed, a line for each pair")
    options = parser.parse_args()
    scores: dict[int, dict[str, Score]] = {}
    by_plant: Counter[tuple[int, str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for boots in options.boots:
            scores[boots] = {}
            for seed in range(options.seed, options.seed + options.pairs):
                drawn = drawn_pair(seed, boots, options.plant, options.size)
                _judge(drawn, boots, scores[boots], by_plant, Path(folder), options.missed)
            print(f"{boots} boots: {options.pairs} pairs", file=sys.stderr)
    _print(scores, by_plant)


def _judge(
    drawn: Drawn, boots: int, scores: dict[str, Score], by_plant: Counter[tuple[int, str, str]], folder: Path, is_verbose: bool
) -> None:
    plant = f"{drawn.plant} +{drawn.size:.0%}" if drawn.size <= min(SIZES) else f"{drawn.plant}, more"
    for name, is_found, is_wrong, is_stopped in _answers(drawn, folder):
        scores.setdefault(name, Score()).add(drawn, is_found, is_wrong, is_stopped)
        if drawn.plant is not Plant.NOTHING:
            by_plant[boots, plant, name] += is_found
        if is_verbose and name == "latlab" and (is_wrong or not (is_found or drawn.plant is Plant.NOTHING)):
            what = "blames wrongly" if is_wrong else "stops at" if is_stopped else "passes"
            print(f"{what} {drawn.plant} {drawn.size:+.0%}, {boots} boots, noise x{drawn.noise:g}", file=sys.stderr)
    if drawn.plant is not Plant.NOTHING:
        by_plant[boots, plant, "pairs"] += 1


def _answers(drawn: Drawn, folder: Path) -> Iterator[tuple[str, bool, bool, bool]]:
    """The name of each method, whether it found what was planted, whether it blamed wrongly, whether its gate stopped."""
    yield "latlab", *_of_latlab(drawn, folder)
    reached = {f"{test} {metric} {core}": share[core] for (test, metric), share in drawn.reached.items() for core in range(len(share))}
    for name, rule in rules_here().items():
        for unit in ("it", "bt"):
            changed = rule(_samples(drawn, False, unit), _samples(drawn, True, unit))
            right = {point for point in changed if abs(reached[point]) > LEAST_TRUE_SHARE}
            yield f"{name} /{unit}", bool(right), bool(changed - right), False


def _samples(drawn: Drawn, is_after: bool, unit: str) -> dict[str, Floats]:
    table = drawn.pair.after if is_after else drawn.pair.before
    out = {}
    for (test, metric), values in table.items():
        for core in range(values.shape[2]):
            own = values[:, :, core].astype(float)
            out[f"{test} {metric} {core}"] = own.mean(axis=1) if unit == "bt" else own.ravel()
    return out


def _of_latlab(drawn: Drawn, folder: Path) -> tuple[bool, bool, bool]:
    files = []
    tables = (("run1", drawn.pair.machine, drawn.pair.before), ("run2", drawn.pair.machine_after, drawn.pair.after))
    for name, machine, table in tables:
        files.append(folder / f"{name}.json")
        files[-1].write_text(run_json(machine, table, name), encoding="utf-8")
    code, text = _latlab("compare", *map(str, files), "--format", "json")
    claims = [(claim, _reached_by(claim, drawn)) for claim in _claims(json.loads(text))] if text else []
    return any(reached for _, reached in claims), any(not reached for _, reached in claims), code != 0


def _claims(comparison: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What is called changed: rows, and groups of rows of which no single one is."""
    yield from (row for row in comparison["rows"] if row["verdict"] in CHANGED)
    yield from (claim for claim in comparison.get("claims", ()) if claim["is_frontier"] and claim["verdict"] in CHANGED)


def _reached_by(claim: dict[str, Any], drawn: Drawn) -> bool:
    """Whether the plant reaches any data point of the tests, the metric and the cluster that the claim names. A group may have several
    tests and clusters."""
    spans = [span for span in drawn.reached if span[1] == claim["metric"] and claim["test"] in ("", span[0])]
    here = [number for number, (cluster, _) in enumerate(drawn.machine.cores) if claim.get("cluster") in (None, cluster)]
    return any(bool((np.abs(drawn.reached[span][here]) > LEAST_TRUE_SHARE).any()) for span in spans)


def _latlab(*arguments: str) -> tuple[int, str]:
    """The command in this process: its exit code and what it printed."""
    out = io.StringIO()
    with (
        patch.object(sys, "argv", ["latlab", *arguments]),
        patch.dict(os.environ, {"NO_COLOR": "1"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        try:
            latlab_main()
        except SystemExit as stop:
            return int(stop.code or 0), out.getvalue()
    return 0, out.getvalue()


def _print(scores: dict[int, dict[str, Score]], by_plant: Counter[tuple[int, str, str]]) -> None:
    console = Console(width=160)
    table = Table(title="found of planted; pairs blamed of untouched; wrong blames of planted")
    table.add_column("method")
    for boots in scores:
        table.add_column(f"{boots} boots" if boots > 1 else "1 boot")
    for name in next(iter(scores.values())):
        table.add_row(name, *("; ".join(scores[boots][name].cells) for boots in scores))
    own = [scores[boots]["latlab"] for boots in scores]
    table.add_row("latlab's gate stops besides", *(f"{score.stopped}/{score.planted}" for score in own))
    console.print(table)
    plants = sorted({plant for _, plant, _ in by_plant})
    shown: dict[str, Rule] = rules_here()
    names = ["latlab", *(f"{name} /bt" for name in shown if name in ("textbook", "asv"))]
    table = Table(title="found, by plant: " + "; ".join(names))
    table.add_column("planted")
    for boots in scores:
        table.add_column(f"{boots} boots" if boots > 1 else "1 boot")
    for plant in plants:
        table.add_row(plant, *(_shares(by_plant, boots, plant, names) for boots in scores))
    console.print(table)


def _shares(by_plant: Counter[tuple[int, str, str]], boots: int, plant: str, names: list[str]) -> str:
    pairs = by_plant[boots, plant, "pairs"]
    return "; ".join(f"{by_plant[boots, plant, name]}" for name in names) + f" of {pairs}"


if __name__ == "__main__":
    main()
