# SPDX-License-Identifier: BSD-3-Clause
"""Runs the deterministic campaigns in two checkouts and compares the samples that each keeps.

Usage: same_samples.py OTHER_CHECKOUT [CAMPAIGN...]

A change that moves code may not move a figure. Every campaign named below runs in this checkout and in the other one, each with its own
tool, firmware and store; what is compared is what `latlab export --format csv` prints of the run: one row for each span, in ticks or in
whole instructions, or for each interval of a histogram with its count.
Nothing else of a run is looked at, so the two may keep and export the rest as they like.
Both boot this checkout's image of the guest: two builds of one source differ in a build id, which moves a wake-up or two.
Both checkouts need `make setup firmware`. Ends with 0 where all samples are the same, 1 where some differ, 3 where none differ but a
campaign did not run.
"""

from __future__ import annotations

import csv
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACE = ("test", "metric", "cluster", "core")
SPAN_COLUMNS = (*PLACE, "boot", "iteration", "value_ticks")
HISTOGRAM_COLUMNS = (*PLACE, "low", "high", "count")
PSA_BUILDS = ("sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3", "classic_l2")
TIMEOUT_S = 3600
DIGEST_DIGITS = 16

CAMPAIGNS: dict[str, tuple[str, ...]] = {
    "psci-2,4": ("psci", "--topology", "2,4"),
    "psci-4,4,4,4": ("psci", "--topology", "4,4,4,4"),
    "psci-virtual": ("psci", "--target", "virtual:juno"),
    **{f"psa-{build}": ("psa", "--build", build) for build in PSA_BUILDS},
    **{f"rt-{tool}": ("rt", "--target", "guest", "--duration", "10s", "--instrument", tool) for tool in ("recorder", "cyclictest")},
}


class NotRun(Exception):
    """One sentence why a campaign has no samples."""


@dataclass(frozen=True, slots=True)
class Samples:
    """The rows of a run, sorted: the order in which a store gives them back is no part of a measurement."""

    rows: tuple[tuple[str, ...], ...]

    @property
    def digest(self) -> str:
        text = "\n".join(",".join(row) for row in self.rows)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


def samples_of(text: str) -> Samples:
    """The samples in a CSV export of any version; columns that only one version writes are left out."""
    table = csv.DictReader(text.splitlines())
    named = table.fieldnames or ()
    columns = next((wanted for wanted in (SPAN_COLUMNS, HISTOGRAM_COLUMNS) if set(wanted) <= set(named)), None)
    if columns is None:
        raise NotRun(f"the export has the columns {', '.join(named) or 'none'}; neither spans nor histograms")
    rows = tuple(sorted((*(row[column] for column in columns[:-1]), _counted(row, columns[-1])) for row in table))
    if not rows:
        raise NotRun("the export holds no samples")
    return Samples(rows)


def _counted(row: dict[str, str], column: str) -> str:
    """Instructions are whole: where a timer has several ticks in one, which of them it counts depends on its phase."""
    if column == "value_ticks" and row.get("unit") == "insns":
        return str(round(float(row["value"])))
    return row[column]


def difference(a: Samples, b: Samples) -> str:
    """How many places have another value, by how much at most, and the first row in which two runs differ."""
    values_a, values_b = ({row[:-1]: int(row[-1]) for row in samples.rows} for samples in (a, b))
    both = [abs(value - values_b[place]) for place, value in values_a.items() if place in values_b and value != values_b[place]]
    one = len(values_a.keys() ^ values_b.keys())
    here, there = next((pair for pair in zip_longest(a.rows, b.rows) if pair[0] != pair[1]), (None, None))
    counted = f"values that differ: {len(both)}, by {max(both, default=0)} at most; rows in one only: {one}"
    return f"{counted}; first difference: {_row(here)} here, {_row(there)} there"


def _row(row: tuple[str, ...] | None) -> str:
    return "no more rows" if row is None else ",".join(row)


def measure(checkout: Path, arguments: tuple[str, ...], image: Path | None) -> Samples:
    """Run one campaign with the checkout's own tool and read back what it kept; `image` is the guest's, for campaigns in the guest."""
    with tempfile.TemporaryDirectory(prefix="same-samples-") as folder:
        store = ("--store", str(Path(folder) / "store.sqlite"))
        cache = None if image is None else _cache_with(Path(folder), guest_image(checkout).name, image)
        _latlab(checkout, "run", *arguments, *store, cache=cache)
        return samples_of(_latlab(checkout, "export", "last", "--format", "csv", *store))


def guest_image(checkout: Path) -> Path:
    """The folder of the checkout's own image of the guest, which is built where there is none."""
    return Path(_latlab(checkout, "guest", "build").strip().partition(": ")[0])


def _cache_with(folder: Path, name: str, image: Path) -> Path:
    """A cache in which a checkout finds this image under the name that it looks for."""
    images = folder / "cache" / "latlab" / "guest"
    images.mkdir(parents=True)
    (images / name).symlink_to(image)
    return folder / "cache"


def _latlab(checkout: Path, *arguments: str, cache: Path | None = None) -> str:
    tool = checkout / ".venv" / "bin" / "latlab"
    if not tool.is_file():
        raise NotRun(f"{tool} is not there; run `make setup firmware` in {checkout}")
    environment = os.environ | ({"XDG_CACHE_HOME": str(cache)} if cache else {})
    command = (str(tool), *arguments)
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise NotRun(f"{checkout}: latlab {' '.join(arguments)} ended with {done.returncode}: {said[-1] if said else 'it said nothing'}")
    return done.stdout


def compare(other: Path, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """For each campaign the exit code that it deserves and its line of the table."""
    for name in names:
        print(f"{name}: this checkout, then {other}", file=sys.stderr, flush=True)
        try:
            image = guest_image(ROOT) if "guest" in CAMPAIGNS[name] else None
            here, there = (measure(checkout, CAMPAIGNS[name], image) for checkout in (ROOT, other))
        except NotRun as reason:
            yield 3, f"{name:14} {'':>8} {'':{DIGEST_DIGITS}} {'':{DIGEST_DIGITS}} not run: {reason}"
            continue
        head = f"{name:14} {len(here.rows):8} {here.digest} {there.digest}"
        yield (0, f"{head} same") if here == there else (1, f"{head} DIFFERS; {difference(here, there)}")


def main() -> int:
    other, *names = sys.argv[1:] or ["--help"]
    unknown = [name for name in names if name not in CAMPAIGNS]
    if other.startswith("-") or unknown or not Path(other).is_dir():
        print(f"{__doc__}\nCampaigns: {', '.join(CAMPAIGNS)}", file=sys.stderr)
        return 2
    print(f"{'campaign':14} {'samples':>8} {'this':{DIGEST_DIGITS}} {'other':{DIGEST_DIGITS}} result")
    codes = []
    for code, line in compare(Path(other).resolve(), names or CAMPAIGNS):
        print(line, flush=True)
        codes.append(code)
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
