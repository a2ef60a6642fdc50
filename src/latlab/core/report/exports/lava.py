# SPDX-License-Identifier: BSD-3-Clause
"""`lava-test-case` with a measurement for each figure: a shell script that a LAVA test runs on the board to report them."""

from __future__ import annotations

import shlex

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.conditions import label_of
from latlab.core.model.run import Run


def render(run: Run) -> str:
    """Names have no blanks and no slashes, which LAVA does not take in a test case."""
    label = label_of(run)
    prefix = f"{label}-" if label else ""
    lines = []
    for figure in figures_of(run):
        name = prefix + figure.path.replace("/", "-")
        unit = figure.unit.replace(" ", "-")
        lines.append(f"lava-test-case {shlex.quote(name)} --result pass --measurement {figure.value:.6g} --units {shlex.quote(unit)}")
    return "".join(f"{line}\n" for line in lines)
