# SPDX-License-Identifier: BSD-3-Clause
"""Prints, for each kind of run and set of cores, from which factor on a gate stops: `python tests/truth/smallest_caught.py [--only TEXT]`.

The factors are tried from the largest down, for each test and metric, until one passes. A line has the median and the largest of the
smallest factors that are caught. `-` is a set of which the largest factor passes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from truth.asked_gate import Asked, answers, passed
from truth.data_mutants import Cores, How, Mutant, drawn, sets_of
from truth.exported import figures_of
from truth.mutated_kinds import PAIRS, DocumentPair, pair_of_kind

FACTORS = (10.0, 3.0, 2.0, 1.5, 1.3, 1.2, 1.15, 1.1, 1.07, 1.05, 1.03, 1.02, 1.01)
PASSES = float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="kinds whose name holds this")
    parser.add_argument("--sets", type=int, default=10_000, help="at most so many sets of each kind, by a hash of their names")
    options = parser.parse_args()
    print("| run | cores | sets | median | largest |\n|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in (kind for kind in PAIRS if options.only in kind):
            _print_kind(kind, pair_of_kind(kind), Asked(Path(folder)), options.sets)


def _print_kind(kind: str, pair: DocumentPair, asked: Asked, most: int) -> None:
    smallest: dict[str, list[float]] = defaultdict(list)
    largest_factor = [Mutant(How.TIMES, FACTORS[0], cores, test) for test, cores in sets_of(figures_of(pair[0]))]
    for mutant in drawn(largest_factor, kind, most):
        smallest[mutant.cores.name].append(_smallest(pair, mutant.test, mutant.cores, asked))
    for name, factors in smallest.items():
        print(f"| {kind} | {name} | {len(factors)} | {_printed(median(factors))} | {_printed(max(factors))} |", flush=True)


def _smallest(pair: DocumentPair, test: str, cores: Cores, asked: Asked) -> float:
    """The last factor on the way down of which no gate passed."""
    caught = PASSES
    for factor in FACTORS:
        if passed(answers(pair, [Mutant(How.TIMES, factor, cores, test)], asked)):
            break
        caught = factor
    return caught


def _printed(factor: float) -> str:
    return "-" if factor == PASSES else f"{factor:g}"


if __name__ == "__main__":
    main()
