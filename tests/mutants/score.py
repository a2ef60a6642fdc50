# SPDX-License-Identifier: BSD-3-Clause
"""From results to a score by folder and the survivors, with the reasons of those that may stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from mutants.plan import Group, Reason
from mutants.results import Result


def share(results: Iterable[Result]) -> float:
    """The share noticed of those that count; a survivor counts whether it has a reason or not."""
    counts = Counter(result.outcome for result in results)
    counted = counts["noticed"] + counts["survived"]
    return counts["noticed"] / counted if counted else 0.0


def reason_of(result: Result, reasons: Iterable[Reason]) -> str | None:
    key = (result.file, result.before.strip(), result.after.strip())
    return next((one.reason for one in reasons if (one.file, one.before.strip(), one.after.strip()) == key), None)


def unexplained(results: Iterable[Result], reasons: tuple[Reason, ...]) -> list[Result]:
    return [result for result in results if result.outcome == "survived" and reason_of(result, reasons) is None]


def lines_of(group: Group, results: list[Result], reasons: tuple[Reason, ...]) -> Iterator[str]:
    for result in sorted((one for one in results if one.outcome == "survived"), key=lambda one: (one.file, one.line)):
        yield f"{result.file}:{result.line}: survived"
        yield f"  - {result.before.strip()}"
        yield from (f"  + {line.strip()}" for line in result.after.split("\n"))
        reason = reason_of(result, reasons)
        if reason is not None:
            yield f"  stays: {reason}"
    by: dict[str, list[Result]] = {}
    for result in results:
        by.setdefault(str(PurePosixPath(result.file).parent), []).append(result)
    for folder, ones in sorted(by.items()):
        yield _line(folder, ones)
    noticed = Counter(result.by for result in results if result.outcome == "noticed")
    yield from (f"  {count} noticed by {command}" for command, count in noticed.most_common())
    yield f"{_line(group.name, results)}, goal {group.goal:.0%}; {len(unexplained(results, reasons))} survivors without a reason"


def _line(name: str, results: list[Result]) -> str:
    counts = Counter(result.outcome for result in results)
    counted = counts["noticed"] + counts["survived"]
    left_out = f"{counts['did not build']} did not build, {counts['same object code']} have the same object code"
    said = f"{counts['noticed']} of {counted} noticed ({share(results):.1%})" if counted else "none counted"
    return f"{name}: {said}; {left_out}"
