# SPDX-License-Identifier: BSD-3-Clause
"""Runs parts of the slow proofs and keeps the newest result of each: `python scripts/proofs.py [PART...]`, all parts if none is named.

`--table` prints the results. Arguments after `--` go to pytest; such a run keeps no result. Exits with 1 if a part did not
pass, with 2 if a part is unknown.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROOFS = ROOT / "tests" / "prove"
TABLE = ROOT / "docs" / "project" / "proofs.csv"
NEVER = "not run"


@dataclass(frozen=True, slots=True)
class Part:
    """A folder of tests/prove, or the tests that `tests` chooses: the targets of the Makefile and the Python packages that its proofs need,
    how many run at once, and what their environment has."""

    name: str
    make: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    workers: int = 1
    tests: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """The newest result of a part. `commit` is what was tested, `changed` is `yes` if files differed from it; `minutes` is wall time."""

    part: str
    result: str = NEVER
    passed: str = ""
    failed: str = ""
    skipped: str = ""
    minutes: str = ""
    commit: str = ""
    changed: str = ""
    date: str = ""
    processor: str = ""
    cpus: str = ""
    system: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Counts of tests, and what the report says beside them: figures that tests recorded, reasons of skipped tests."""

    passed: int
    failed: int
    skipped: int
    note: str

    @property
    def result(self) -> str:
        """Proofs that all were skipped proved nothing."""
        if self.failed:
            return "failed"
        return "passed" if self.passed else NEVER


def read_parts(path: Path) -> dict[str, Part]:
    return {
        name: Part(
            name,
            tuple(given.get("make", ())),
            tuple(given.get("packages", ())),
            given.get("workers", 1),
            tuple(given.get("tests", (f"tests/prove/{name}",))),
            tuple(given.get("variables", {}).items()),
        )
        for name, given in tomllib.loads(path.read_text("utf-8")).items()
    }


def read_rows(path: Path, parts: Iterable[str]) -> dict[str, Row]:
    """A row for each part, in the order of the parts."""
    kept: dict[str, Row] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            kept = {given["part"]: Row(**given) for given in csv.DictReader(file)}
    return {part: kept.get(part, Row(part)) for part in parts}


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def outcome_of(report: bytes) -> Outcome:
    """Count the tests of pytest's JUnit report."""
    cases = list(ElementTree.fromstring(report).iter("testcase"))
    skips = [skip for case in cases if (skip := case.find("skipped")) is not None]
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    figures: Counter[str] = Counter()
    for one in (one for case in cases for one in case.iter("property")):
        figures[one.get("name", "")] += int(one.get("value", "0"))
    reasons = Counter(skip.get("message", "").replace(f"{ROOT}/", "") for skip in skips)
    notes = [*(f"{value:,} {name}" for name, value in figures.items()), *(f"{count} skipped: {why}" for why, count in reasons.items())]
    return Outcome(len(cases) - failed - len(skips), failed, len(skips), "; ".join(notes))


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True).stdout.rstrip("\n")


def _is_changed() -> bool:
    """Whether a file differs from HEAD, except the table."""
    return any(line[3:] != TABLE.relative_to(ROOT).as_posix() for line in _git("status", "--porcelain").splitlines())


def processor_of(cpuinfo: str) -> str:
    names = [line.partition(":")[2].strip() for line in cpuinfo.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _machine() -> Mapping[str, str]:
    cpuinfo = Path("/proc/cpuinfo")
    return {
        "processor": processor_of(cpuinfo.read_text() if cpuinfo.exists() else ""),
        "cpus": str(os.cpu_count()),
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
    }


def _prepared(part: Part) -> str:
    """Why the part cannot be run, or nothing."""
    steps = [
        *([(sys.executable, "-m", "pip", "install", "--quiet", *part.packages)] if part.packages else []),
        *([("make", "--no-print-directory", *part.make)] if part.make else []),
    ]
    failed = (step for step in steps if subprocess.run(step, cwd=ROOT, check=False).returncode != 0)
    return next((f"{' '.join(step)} failed" for step in failed), "")


def _run(part: Part, arguments: list[str]) -> Outcome:
    why = _prepared(part)
    if why:
        return Outcome(0, 0, 0, why)
    report = ROOT / "build" / "prove" / f"{part.name}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    workers = (f"--numprocesses={part.workers}", "--dist=worksteal") if part.workers > 1 else ()
    words = ("--override-ini=addopts=-q -rfEs --strict-markers", *workers, f"--junitxml={report}", *part.tests, *arguments)
    environment = {**os.environ, **dict(part.variables)}
    code = subprocess.run((sys.executable, "-m", "pytest", *words), cwd=ROOT, env=environment, check=False).returncode
    if not report.exists():
        return Outcome(0, 0, 0, f"pytest ended with {code} and no report")
    return outcome_of(report.read_bytes())


def prove(part: Part, arguments: list[str]) -> tuple[Outcome, Row]:
    commit, changed, begun = _git("rev-parse", "--short=8", "HEAD"), _is_changed(), time.monotonic()
    found = _run(part, arguments)
    minutes = (time.monotonic() - begun) / 60
    changed = changed or _is_changed() or _git("rev-parse", "--short=8", "HEAD") != commit
    return found, Row(
        part.name,
        found.result,
        str(found.passed),
        str(found.failed),
        str(found.skipped),
        f"{minutes:.1f}",
        commit,
        "yes" if changed else "no",
        datetime.now(UTC).date().isoformat(),
        **_machine(),
        note=found.note,
    )


def table(rows: Iterable[Row]) -> str:
    shown = ("part", "result", "passed", "failed", "skipped", "minutes", "commit", "changed", "date", "processor", "cpus", "system")
    lines = [shown, *(tuple(getattr(row, name) for name in shown) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def main(words: list[str]) -> int:
    end = words.index("--") if "--" in words else len(words)
    own, arguments = words[:end], words[end + 1 :]
    parts = read_parts(PROOFS / "parts.toml")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(parts)}; all if none is named")
    parser.add_argument("--table", action="store_true", help="print the newest result of each part")
    options = parser.parse_args(own)
    unknown = [name for name in options.part if name not in parts]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; the parts are {', '.join(parts)}")
    if options.table:
        print(table(read_rows(TABLE, parts).values()))
        return 0
    has_passed = True
    for name in options.part or parts:
        found, row = prove(parts[name], arguments)
        has_passed = has_passed and found.result == "passed"
        print(table([row]), *([found.note] if found.note else []), sep="\n", flush=True)
        if not arguments:
            write_rows(TABLE, {**read_rows(TABLE, parts), name: row}.values())
    return 0 if has_passed else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
