# SPDX-License-Identifier: BSD-3-Clause
"""xtest of OP-TEE: its programs for the speed of ciphers and digests (--aes-perf, --hash-perf, --asym-perf), and the tables of secure
storage of its benchmark suite (-t benchmark)."""

from __future__ import annotations

import re

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines

TOOL = "xtest"
_US = r"(\d{1,12}(?:\.\d{1,9})?(?:e[+-]\d{2})?)us"
SPEED = re.compile(rf"^min={_US} max={_US} mean={_US} stddev={_US} \(cv \S+%\) \(\S+MiB/s\)\s*$", re.ASCII)
SETTING = re.compile(r"^Starting test: (?P<setting>\S.{0,300}?)\s*$", re.ASCII)
COMMAND = re.compile(r"\bxtest (--(?:aes|hash|asym)-perf(?: +-(?![nlvw]\b)[\w-]+(?: [\w-]+)?)*)", re.ASCII)
"""Its settings are printed with -v only."""
SIZE_OF_RUN = ("inner loops", "loops", "warm-up", "unit")
CASE = re.compile(r"^\* (?P<case>benchmark_\d{4}) (?P<title>\S.{0,80}?)\s*$", re.ASCII)
TABLE = re.compile(r"^ Data Size \(B\) *\t? *\| Time \(s\) *\t? *\| Speed \(kB/s\)")
ROW = re.compile(r"^ +(?P<bytes>\d{1,12}) *\t? *\| +(?P<seconds>\d{1,9}\.\d{3}) *\t? *\| +(?P<speed>\d{1,12}\.\d{3})\s*$", re.ASCII)
FAILED = re.compile(r"^ *(?P<case>benchmark_\d{4}) FAILED")
START = re.compile(rf"^min={_US} max={_US} mean=|^ Data Size \(B\) *\t? *\| Time \(s\)", re.MULTILINE | re.ASCII)
LINES = (SPEED, SETTING, CASE, TABLE, ROW, FAILED, *printed_lines("xtest"))


def read_xtest(text: str, place: str) -> Benchmark:
    """Minimum, mean and maximum of each operation that was timed; the speed of each size of data of a benchmark of storage."""
    values: dict[tuple[Metric, str], list[float]] = {}
    command = COMMAND.search(text)
    setting, case = f"{command[1]} " if command else "", ""
    problems: list[str] = []
    facts: dict[str, str] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line, where = raw.rstrip("\r"), f"{place}:{number}"
        if match := SETTING.match(line):
            parts = [part.strip() for part in match["setting"].split(",")]
            setting = f"{', '.join(part for part in parts if part.partition('=')[0] not in SIZE_OF_RUN and not part.endswith('=no'))} "
            facts |= {part.partition("=")[0]: part.partition("=")[2] for part in parts if part.partition("=")[0] in SIZE_OF_RUN}
        elif match := SPEED.match(line):
            for quantity, group in (("minimum", 1), ("mean", 3), ("maximum", 2)):
                values.setdefault((Metric.DURATION, f"{setting}{quantity}"), []).append(float(match[group]) * 1e3)
        elif match := CASE.match(line):
            case = f"{match['title']} "
        elif match := ROW.match(line):
            values.setdefault((Metric.THROUGHPUT, f"{case}{match['bytes']} bytes, kB/s"), []).append(float(match["speed"]))
        elif match := FAILED.match(line):
            problems.append(f"{where}: xtest says that {match['case']} failed")
        elif line.startswith("min="):
            problems.append(f"{where}: {line.strip()[:60]!r} is no whole line of xtest; it is left out")
    if not values:
        raise DataError(problems[0] if problems else f"{place}: no figure of xtest; it was stopped before it printed")
    amounts = tuple(Amount(TOOL, metric, name, None, tuple(repetitions)) for (metric, name), repetitions in values.items())
    return Benchmark(TOOL, amounts, facts=tuple(facts.items()), problems=tuple(dict.fromkeys(problems)))
