# SPDX-License-Identifier: BSD-3-Clause
"""Prints how well the verdicts are calibrated.

`python tests/prove/statistics/calibrate.py [same] [power] [faults] [history] [tail] [--pairs N]`
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.calibration import Tally, tallied
from support.calibration_cases import PLANTED, SAME_TRUTH
from support.calibration_faults import FAULTS, judged_fault
from support.calibration_series import SERIES, TAILS, found_in_series, tail_coverage

PARTS = ("same", "power", "faults", "history", "tail")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], help="all where none is named")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for part in options.part or PARTS:
        before = time.monotonic()
        globals()[f"_{part}"](options)
        print(f"({part}: {time.monotonic() - before:.0f} s)\n", flush=True)


def _same(options: argparse.Namespace) -> None:
    print("two runs of one truth: share of pairs, Wilson's 95 % interval")
    for case in SAME_TRUTH:
        if options.only not in case.name:
            continue
        tally = tallied(case, options.pairs, options.seed)
        gates = " ".join(f"{code}:{tally.share(f'gate {code}'):.2f}" for code in (0, 1, 3))
        rules = f"broken rule claimed {tally.share('rule'):.3f}, unusual {tally.share('unusual'):.3f}"
        print(f"{case.name:42} n={tally.pairs:4} any row flagged {_said(tally, 'wrong')}  same {_said(tally, 'same')}  "
              f"{rules}  gate {gates}{_worst(tally)}", flush=True)  # fmt: skip


def _power(options: argparse.Namespace) -> None:
    print("a planted change: share of pairs")
    for case in PLANTED:
        if options.only not in case.name:
            continue
        tally = tallied(case, max(20, options.pairs // 2), options.seed)
        shares = "  ".join(f"{name} {tally.share(name):.3f}" for name in ("cause", "gate 1", "rule"))
        wrong = f"wrong beside {_said(tally, 'wrong')}, {tally.wrong_share:.3f} of rows"
        print(f"{case.name:58} n={tally.pairs:4} found {_said(tally, 'found')}  {wrong}  {shares}{_worst(tally)}", flush=True)


def _said(tally: Tally, name: str) -> str:
    low, high = tally.interval(name)
    return f"{tally.share(name):.3f} [{low:.3f} {high:.3f}]"


def _worst(tally: Tally) -> str:
    return "".join(f"\n      wrong {count}x {name}" for name, count in tally.wrong_rows.most_common(3))


def _faults(options: argparse.Namespace) -> None:
    print("a fault planted in the second run: exit codes of the gate, the first sentence of gate and explain for the first pair")
    for fault in FAULTS:
        if options.only not in fault.name:
            continue
        found = [judged_fault(fault, seed) for seed in range(options.seed * 1000, options.seed * 1000 + max(10, options.pairs // 10))]
        right = sum(one.is_right for one in found)
        codes = " ".join(f"{code}: {sum(one.exit_code == code for one in found)}" for code in (0, 1, 3))
        print(
            f"{fault.name:50} right {right}/{len(found)}  exit {codes}\n      gate:    {found[0].gate}\n      explain: {found[0].explain}"
        )
        for said in sorted({said for one in found for said in one.missing}):
            print(f"      wrong: {said}", flush=True)


def _history(options: argparse.Namespace) -> None:
    print("series of releases, noise of 2.5 % of the level")
    for series in SERIES:
        if options.only not in series.name:
            continue
        found = found_in_series(series, options.pairs, options.seed)
        print(f"{series.name:44} n={found.series:4} {found.said}", flush=True)


def _tail(options: argparse.Namespace) -> None:
    print("level exceeded once in a million: coverage of the 95 % interval where an answer is given")
    for tail in TAILS:
        if options.only not in tail.name:
            continue
        print(f"{tail.name:36} {tail_coverage(tail, max(20, options.pairs // 2), options.seed).said}", flush=True)


if __name__ == "__main__":
    main()
