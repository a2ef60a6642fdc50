# SPDX-License-Identifier: BSD-3-Clause
"""Figures of TF-A's commits that no test can make again: the page prints what was kept of them, and nothing else."""

from __future__ import annotations

import csv
import re

from support.places import ROOT

PAGE = (ROOT / "docs/results/foreign-firmware.md").read_text("utf-8")
KEPT = ROOT / "tests/data/published/tf_a_perf_commits.csv"
PROCESSORS = ("cortex-a57", "neoverse-n1")
COLUMNS = {
    "PSCI_VERSION": ("psci_version_parallel", "psci_call"),
    "CPU_OFF, down": ("cpu_off_serial", "powerdown"),
    "CPU_OFF, up": ("cpu_off_serial", "wakeup"),
    "level 0, down": ("cpu_susp_serial", "powerdown"),
    "deepest, down": ("susp_deep_serial", "powerdown"),
}


def test_the_table_of_commits_that_say_they_are_faster_prints_the_figures_that_were_kept() -> None:
    with KEPT.open(newline="") as text:
        rows = list(csv.DictReader(text))
    moved = {(row["commit"][:9], row["processor"], row["test"], row["metric"]): int(row["after"]) - int(row["before"]) for row in rows}
    section = PAGE.partition("### Commits that say they are faster\n")[2].partition("\n#")[0]
    head, *printed = [line.strip("|").split("|") for line in section.splitlines() if re.match(r"\| ([0-9a-f]{9}|commit) ", line)]
    names = [name.strip() for name in head]
    found = {}
    for line in printed:
        cells = dict(zip(names, (cell.strip() for cell in line), strict=True))
        for column, span in COLUMNS.items():
            for processor, cell in zip(PROCESSORS, cells[column].split(" / "), strict=True):
                found[cells["commit"], processor, *span] = int(cell)
    assert found == moved
    assert len(printed) == 19
