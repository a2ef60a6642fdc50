# SPDX-License-Identifier: BSD-3-Clause
"""What to do about a cause: a line and its source in the catalog, and below the table of causes."""

from __future__ import annotations

import pytest

from latlab.core.model.blame import Blame, BlameKind
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.lateness_parts import LatenessPart
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.advice import advice_for
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.pages.late_causes import cause_table
from latlab.rt.readers.advice import all_advice

SELF = {BlameKind.OWN, BlameKind.COMPUTING, BlameKind.CYCLE_BEFORE}
WITHOUT = {BlameKind.STOLEN, BlameKind.PATH, BlameKind.UNEXPLAINED, BlameKind.UNTRACED} | SELF
"""Of these the cause does not say what to change."""


@pytest.mark.parametrize("kind", [kind for kind in BlameKind if kind not in WITHOUT | {BlameKind.FIRMWARE, BlameKind.KERNEL}])
def test_each_kind_that_names_its_cause_has_a_line_with_a_source(kind: BlameKind) -> None:
    advice = advice_for(all_advice(), kind, "anything")
    assert advice is not None and advice.line and advice.source


def test_the_line_of_one_cause_comes_before_that_of_its_kind() -> None:
    timer, other = (advice_for(all_advice(), BlameKind.INTERRUPT, name) for name in ("interrupt local_timer", "interrupt eth0"))
    assert timer is not None and other is not None and "nohz_full" in timer.line and "affinity" in other.line
    for kind in BlameKind:
        names = [advice.name for advice in all_advice() if advice.kind is kind]
        assert names == sorted(names, key=lambda name: not name), "a general line hides those behind it"


def test_the_table_of_causes_says_it_once_for_each_line() -> None:
    entries = tuple(
        Attributed(Outlier(0, at, 1000), Blame(kind, name), parts=(LatenessPart(Blame(kind, name), 900),))
        for at, (kind, name) in enumerate([(BlameKind.SMI, ""), (BlameKind.INTERRUPT, "eth0"), (BlameKind.INTERRUPT, "eth1")])
    )
    cpu = Distribution("recorder", Metric.TASK_WAKEUP, CoreId(0, 0), (), 0, 1000, 1000, 0, 1, 1000, 2.0)
    wakeups = Wakeups("recorder", 200_000, 1, (cpu,), tuple(entry.outlier for entry in entries))
    table = cause_table(RtResult((wakeups,), entries, (), None, (), advice=all_advice()), is_exact=False)
    told = [str(note) for note in table.notes if "What to do" in str(note)]
    assert [note.partition(":")[0] for note in told] == [
        "What to do about system management interrupt (SMI)",
        "What to do about interrupt eth0",
    ]
