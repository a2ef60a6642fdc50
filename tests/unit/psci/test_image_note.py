# SPDX-License-Identifier: BSD-3-Clause
"""An edit that changes no figure: what the runs show of it, and what they do not have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, FunctionShare, Run, Sample, SpanFunctions, Spans
from latlab.psci.analysis.image_note import UNCOUNTED
from support.runs import INSTRUCTIONS, run_with

CORE = CoreId(0, 0)
RAN = {"psci_call": 60, "psci_cpu_off": 40}
EQUAL = (
    "the firmware images differ, and the instruction counts of the two functions that the tests ran do not. "
    "Either no test ran the changed code, or the change keeps the counts"
)


def run_of(image: str | None, ran: dict[str, int], line: int = 1) -> Run:
    shares = tuple(FunctionShare(name, f"psci.c:{line}", 3 * each) for name, each in ran.items())
    functions = (SpanFunctions("cpu_off_serial", Metric.POWERDOWN, CORE, 3, shares),) if ran else ()
    samples = tuple(Sample("cpu_off_serial", Metric.POWERDOWN, CORE, 0, i, sum(ran.values()) or 100) for i in range(3))
    return run_with(tick=INSTRUCTIONS, contents=Spans(samples, (), functions), conditions=Conditions(image=image), id=f"psci-{image}{line}")


@pytest.mark.parametrize(
    ("after", "notes"),
    [
        (run_of("2b", RAN, line=2), [EQUAL]),
        (run_of("2b", {}), [UNCOUNTED]),
        (run_of("1a", RAN), []),
        (run_of("2b", {"psci_call": 61, "psci_cpu_off": 40}), []),
        (run_of("2b", {"psci_call": 59, "psci_cpu_off": 41}), []),
        (replace(run_of("2b", RAN), build=replace(run_of("2b", RAN).build, firmware="another")), []),
    ],
)
def test_a_change_that_no_figure_shows_is_said_to_be_one(after: Run, notes: list[str]) -> None:
    assert [note for note in compare(run_of("1a", RAN), after).notes if "image" in note] == notes
