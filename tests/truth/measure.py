# SPDX-License-Identifier: BSD-3-Clause
"""Shares by what is planted, for one question at a time:
`python tests/truth/measure.py power|late|boots|detectable [--pairs N] [--seed N]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Row
from truth.draw import DRAWN, SpanCase
from truth.held import Held, Wrong, held
from truth.machines import DEEP_SERIAL, JUNO, N1SDP, OFF, SERIAL_0, UP, Machine
from truth.noise import Noise
from truth.planted import FREE_CAUSES, QUEUED_CAUSES, Pathology, Planted
from truth.reading import runs_of_spans
from truth.spans import pair_of
from truth.written import Form

SIZES, BOOTS = (0.05, 0.10, 0.20), (1, 4, 8)
NOTHING = Planted(Pathology.NOTHING)


def cases(machine: Machine, planted: Planted, noise: Noise, boots: int, iterations: int, options: argparse.Namespace) -> Iterator[SpanCase]:
    for i in range(options.pairs):
        yield SpanCase(machine, planted, noise, boots, iterations, Form.JSON, 1_000_000 * options.seed + i)


def power(options: argparse.Namespace) -> None:
    print("share of pairs in which a planted change is found in its place, one iteration a boot; behind it that with something else blamed")
    for machine, causes in ((JUNO, QUEUED_CAUSES), (N1SDP, FREE_CAUSES)):
        plants = [(cause.name, [Planted(Pathology.LEVEL, cause.name, size) for size in SIZES]) for cause in causes]
        for name, planted in [*plants, (Pathology.LAST_MAN.value, [Planted(Pathology.LAST_MAN)])]:
            if (machine is N1SDP and len(planted) == 1) or options.only not in f"{machine.name} {name}":
                continue
            for boots in BOOTS:
                found = [shares(held(case) for case in cases(machine, one, Noise.GAUSSIAN, boots, 1, options)) for one in planted]
                print(f"{machine.name:6} {name:32} {boots} boots  " + "   ".join(found), flush=True)


def shares(found: Iterable[Held]) -> str:
    pairs = list(found)
    blamed = sum(any(fault.wrong is Wrong.BLAME for fault in one.faults) for one in pairs)
    return f"{sum(one.found for one in pairs) / len(pairs):.2f} ({blamed / len(pairs):.2f})"


def late(options: argparse.Namespace) -> None:
    print("1 % of the wake-ups of one test six times as late, eight boots of a hundred: found, and what else was said")
    for noise in DRAWN:
        for test in (DEEP_SERIAL, SERIAL_0, OFF):
            print(
                f"{noise:10} {test:18} {_said(cases(JUNO, Planted(Pathology.TAIL_1, '', 0.0, (test, UP)), noise, 8, 100, options))}",
                flush=True,
            )


def boots(options: argparse.Namespace) -> None:
    print("one truth by the number of boots")
    for machine in (JUNO, N1SDP):
        for noise in DRAWN:
            for count in (1, 3, 4, 5, 8):
                print(f"{machine.name:6} {noise:10} {count} boots  {_said(cases(machine, NOTHING, noise, count, 1, options))}", flush=True)


def _said(drawn: Iterable[SpanCase]) -> str:
    pairs = [held(case) for case in drawn]
    words = ("unchanged", "inconclusive", "improved", "regressed", "refused")
    verdicts = " ".join(f"{word} {sum(one.verdict == word for one in pairs) / len(pairs):.3f}" for word in words)
    gates = "/".join(f"{sum(one.gate == code for one in pairs) / len(pairs):.3f}" for code in (0, 1, 3))
    return f"found {shares(pairs)} flagged {sum(one.flagged for one in pairs) / len(pairs):.3f}  {verdicts}  gate {gates}"


def detectable(options: argparse.Namespace) -> None:
    print("a change of the size that a comparison says it would have found with 90 %: share of pairs in which its row is told")
    for noise in DRAWN:
        for count, iterations in ((4, 1), (8, 1), (8, 20)):
            told, sizes = [], []
            for case in cases(JUNO, NOTHING, noise, count, iterations, options):
                size = _stated(case)
                if size is not None:
                    planted = Planted(Pathology.LEVEL, "wakeup of cluster 1", size)
                    told.append(_level_row(replace(case, planted=planted, seed=case.seed + 500_000)).verdict == "regressed")
                    sizes.append(size)
            rate = f"{sum(told) / len(told):.3f}" if told else "nothing stated"
            middle = f"{sorted(sizes)[len(sizes) // 2]:.1%}" if sizes else ""
            print(
                f"{noise:10} {count} boots of {iterations:2}  {len(told)} of {options.pairs} stated, {middle} in the middle, told {rate}",
                flush=True,
            )


def _level_row(case: SpanCase) -> Row:
    pair = pair_of(case.machine, case.planted, case.noise, (case.boots, case.boots), case.iterations, case.seed)
    rows = compare(*runs_of_spans(pair, case.form)).rows
    return next(row for row in rows if (row.test, row.metric.value, row.cluster) == (SERIAL_0, UP, 1))


def _stated(case: SpanCase) -> float | None:
    """As a share of the row's level."""
    row = _level_row(case)
    found = [one.size for one in getattr(row, "detectable", ()) if "level" in one.figure or one.figure == "mean"]
    return found[0] / row.before if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", choices=["power", "late", "boots", "detectable"])
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="of power: causes whose name holds this")
    options = parser.parse_args()
    {"power": power, "late": late, "boots": boots, "detectable": detectable}[options.question](options)


if __name__ == "__main__":
    main()
