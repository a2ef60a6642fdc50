# SPDX-License-Identifier: BSD-3-Clause
"""Measures explanations against labelled cases: how often the right cause is named, and how often none where there is none.

Usage: labelled_cases.py [CASES [FIRST SEED]]
"""

import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from labelled import CAUSES, case_of, measure, named_causes
from latlab.core.comparison.by_kind import check_invariants, compare, explain_pair
from latlab.core.store.store import open_store
from latlab.psci.targets.board import load_board
from latlab.psci.targets.virtual_program import find_program


def judge(seed: int) -> tuple[int, str, tuple[str, ...]]:
    """The seed, its true cause, and the causes that the explanation names."""
    program, case = find_program(), case_of(seed, load_board("juno"))
    with tempfile.TemporaryDirectory(prefix="latlab-") as folder:
        store = open_store(str(Path(folder) / "runs.db"))
        before = measure(program, store, case.before, case.order_before)
        after = measure(program, store, case.after, case.order_after)
    comparison = compare(before, after)
    named = named_causes(explain_pair(comparison), check_invariants(after))
    return seed, case.cause, tuple(sorted(named))


def main() -> None:
    words = [*map(int, sys.argv[1:3])]
    count, first = (*words, *(1000, 0)[len(words) :])
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    with ProcessPoolExecutor() as pool:
        for seed, cause, named in pool.map(judge, range(first, first + count), chunksize=4):
            good = named == () if cause == "none" else named == (cause,)
            total[cause] += 1
            right[cause] += good
            if not good:
                print(f"seed {seed}: {cause}, named {', '.join(named) or 'nothing'}", file=sys.stderr)
    for cause in CAUSES:
        print(f"{cause:22} {right[cause]:4} of {total[cause]:4}")
    caused = [cause for cause in CAUSES if cause != "none"]
    share = sum(right[cause] for cause in caused) / max(1, sum(total[cause] for cause in caused))
    print(f"right cause named: {share:.1%}; none named where there is none: {right['none'] / max(1, total['none']):.1%}")


main()
