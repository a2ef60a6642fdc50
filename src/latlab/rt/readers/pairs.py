# SPDX-License-Identifier: BSD-3-Clause
"""pmqtest, ptsematest, svsematest, sigwaittest of rt-tests: pairs of threads, one of which wakes the other by a message, a semaphore or a
signal. The last lines count: the tools print them again and again. Figures are whole microseconds, truncated; in JSON the average is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import MESSAGE, second_run
from latlab.rt.model.wakeups import Wakeups, cpu_row

PROGRAMS = ("pmqtest", "ptsematest", "svsematest", "sigwaittest")
_THREAD = r"#(\d{1,5}): ID(\d{1,9}), P(\d{1,3}), CPU(\d{1,5})"
PAIR = re.compile(rf"{_THREAD}, I(\d{{1,12}}); {_THREAD}(, TO \d{{1,12}})?, Cycles (\d{{1,15}})", re.ASCII)
FIGURES = re.compile(r"#(\d{1,5}) -> #(\d{1,5}), Min +(\d{1,12}), Cur +\d{1,12}, Avg +(\d{1,12}), Max +(\d{1,12})", re.ASCII)
TORN = re.compile(r"^\s*#\d{1,5}(?:: ID| -> )", re.ASCII)
NEVER = re.compile(r"#(\d{1,5}) -> #(\d{1,5}) \(not yet ready\)", re.ASCII)
LINES = (PAIR, FIGURES, TORN, NEVER, MESSAGE)
COMMAND = re.compile(r"(?:^|[\s/])(pmqtest|ptsematest|svsematest|sigwaittest)\s(?:.* )?-", re.MULTILINE)
START = re.compile(r"#\d{1,5}: ID\d{1,9}, P\d{1,3}, CPU\d{1,5}, I\d", re.ASCII)


def read_pairs(text: str, place: str) -> Wakeups:
    """A row for each pair, of the CPU of the thread that is woken."""
    pairs: dict[int, re.Match[str]] = {}
    figures: dict[int, re.Match[str]] = {}
    begun: dict[int, tuple[str, int]] = {}
    problems: list[str] = []
    never: set[int] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if match := PAIR.search(line):
            pair = int(match[6])
            begun.setdefault(pair, (match[2], number))
            if begun[pair][0] != match[2]:
                raise second_run(
                    place, begun[pair][1], number, "a test of pairs", f"thread {match[1]} is process {begun[pair][0]}, then {match[2]}"
                )
            pairs[pair] = match
        elif match := FIGURES.search(line):
            figures[int(match[1])] = match
        elif match := NEVER.search(line):
            never.add(int(match[1]))
        elif TORN.match(line):
            problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole line of a pair; it is left out")
    rows = [_text_row(pairs[key], figures.get(key)) for key in sorted(pairs) if key in figures or key in never]
    if not any(key in figures for key in pairs):
        raise DataError(problems[0] if problems else f"{place}: no pair with its figures; the tool was stopped before it measured")
    problems += [f"{place}: pair {key} has no figures; it is left out" for key in sorted(pairs) if key not in figures and key not in never]
    first = pairs[min(pairs)]
    command = COMMAND.search(text)
    tool = command[1] if command else "pmqtest" if first[10] else "pairs of rt-tests"
    return _wakeups(tool, rows, int(first[5]), int(first[3]), problems)


def _text_row(pair: re.Match[str], figures: re.Match[str] | None) -> tuple[int, int, list[int], float]:
    """Of the CPU of the thread that is woken, the first of its line. A pair that was never ready has no sample."""
    if figures is None:
        return int(pair[4]), 0, [0, 0], 0.0
    return int(pair[4]), int(pair[11]), [int(figures[3]), int(figures[5])], float(figures[4])


def is_of_pairs(threads: Mapping[str, Any]) -> bool:
    """Whether these entries of JSON are those of pairs."""
    return any(isinstance(entry, dict) and "receiver" in entry for entry in threads.values())


def read_pairs_json(program: str, threads: Mapping[str, Any], place: str) -> Wakeups:
    """The object `thread` of the tools' JSON."""
    rows, interval, priority = [], 0, 0
    for name, entry in threads.items():
        sender, receiver = (entry.get(key) if isinstance(entry, dict) else None for key in ("sender", "receiver"))
        if not isinstance(sender, dict) or not isinstance(receiver, dict):
            raise DataError(f"thread {name[:20]!r} is no pair of sender and receiver; the file is damaged", value=name[:20], place=place)
        low, high, cpu, samples = (
            int(_figure(value, place)) for value in (receiver.get("min"), receiver.get("max"), receiver.get("cpu"), sender.get("samples"))
        )
        interval = interval or int(_figure(sender.get("interval"), place))
        priority = priority or int(_figure(receiver.get("priority"), place))
        rows.append((cpu, samples, [low, high], _average(receiver.get("avg"), samples, place)))
    return _wakeups(program, rows, interval, priority, [])


def _wakeups(tool: str, rows: list[tuple[int, int, list[int], float]], interval_us: int, priority: int, problems: list[str]) -> Wakeups:
    bound = [cpu for cpu, *_ in rows]
    shared = len(set(bound)) < len(bound)
    cpus = tuple(
        cpu_row(number if shared else cpu, (), got, low * 1000, high * 1000, average * 1000)
        for number, (cpu, got, (low, high), average) in enumerate(rows)
    )
    facts = (("rows", "pairs, several of which the tool bound to one CPU"),) if shared else ()
    interval = interval_us * 1000 or None
    return Wakeups(
        tool, interval, 1000, tuple(sorted(cpus, key=lambda cpu: cpu.number)), complete=not problems,
        conditions=Conditions(interval_ns=interval, priority=priority or None), facts=facts, problems=tuple(problems),
        rows=RowKind.PAIR if shared else RowKind.CPU,
    )  # fmt: skip


def _average(value: object, count: int, place: str) -> float:
    return 0.0 if not count and isinstance(value, float) and math.isnan(value) else _figure(value, place)


def _figure(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**12:
        raise DataError(f"{str(value)[:40]!r} is no figure of a pair; the file is damaged", value=str(value)[:40], place=place)
    return float(value)
