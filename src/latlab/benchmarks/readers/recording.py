# SPDX-License-Identifier: BSD-3-Clause
"""What Zephyr's twister recorded: a test suite's recording.csv, or the `recording` of the suites in twister.json.

A record is what a suite's own expressions matched. Two of Zephyr's suites are known: `metric` with `nanoseconds`, and `total_time_period`.
Of any other number neither the unit nor the better direction is known, so it is a value.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.text_tables import INDEX

TOOL = "twister"
HEADER = re.compile(r'^"[A-Za-z_]\w{0,60}"(?:,"[A-Za-z_]\w{0,60}")*\r?$', re.ASCII)
NUMBER = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?(?:[eE][-+]?\d{1,2})?", re.ASCII)
ITEM = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^\s,\[\]'\"]+)")
BELOW = re.compile(
    r'^(?:"[A-Za-z_]\w{0,60}"(?:,"[A-Za-z_]\w{0,60}")+|(?=.*\bmetric,)(?=.*,nanoseconds\b)\w{0,60}(?:,\w{1,60})+)\r?$',
    re.ASCII | re.MULTILINE,
)
"""With names in quotes, as twister writes them; without, as a table program does, those of Zephyr's suite alone are known."""
CELLS = re.compile(r'[",]')
CSV_LINES = (HEADER, BELOW, re.compile(r'^"[^"]*"(?:,(?:"[^"]*"|[^",]*))+\r?$|^[^",]{1,120}(?:,\d{1,18}){2,}$'))
DERIVED = ("benchmark_name", "baseline_median", "total_time_period_median", "total_time_period_normalized")
OBJECT = re.compile(r"^\{")
"""JSON within a record, or what Python prints of it."""
Value = list[str]


@dataclass(slots=True)
class _Found:
    """Values by test, metric and name, in the order of the file."""

    values: dict[tuple[str, Metric, str], list[float]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, test: str, metric: Metric, name: str, texts: Value, where: str) -> None:
        good = [float(text) for text in texts if NUMBER.fullmatch(text)]
        if good:
            self.values.setdefault((test, metric, name), []).extend(good)
        if len(good) < len(texts):
            self.problems.append(f"{where}: {name}: {len(texts) - len(good)} of {len(texts)} are no numbers; they are left out")


def is_recording_csv(text: str) -> bool:
    """Whether it has a header as twister writes it: names of groups of a regular expression, each in quotes. One name alone is one in the
    first line only."""
    return HEADER.match(text.split("\n", 1)[0]) is not None or BELOW.search(text) is not None


def read_recording_csv(text: str, place: str) -> Benchmark:
    """One suite's records; the file names neither the suite nor the platform."""
    recorded = _Found()
    try:
        rows = list(csv.reader(io.StringIO(_table(text), newline=""), strict=True))
    except csv.Error as error:
        raise DataError(f"not whole CSV ({error}); the file was cut off", place=place) from error
    header = rows[0] if rows else []
    if not header or len(set(header)) < len(header):
        raise DataError("no header of distinct names", "name the recording.csv of a test suite", place=f"{place}:1")
    for number, row in enumerate(rows[1:], 2):
        where = f"{place}: record {number - 1}"
        if not row:
            continue
        if len(row) != len(header):
            recorded.problems.append(f"{where}: {len(row)} fields where the header names {len(header)}; it is left out")
            continue
        _add_record(recorded, "recording", {key: _items(cell) for key, cell in zip(header, row, strict=True) if cell}, where)
    return _benchmark(recorded, place, ())


def _table(text: str) -> str:
    """From the header on, without the lines of a terminal below it."""
    below = BELOW.search(text)
    lines = text[below.start() if below and not HEADER.match(text.split("\n", 1)[0]) else 0 :].rstrip().split("\n")
    while len(lines) > 1 and BELOW.match(lines[0]) and not CELLS.search(lines[-1]):
        lines.pop()
    return "\n".join(lines)


