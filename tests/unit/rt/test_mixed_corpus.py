# SPDX-License-Identifier: BSD-3-Clause
"""A corpus of files as people keep them (support/mixed_outputs.py): every line is accounted for, and no figure is of a foreign line."""

from __future__ import annotations

import random
import re

import pytest

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.readers.console_text import console_text
from latlab.rt.model.wakeups import Wakeups
from support.mixed_outputs import PRINTS_LIKE, Mixed, by_tool, clean_texts, figures, imported, mixed

FILES = 500
COUNT = re.compile(r"(?:^|; )(\d+) of ")


def test_the_corpus_has_an_example_of_every_tool() -> None:
    assert len(by_tool()) >= 36, sorted(by_tool())


@pytest.mark.parametrize("part", range(10))
def test_every_line_of_a_mixed_file_is_accounted_for_and_no_figure_is_foreign(part: int) -> None:
    for seed in range(part, FILES, 10):
        check(mixed(seed))


REPEATED = (
    "hackbench",
    "latency_measure",
    "thread-metric",
    "trace of the scheduler",
    "xtest",
    "ztest",
    "sys_kernel",
    "boot_time",
    "app_kernel",
)
"""Of these a file may hold several runs, which are its repetitions."""


@pytest.mark.parametrize("name", sorted(clean_texts()))
def test_of_two_runs_in_one_file_none_is_lost_silently(name: str) -> None:
    text = clean_texts()[name]
    alone = imported(text.encode(), "x")
    if alone.tool in REPEATED:
        return
    shown_again = _read_or_refused(text + text)
    assert shown_again is None or shown_again.problems or figures(shown_again) == figures(alone)
    draw = random.Random(name)
    other = re.sub(
        r"(?<=[: #(\tD])[1-9]\d+(?=[) |.,\t\n])", lambda found: str(draw.randint(10 ** (len(found[0]) - 1), int(found[0]))), text
    )
    found = _read_or_refused(text + other)
    assert other == text or found is None or found.problems or "of no known tool" in dict(found.facts)["lines"]


GROWS = (
    "event pairs",
    "cyclictest",
    "cyclicdeadline",
    "hackbench",
    "hardirqs",
    "softirqs",
    "hwlat tracer",
    "osnoise tracer",
    "timerlat tracer",
    "trace of the scheduler",
    "thread-metric",
    "runqlat",
    "schbench",
    "stress-ng cyclic",
    "zyclictest",
)
"""What a tool prints again and again is true of its moment, and a histogram without a total has no end."""


@pytest.mark.parametrize("name", [name for tool, names in by_tool().items() if tool not in GROWS for name in names])
def test_a_file_that_was_cut_has_no_figure_but_those_of_the_whole(name: str) -> None:
    text = clean_texts()[name]
    whole = imported(text.encode(), "x")
    kept = figures(whole)
    lines = text.splitlines(keepends=True)
    for end in range(1, len(lines)):
        found = _read_or_refused("".join(lines[:end]))
        if found is not None and not found.problems and found.tool == whole.tool:
            assert all(figure in kept for figure in figures(found)), f"cut below line {end}"


def _read_or_refused(text: str) -> Wakeups | Benchmark | None:
    try:
        return imported(text.encode(), "x")
    except DataError as error:
        assert str(error).startswith("x")
        return None


def check(file: Mixed) -> None:
    try:
        found = imported(file.data, "x")
    except DataError as error:
        assert str(error).startswith("x"), file.name
        assert file.is_cut or file.foreign, f"{file.name}: a whole file is refused: {error}"
        return
    written = sum(bool(line.strip()) for line in console_text(file.data).text.split("\n"))
    assert sum(counts(found)) == written, f"{file.name}: {dict(found.facts)['lines']}"
    if found.problems:
        return
    try:
        alone = imported(file.own, "x")
    except DataError:
        assert file.is_cut and {found.tool, PRINTS_LIKE.get(found.tool)} & set(file.foreign), (
            f"{file.name}: {found.tool} is read of what is no tool's"
        )
        return
    assert figures(found) == figures(alone), file.name
    assert counts(found)[0] == counts(alone)[0], f"{file.name}: {dict(found.facts)['lines']}"


def counts(found: Wakeups | Benchmark) -> list[int]:
    """How many lines are whose, by the run's own record."""
    return [int(count) for count in COUNT.findall(dict(found.facts)["lines"])]
