# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue's merges: how its tables are made of a history, and that each figure goes on where the one before left it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import merge_counts
import merge_table
from support.repositories import commit, git, new_repository
from wakeup_question import candidate


def told(sha: str) -> dict[str, str]:
    return {"sha": sha, "subject": f"subject of {sha[:4]}", "authored": "2025-01-22"}


def test_a_history_becomes_a_row_for_each_figure_that_moved_and_one_for_each_commit(tmp_path: Path) -> None:
    folder = new_repository(tmp_path / "theirs")
    first, second, third = (commit(folder, f"change {number}", {"runtime": f"{number}"}) for number in range(3))
    figure: dict[str, Any] = {"test": "off", "metric": "wakeup", "before": 100.0, "after": 97.0}
    moves = [{"name": name, "before": before, "after": 1.0} for name, before in (("f", 5.0), ("g", 0.0), ("h", 2.0), ("i", 0.5))]
    change = {"before": first, "commit": third, "figures": [figure | {"functions": moves}]}
    histories = [
        {"name": "fw, one", "commits": [told(first), told(third)], "changes": [change]},
        {"name": "fw, other", "commits": [told(first)], "changes": []},
    ]
    found = {"paths": ["runtime"], "skipped": [{"commit": told(second)}, {"commit": told(third)}], "histories": histories}
    merge_counts.write(found, folder, tmp_path, {"v1": {first}, "v2": {first, second}})
    short = git(folder, "rev-parse", "--short=9", third)
    assert (tmp_path / "merge_figures.csv").read_text().splitlines() == [
        "merge,test,metric,one before,one after,functions",
        f"{third[:12]},off,wakeup,100,97,f -4; g +1; h -1",
    ]
    _, *rows = (tmp_path / "merges.csv").read_text().splitlines()
    of_second = git(folder, "rev-parse", "--short=9", second)
    assert rows == [
        f"{first[:12]},2025-01-22,v1,,,",
        f"{second[:12]},2025-01-22,v2,all,subject of {second[:4]},{of_second}",
        f"{third[:12]},2025-01-22,,other,subject of {third[:4]},{short}",
    ]


def test_each_figure_of_the_catalogue_begins_where_the_merge_before_left_it() -> None:
    last: dict[tuple[str, str, str], float] = {}
    order = [one["merge"] for one in merge_table.merges()]
    found = merge_table.moved()
    assert [one.merge for one in found] == sorted((one.merge for one in found), key=order.index) and len(set(order)) == len(order)
    for one in found:
        for processor, (before, after) in one.values.items():
            assert last.get((processor, one.test, one.metric), before) == before != after, (one, processor)
            last[processor, one.test, one.metric] = after


def test_the_errata_of_the_reset_are_among_the_large_figures_and_no_merge_of_their_release_can_be_the_excess() -> None:
    large = {(one.merge[:9], one.metric) for one in merge_table.moved() if one.is_large}
    assert ("79e2fae7c", "wakeup") in large, "f86098a62 is in it, which gave neoverse_n1_reset_func its loop"
    said = " ".join(merge_table.answer(candidate(), 4_600.0).split())
    assert "79e2fae7c (neoverse\\_n1\\_reset\\_func +126)" in said and "so that 2 are left" in said and "at most 0.3 µs of the 4.6" in said
