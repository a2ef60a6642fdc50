# SPDX-License-Identifier: BSD-3-Clause
"""Renders first screens and prints what the checker calls false.

`python tests/first_screens/run.py --count 2000 [--only TEXT] [--unread]`
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from itertools import count as seeds
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from first_screens.check import check
from first_screens.drawn import Desk, Drawn, every_kind, of_truth, published, stored

SOURCES = ("kinds", "published", "truth")


def screens(folder: Path, count: int, first_seed: int = 0, sources: Sequence[str] = SOURCES) -> Iterator[Drawn]:
    """Runs of every kind, published releases, then drawn pairs until there are `count`; pages for every fourth pair."""
    return islice(chain.from_iterable(_of(source, folder, first_seed) for source in sources), count)


def _of(source: str, folder: Path, first_seed: int) -> Iterator[Drawn]:
    if source == "kinds":
        yield from stored(*every_kind(folder / "kinds.db"))
    elif source == "published":
        yield from published(Desk("/dev/null/store"))
    else:
        for seed in seeds(first_seed):
            yield from of_truth(folder, seed, with_page=seed % 4 == 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sources", nargs="+", choices=SOURCES, default=SOURCES)
    parser.add_argument("--only", default="", help="screens whose name holds this")
    parser.add_argument("--unread", action="store_true", help="print sentences with figures that the checker does not know")
    parser.add_argument("--keep", type=Path, help="a folder for the screens with false claims")
    options = parser.parse_args()
    unread: Counter[str] = Counter()
    total = read = false = known = 0
    with tempfile.TemporaryDirectory() as folder:
        for drawn in screens(Path(folder), options.count, options.seed, options.sources):
            if options.only not in drawn.name:
                continue
            found = check(drawn.screen, drawn.documents)
            total, read, known = total + 1, read + found.read, known + bool(found.read)
            unread.update("".join(letter if not letter.isdigit() else "0" for letter in sentence) for sentence in found.unread)
            if found.false:
                false += len(found.false)
                print(f"{drawn.name}:")
                for line in found.false[:4]:
                    print(f"    {line}")
                if options.keep:
                    (options.keep / f"{total}.txt").write_text(drawn.text, encoding="utf-8")
    if options.unread:
        for sentence, times in unread.most_common(60):
            print(f"not read, {times} times: {sentence[:200]}")
    print(f"{total} screens, {known} with something to check, {read} claims read, {false} false, {sum(unread.values())} sentences not read")
    return int(bool(false))


if __name__ == "__main__":
    sys.exit(main())