def read_twister_json(root: Mapping[str, object], place: str) -> Benchmark:
    """Every suite that recorded something. Where suites ran on several platforms or with several toolchains, these are part of the
    test's name."""
    suites = [candidate for candidate in _list(root.get("testsuites")) if isinstance(candidate, dict) and candidate.get("recording")]
    if not suites:
        raise DataError(
            "no suite of twister's report has a recording", "name one whose test has `record` in its harness_config", place=place
        )
    recorded = _Found()
    platforms = list(dict.fromkeys(str(suite.get("platform", "")) for suite in suites))
    distinct = [key for key in ("platform", "toolchain") if len({str(suite.get(key, "")) for suite in suites}) > 1]
    retries: list[str] = []
    for suite in suites:
        test = "/".join(str(suite.get(key, "")) for key in (*distinct, "name"))
        if suite.get("status", "passed") != "passed":
            recorded.problems.append(f"{place}: {test} {suite['status'] or 'has no status'}; its recording is kept")
        if suite.get("retries"):
            retries.append(f"{test} ({str(suite['retries'])[:10]})")
        for number, record in enumerate(_list(suite["recording"]), 1):
            where = f"{place}: {test}, record {number}"
            if isinstance(record, dict):
                _add_record(recorded, test, {str(key): _texts(value) for key, value in record.items()}, where)
            else:
                recorded.problems.append(f"{where}: no object; it is left out")
    facts = [("platforms", ", ".join(platforms))]
    if retries:
        facts.append(("retries", ", ".join(retries)[:240]))
    return _benchmark(recorded, place, tuple(facts))


def load_json(text: str, place: str) -> Mapping[str, object]:
    """Raises DataError where it is no whole JSON object."""
    try:
        root = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(
            f"not whole JSON ({error.msg}); the tool was killed or the file cut off", place=f"{place}:{error.lineno}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise DataError(f"JSON that no tool writes ({str(error)[:80]})", "name another file", place=place) from error
    if not isinstance(root, dict):
        raise DataError("JSON that is no object", "name another file", place=place)
    return root


def _add_record(recorded: _Found, test: str, record: Mapping[str, Value], where: str) -> None:
    objects = [key for key, texts in record.items() if any(OBJECT.match(text) for text in texts)]
    recorded.problems += [f"{where}: {key} is an object of the suite's own (`as_json`); it is left out" for key in objects]
    record = {key: texts for key, texts in record.items() if key not in DERIVED and key not in objects and key.lower() not in INDEX}
    if "nanoseconds" in record and len(record.get("metric", ())) == 1:
        recorded.add(test, Metric.DURATION, record["metric"][0], record["nanoseconds"], where)
        return
    if "total_time_period" in record:
        recorded.add(test, Metric.THROUGHPUT, "total of a period", record["total_time_period"], where)
        recorded.problems += [f"{where}: the test says: {text[:120]}" for text in record.get("error_message", ())]
        return
    labels = " ".join(text for texts in record.values() if len(texts) == 1 for text in texts if not NUMBER.fullmatch(text))
    numbers = {key: texts for key, texts in record.items() if any(map(NUMBER.fullmatch, texts))}
    if not numbers:
        recorded.problems.append(f"{where}: no number in it; it is left out")
    for key, texts in numbers.items():
        recorded.add(test, Metric.VALUE, f"{labels} {key}".strip(), texts, where)


def _benchmark(recorded: _Found, place: str, facts: tuple[tuple[str, str], ...]) -> Benchmark:
    amounts = tuple(_amounts(recorded))
    if not amounts:
        raise DataError(recorded.problems[0] if recorded.problems else f"{place}: no record; the test printed nothing that was looked for")
    return Benchmark(TOOL, amounts, facts=facts, problems=tuple(recorded.problems))


def _amounts(recorded: _Found) -> Iterator[Amount]:
    for (test, metric, name), values in recorded.values.items():
        finite = tuple(value for value in values if math.isfinite(value))
        if finite:
            yield Amount(test, metric, name, None, finite)


def _items(cell: str) -> Value:
    """A cell of merged records is a list as Python prints it."""
    cell = cell.strip()
    if not (cell.startswith("[") and cell.endswith("]")):
        return [cell]
    return [next(part for part in (*match.groups(), "") if part is not None) for match in ITEM.finditer(cell)]


def _texts(value: object) -> Value:
    if isinstance(value, list):
        return [str(item)[:200] for item in value]
    return [str(value)[:200]]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
