# SPDX-License-Identifier: BSD-3-Clause
"""Makes src/latlab/catalog/counts/tf-a/merges.csv and merge_figures.csv: `scripts/merge_counts.py HISTORY.json REPOSITORY`.

HISTORY.json is `latlab history A..B --paths ... --cpu ONE --cpu OTHER --format json -o HISTORY.json` without a tolerance.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

COUNTS = Path(__file__).parents[1] / "src/latlab/catalog/counts"
FOLDER = COUNTS / "tf-a"
SHORT = 12
MOST_FUNCTIONS = 3
MERGES = ("merge", "authored", "release", "skipped", "subject", "commits")
WHOLE = ("merge", "test", "metric")


def main(told: str, repository: str) -> None:
    write(json.loads(Path(told).read_text("utf-8")), Path(repository), FOLDER, _releases(Path(repository)))


def write(found: dict[str, Any], repository: Path, folder: Path, releases: dict[str, set[str]]) -> None:
    """Two tables: the figures that merges moved, and all merges of the range. `releases` has what each is made of, the oldest first."""
    moved = _moved(found["histories"])
    names = sorted({name for figure in moved.values() for name in figure})
    with (folder / "merge_figures.csv").open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*WHOLE, *(f"{name} {when}" for name in names for when in ("before", "after")), "functions"])
        for key, figure in moved.items():
            values = [f"{figure[name][when]:.9g}" if name in figure else "" for name in names for when in ("before", "after")]
            writer.writerow([key[0][:SHORT], *key[1:], *values, _functions(list(figure.values()))])
    with (folder / "merges.csv").open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(MERGES)
        writer.writerows(_merges(found, {merge for merge, *_ in moved}, repository, releases))


def _moved(histories: list[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, dict[str, Any]]]:
    """By merge and span, the figure of each processor."""
    order = [one["sha"] for history in histories for one in history["commits"]]
    found: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for history in histories:
        for change in history["changes"]:
            for figure in change["figures"]:
                key = change["commit"], figure["test"], figure["metric"]
                found.setdefault(key, {})[history["name"].rpartition(", ")[2]] = figure
    return dict(sorted(found.items(), key=lambda one: order.index(one[0][0])))


def _functions(figures: list[dict[str, Any]]) -> str:
    """Of the processor that moved more, the functions that did most of it."""
    most = max(figures, key=lambda one: abs(one["after"] - one["before"]))
    moves = [(one["name"], one["after"] - one["before"]) for one in most["functions"]]
    return "; ".join(f"{name} {difference:+.9g}" for name, difference in moves[:MOST_FUNCTIONS])


def _merges(found: dict[str, Any], moved: set[str], repository: Path, releases: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """All of the range, the oldest first, and where they were not measured; of those that moved a figure or were not measured the commits
    inside that change the range's paths."""
    every = {one["commit"]["sha"]: one["commit"] for one in found["skipped"]}
    every |= {one["sha"]: one for history in found["histories"] for one in history["commits"]}
    lacking = {history["name"].rpartition(", ")[2]: {one["sha"] for one in history["commits"]} for history in found["histories"]}
    ordered = _git(repository, "rev-list", "--topo-order", "--reverse", *every).split()
    rows = []
    for sha in (one for one in ordered if one in every):
        one, without = every[sha], [name for name, measured in lacking.items() if sha not in measured]
        why = "all" if len(without) == len(lacking) else " ".join(without)
        told = (one["subject"], _inside(repository, sha, found["paths"])) if sha in moved or why else ("", "")
        release = next((name for name, within in releases.items() if sha in within), "")
        rows.append((sha[:SHORT], one["authored"], release, why, *told))
    return rows


def _inside(repository: Path, sha: str, paths: list[str]) -> str:
    return " ".join(_git(repository, "log", "--no-merges", "--format=%h", "--abbrev=9", f"{sha}^1..{sha}", "--", *paths).split())


def _releases(repository: Path) -> dict[str, set[str]]:
    """What the releases of the catalogue were made of, the oldest first."""
    (firmware,) = tomllib.loads((COUNTS / "sources.toml").read_text("utf-8"))["firmware"]
    return {one["name"]: set(_git(repository, "rev-list", "--first-parent", one["commit"]).split()) for one in firmware["release"]}


def _git(repository: Path, *words: str) -> str:
    return subprocess.run(("git", "-C", str(repository), *words), check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(*sys.argv[1:3])
