# SPDX-License-Identifier: BSD-3-Clause
"""Figures of TF-M that no test can make again: the page prints what was kept of them, and nothing else."""

from __future__ import annotations

import csv
import re

from support.places import ROOT

PAGE = (ROOT / "docs/results/foreign-firmware.md").read_text("utf-8")
PUBLISHED = ROOT / "tests/data/published"
ROWS = {
    "psa_framework_version": "ns_framework_version",
    "psa_version": "ns_version",
    "psa_call on the null handle": "ns_refused",
    "psa_connect": "ns_connect",
    "psa_close": "ns_close",
    "psa_call": "ns_call_0",
    "with 256 bytes each way": "ns_call_256",
    "stateless call": "ns_stateless_0",
    "stateless call, 256 bytes each way": "ns_stateless_256",
    "worst interrupt latency": "worst_latency",
}


def rows_of(name: str) -> list[dict[str, str]]:
    with (PUBLISHED / name).open(newline="") as text:
        return list(csv.DictReader(text))


def table_below(heading: str) -> list[list[str]]:
    section = PAGE.partition(f"### {heading}\n")[2].partition("\n#")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if not re.fullmatch(r"[-: ]+", line[0])]


def build_name(build: str) -> str:
    return f"{build[:3].upper()} {build[3:]}"


def test_the_table_of_releases_prints_the_figures_that_were_kept() -> None:
    kept = {(f"{row['release']} {build_name(row['build'])}", row["test"]): row["instructions"] for row in rows_of("tf_m_calls.csv")}
    head, *rows = table_below("By release")
    printed = {(column, ROWS[row[0]]): cell for row in rows for column, cell in zip(head[1:], row[1:], strict=True) if cell}
    assert printed == kept
    assert len(rows) == len(ROWS)


def test_the_table_of_stacks_prints_the_bytes_that_were_kept_and_their_sum() -> None:
    rows = rows_of("spm_stacks.csv")
    names = [f"`{row['build']}`" if row["firmware"] == "latlab" else f"{row['firmware']} {build_name(row['build'])}" for row in rows]
    figures = [[row[f"{stack}_bytes"] for stack in ("handlers", "agent", "spm", "service", "sum")] for row in rows]
    assert table_below("Stacks")[1:] == [[name, *each] for name, each in zip(names, figures, strict=True)]
    assert all(sum(map(int, each[:4])) == int(each[4]) for each in figures)
