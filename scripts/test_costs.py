# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what the tests cost, from the file that `make test` leaves: by kind, by file, the slowest tests and fixtures.

Usage: test_costs.py [FILE] [--most N]. Seconds of processor include the children that a test waited for; a fixture's are also in the test
that first asked for it.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

DEFAULT = Path("build/test-costs.json")
PHASES = ("setup", "call", "teardown")
HEAD = ("wall s", "processor s", "processes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("--most", type=int, default=20, metavar="N", help="rows of each table")
    options = parser.parse_args()
    if not options.file.is_file():
        parser.error(f"{options.file}: no such file; `make test` writes it")
    costs = json.loads(options.file.read_text("utf-8"))
    tests = {name: total(row) for name, row in costs["tests"].items()}
    print("\n\n".join(sections(costs, tests, options.most)))


def total(row: Mapping[str, Any]) -> list[float]:
    """Wall seconds, processor seconds and processes of a test's phases."""
    return [sum(row[phase][index] for phase in PHASES if phase in row) for index in range(3)]


def sections(costs: Mapping[str, Any], tests: Mapping[str, list[float]], most: int) -> Iterable[str]:
    if "steps" in costs:
        yield table("step", [(name, row) for name, row in costs["steps"].items()])
    yield table("kind", [(f"{name}: {count} tests", row) for name, count, row in grouped(tests, kind_of)])
    slowest_files = sorted(grouped(tests, lambda name: name.partition("::")[0]), key=lambda one: -one[2][1])
    yield table("file", [(f"{name}: {count} tests", row) for name, count, row in slowest_files[:most]])
    yield table("test", sorted(tests.items(), key=lambda one: -one[1][1])[:most])
    yield table("fixture", sorted(costs["fixtures"].items(), key=lambda one: -one[1][1])[:most])


def kind_of(name: str) -> str:
    folder = Path(name.partition("::")[0]).parts[1]
    return "docs" if name.startswith("tests/unit/docs/") else folder


def grouped(tests: Mapping[str, list[float]], key: Callable[[str], str]) -> list[tuple[str, int, list[float]]]:
    rows: dict[str, list[list[float]]] = defaultdict(list)
    for name, row in tests.items():
        rows[key(name)].append(row)
    return [(name, len(found), [sum(column) for column in zip(*found, strict=True)]) for name, found in sorted(rows.items())]


def table(title: str, rows: Iterable[tuple[str, list[float]]]) -> str:
    lines = [f"| {title} | {' | '.join(HEAD)} |", "|---|---:|---:|---:|"]
    return "\n".join(lines + [f"| {name} | {wall:.1f} | {cpu:.1f} | {processes:.0f} |" for name, (wall, cpu, processes) in rows])


if __name__ == "__main__":
    main()
