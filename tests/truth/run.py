# SPDX-License-Identifier: BSD-3-Clause
"""Draws pairs and prints how often what was given for them was true: `python tests/truth/run.py --seed 0 --count 300 [--only TEXT]`.

A shard is a range of seeds: `--seed 2500 --count 2500`; `--keep FILE` writes a line of JSON for each pair, `--add FILE...` prints shards
together.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from truth.draw import case_of
from truth.held import Case, Held, held
from truth.parts import part_case_of, rt_part_case_of

BENCHES: dict[str, Callable[[int], Case]] = {"whole": case_of, "parts": part_case_of, "rt": rt_part_case_of}


def line_of(seed: int, one: Held) -> dict[str, Any]:
    return {
        "seed": seed, "name": one.case.name, "group": one.case.group, "verdict": one.verdict, "gate": one.gate, "found": one.found,
        "flagged": one.flagged, "refused": one.refused, "covered": one.covered, "intervals": one.intervals,
        "faults": [(fault.wrong.value, fault.said) for fault in one.faults],
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--bench", choices=[*BENCHES], default="whole", help="whole: costs of the machine; parts, rt: who moves")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--add", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=12, help="so many faults of each kind are printed with their seeds")
    options = parser.parse_args()
    if options.add:
        print_rates([json.loads(line) for path in options.add for line in path.read_text().splitlines()], options.show)
        return
    lines = []
    with options.keep.open("w") if options.keep else open("/dev/null", "w") as kept:
        for seed in range(options.seed, options.seed + options.count):
            case = BENCHES[options.bench](seed)
            if options.only in case.name:
                lines.append(line_of(seed, held(case)))
                kept.write(json.dumps(lines[-1], default=lambda number: number.item()) + "\n")  # numpy's numbers
    print_rates(lines, options.show)


def print_rates(lines: list[dict[str, Any]], show: int) -> None:
    """A table by plant, of pairs; then each kind of fault with examples."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        groups[line["group"][0], line["group"][1]].append(line)
    print(
        f"{'board, planted':52} {'pairs':>5} {'blame':>6} {'peace':>6} {'over':>5} {'found':>5} {'same':>5} {'gate 0/1/3':>14} {'cover':>6}"
    )
    for (board, planted), found in sorted(groups.items()):
        print(f"{board + ', ' + planted:52} {_rates(found)}")
    print(f"{'all':52} {_rates(lines)}")
    truths = [line for line in lines if line["group"][1] == "nothing"]
    for part, name in ((2, "boots"), (3, "noise")):
        for value in sorted({line["group"][part] for line in truths}):
            print(f"{'one truth, ' + name + ' ' + value:52} {_rates([line for line in truths if line['group'][part] == value])}")
    for wrong in sorted({kind for line in lines for kind, _ in line["faults"]}):
        hit = [line for line in lines if any(kind == wrong for kind, _ in line["faults"])]
        print(f"\n{wrong}: {len(hit)} of {len(lines)} pairs")
        for line in hit[:show]:
            said = [text for kind, text in line["faults"] if kind == wrong]
            print(f"  seed {line['seed']}: {line['name']}\n      {said[0]}{f' and {len(said) - 1} more' if len(said) > 1 else ''}")


def _rates(found: Iterable[dict[str, Any]]) -> str:
    found = list(found)
    count = max(len(found), 1)
    wrongs = Counter(kind for line in found for kind in {kind for kind, _ in line["faults"]})
    shares = [wrongs[kind] / count for kind in ("blame", "peace", "overstated")]
    gates = Counter(line["gate"] for line in found)
    same = sum(line["verdict"] == "unchanged" for line in found) / count
    hits = sum(line["found"] for line in found) / count
    intervals = sum(line["intervals"] for line in found)
    covered = f"{sum(line['covered'] for line in found) / intervals:.2f}" if intervals else "-"
    told = "/".join(f"{gates[code] / count:.2f}" for code in (0, 1, 3))
    return f"{len(found):5} {shares[0]:6.3f} {shares[1]:6.3f} {shares[2]:5.2f} {hits:5.2f} {same:5.2f} {told:>14} {covered:>6}"


if __name__ == "__main__":
    main()
