# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of the sources against the tests that should notice them: `python tests/mutants/run.py GROUP...`, or no name for all groups.

Exits with 1 where a group stays below its goal, a survivor has no reason in survivors.toml, or one of planted.toml is not noticed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from msgspec.structs import replace

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from mutants import warm  # noqa: E402
from mutants.mutate import drawn, planted  # noqa: E402
from mutants.plan import Group, Planted, Reason, read_groups, read_planted, read_reasons  # noqa: E402
from mutants.results import Result, Results  # noqa: E402
from mutants.score import lines_of, share, unexplained  # noqa: E402
from mutants.tree import copy_tree  # noqa: E402
from mutants.trial import Outcome, Unfit, baseline, try_all  # noqa: E402


def main() -> int:
    groups = read_groups(HERE / "groups.toml")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("group", nargs="*", choices=[*groups, []], help="all where none is named")
    parser.add_argument("--sample", type=int, help="how many mutants have to count, instead of what the group says")
    parser.add_argument("--percent", type=int, default=100, help="this much of each group's sample, at least one mutant")
    parser.add_argument("--seed", type=int, help="which ones, instead of what the group says")
    parser.add_argument("--under", default="", help="only files whose path begins so")
    parser.add_argument("--planted", action="store_true", help="only those of planted.toml")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--tally", type=Path, help="a file that gets the counts of noticed and of tried mutants, as JSON")
    options = parser.parse_args()
    reasons = read_reasons(HERE / "survivors.toml")
    faults = read_planted(HERE / "planted.toml")
    tally: Counter[str] = Counter()
    codes = [_run(_with(groups[name], options), options, reasons, faults, tally) for name in options.group or groups]
    tried = {name: tally[name] for name in ("noticed", "tried")}
    print(f"{tried['noticed']} of {tried['tried']} mutants noticed, those of planted.toml among them", flush=True)
    if options.tally:
        options.tally.write_text(json.dumps(tried))
    return max(codes)


def _with(group: Group, options: argparse.Namespace) -> Group:
    given = {key: value for key in ("sample", "seed") if (value := getattr(options, key)) is not None}
    chosen = replace(group, **given)
    return replace(chosen, sample=max(1, chosen.sample * options.percent // 100))


def _run(group: Group, options: argparse.Namespace, reasons: tuple[Reason, ...], faults: tuple[Planted, ...], tally: Counter[str]) -> int:
    """Adds to `tally` what counted."""
    place = ROOT / "build" / "mutants" / group.name
    kept = place / "results.jsonl"
    if options.fresh:
        kept.unlink(missing_ok=True)
    copy = copy_tree(ROOT, place / "tree", group.copies)
    certain = [one for one in planted(group, copy.path, faults) if one.file.startswith(options.under)]
    mutants = [] if options.planted else [one for one in drawn(group, copy.path) if one.file.startswith(options.under)]
    _say(f"{group.name}: {len(certain)} planted, {len(mutants)} mutants can be made, {group.sample} are to count; the untouched tree first")
    if group.warm:
        warm.load()
    try:
        found = baseline(group, copy)
    except Unfit as error:
        _say(f"{group.name}: {error}")
        return 2
    always = try_all(replace(group, sample=len(certain)), copy, certain, found, Results(kept), _say)
    _add(tally, always)
    missed = [one for one in always if one.outcome != "noticed"]
    for one in missed:
        print(f"{one.file}:{one.line}: planted, {one.outcome}", flush=True)
    if options.planted:
        print(f"{group.name}: {len(always) - len(missed)} of {len(always)} planted noticed", flush=True)
        return 1 if missed else 0
    results = try_all(group, copy, mutants, found, Results(kept), _say)
    _add(tally, results)
    for line in lines_of(group, results, reasons):
        print(line, flush=True)
    return 1 if missed or share(results) < group.goal or unexplained(results, reasons) else 0


def _add(tally: Counter[str], results: list[Result]) -> None:
    tally["noticed"] += sum(one.outcome == Outcome.NOTICED for one in results)
    tally["tried"] += sum(Outcome(one.outcome).counts for one in results)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
