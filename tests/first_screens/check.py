# SPDX-License-Identifier: BSD-3-Clause
"""Says which claims of a first screen are false, from exported JSON and the rendered page or screen alone:

    latlab show RUN > screen.txt; latlab show RUN --format json > run.json
    python tests/first_screens/check.py screen.txt run.json
    python tests/first_screens/check.py comparison.html base.json candidate.json comparison.json

It imports nothing of latlab. Ends with 1 if something is false; `--unread` lists the sentences with figures that it does not know.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from first_screens import history_claims, pair_claims, pictures, run_claims
from first_screens.figures import Comparison, Json, Run
from first_screens.pair_claims import Pair
from first_screens.printed import numbers_in
from first_screens.screen import FirstScreen, of_page, of_text


@dataclass
class Checked:
    """`false`: what a screen says that its figures contradict. `read` sentences, tables and pictures were recomputed; `unread` are
    sentences with figures that the checker does not know."""

    read: int = 0
    false: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add(self, what: str, wrong: Sequence[str]) -> None:
        self.read += 1
        self.false += [f"{what[:160]}: {why}" for why in wrong]


def check_run(screen: FirstScreen, document: Json) -> Checked:
    run, out = Run(document), Checked()
    _sentences(screen, run, run_claims.CLAIMS, out)
    for caption, wrong in run_claims.tables(run, screen):
        out.add(caption, wrong)
    for picture in screen.pictures:
        out.add(picture.caption, pictures.wrongs_of(picture) + pictures.histogram_wrongs(picture, run))
    return out


def check_pair(screen: FirstScreen, base: Json, candidate: Json, comparison: Json) -> Checked:
    pair, out = Pair(Comparison(comparison), (Run(base), Run(candidate))), Checked()
    _sentences(screen, pair, pair_claims.CLAIMS, out)
    for caption, wrong in pair_claims.tables(pair, screen):
        out.add(caption, wrong)
    shares = {f"{row.metric} {row.test}, {row.title}": (row.share, row.verdict) for row in pair.comparison.rows}
    for picture in screen.pictures:
        out.add(picture.caption, pictures.wrongs_of(picture) + pictures.shift_wrongs(picture, shares))
    return out


def check_history(screen: FirstScreen, document: Json) -> Checked:
    out = Checked()
    _sentences(screen, document, history_claims.CLAIMS, out)
    for caption, wrong in history_claims.tables(document, screen):
        out.add(caption, wrong)
    for picture in screen.pictures:
        out.add(picture.caption, pictures.wrongs_of(picture))
    return out


def _sentences(screen: FirstScreen, of: Any, claims: Sequence[tuple[Any, Callable[..., list[str]]]], out: Checked) -> None:
    for sentence in screen.sentences:
        found = next(((match, check) for pattern, check in claims if (match := pattern.match(sentence))), None)
        if found:
            out.add(sentence, found[1](found[0], of, screen))
        elif numbers_in(sentence):
            out.unread.append(sentence)


def check(screen: FirstScreen, documents: Sequence[Json]) -> Checked:
    """By what the documents are: a run, a history, or two runs and their comparison."""
    if documents[0].get("schema") == "latlab-history":
        return check_history(screen, documents[0])
    return check_run(screen, documents[0]) if len(documents) == 1 else check_pair(screen, *documents)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("screen", type=Path, help="a rendered page (.html) or screen")
    parser.add_argument("documents", type=Path, nargs="+", help="a run, a history, or base, candidate and comparison, as JSON")
    parser.add_argument("--unread", action="store_true")
    options = parser.parse_args()
    text = options.screen.read_text("utf-8")
    screen = of_page(text) if text.lstrip().startswith("<!doctype") else of_text(text)
    checked = check(screen, [json.loads(path.read_text("utf-8")) for path in options.documents])
    for line in checked.false:
        print(line)
    for line in checked.unread if options.unread else ():
        print(f"not read: {line}")
    print(f"{len(checked.false)} false, {checked.read} read, {len(checked.unread)} sentences with figures not known")
    return int(bool(checked.false))


if __name__ == "__main__":
    sys.exit(main())
